Feature: After a failure, every acknowledged record is counted again
  That a cluster "came back" says nothing about the records. Here a producer replays recorded vehicle telemetry through
  the loss and return of a broker, every event is written down before it is sent and again when its outcome is known,
  and afterwards the whole topic is read from the beginning. What was acknowledged must be there once, in order, where
  the acknowledgement said; nothing else may be there. The equations are printed.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  @A11 @A12 @A20 @durability
  Scenario: the whole trace goes through the loss and return of a broker, and every event is in the log once
    Given a SUMO trace of 14,278 positions of 100 vehicles
    And a producer starts to send the whole trace at 600 events per second with acks=all
    When broker 1 is lost by clean shutdown
    And broker 1 returns
    Then within 60 seconds the producer has sent the whole trace
    And all 14,278 events are acknowledged
    And the end offsets grew while broker 1 was lost, by exactly the records acknowledged meanwhile
    And the log holds exactly the acknowledged records
    And the sum of the end offsets equals the records read

  @A11 @A12 @durability @slow
  Scenario: a broker is killed under load, and the recount holds
    Given a producer is writing 1,000 events per second with acks=all
    When broker 2 is lost by hard kill
    And broker 2 returns
    Then the end offsets grew while broker 2 was lost, by exactly the records acknowledged meanwhile
    And the recount holds
    And the sum of the end offsets equals the records read
