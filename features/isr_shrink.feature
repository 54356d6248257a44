Feature: The loss of one broker costs its place in the ISR, nothing else
  When a broker goes, its partitions need new leaders, and the set of in-sync replicas (ISR) must shrink by exactly that
  broker. A broker that shuts down cleanly hands its leaders over before it exits. One that is killed is missed only
  when broker.session.timeout.ms (9 seconds by default) has passed without a heartbeat; until then its partitions
  cannot be written. Operators see both in every upgrade and in every crash.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all

  Rule: the ISR drops the lost broker, and only it

    # The time counts from the exit of the broker's process. After a hard kill it is the session timeout and an election.
    @A7 @A9 @B1 @durability
    Scenario Outline: writing goes on within <seconds> seconds when broker <broker> is lost by <fault>
      When broker <broker> is lost by <fault>
      Then within <seconds> seconds of the exit of broker <broker> every partition is led by brokers <others>
      And within <seconds> seconds of the exit of broker <broker> the ISR of every partition is brokers <others>
      And the replicas of every partition are on brokers 1, 2 and 3
      And within 10 seconds every partition acknowledges a new record

      @smoke
      Examples: the broker hands over
        | broker | fault          | others  | seconds |
        | 1      | clean shutdown | 2 and 3 | 5       |

      Examples: the broker is missed
        | broker | fault     | others  | seconds |
        | 1      | hard kill | 2 and 3 | 15      |

  Rule: a new leader is a replica that had everything

    @A8 @leadership
    Scenario: the next live in-sync replica in the partition's list takes over
      When broker 1 is lost by clean shutdown
      Then within 5 seconds of the exit of broker 1 every partition is led by brokers 2 and 3
      And every new leader was in the ISR before
      And every new leader is the first live in-sync replica of its partition
