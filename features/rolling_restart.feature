Feature: All brokers are restarted, one after the other, and no record is lost
  Upgrades and changes of settings restart every broker. The order of work decides what that costs: a broker may go
  only when every replica is back in its ISR, or the next loss is the second one. Kafka does not enforce that order, the
  operator does. With a clean shutdown (controlled.shutdown.enable, on by default) a broker hands its leaders over; one
  that is killed is missed after broker.session.timeout.ms (9 seconds). How long that is felt, failover_time.feature says.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all

  @C4 @C5 @durability @slow
  Scenario Outline: a rolling restart by <fault>, each when <condition>, loses no record
    When the brokers are restarted one after the other by <fault>, each when <condition>
    Then within 10 seconds every partition acknowledges a new record
    And the log holds exactly the acknowledged records

    Examples: in the right order
      | fault          | condition         |
      | clean shutdown | every ISR is full |
      | hard kill      | every ISR is full |

    # The second broker may be the second loss. What is acknowledged is in the log all the same.
    Examples: too early
      | fault          | condition                    |
      | clean shutdown | the one before is registered |

  @C4 @durability @slow
  Scenario: all three brokers are killed at once while a producer writes, and no record is lost
    When brokers 1, 2 and 3 are lost by hard kill at once
    And the lost brokers return to every ISR
    Then within 10 seconds every partition acknowledges a new record
    And the log holds exactly the acknowledged records
