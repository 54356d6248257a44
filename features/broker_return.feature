Feature: A returned broker catches up, and leads only when asked to
  After a restart a broker fetches what it missed and joins every ISR again. It does not take its partitions back: until
  somebody elects the preferred leaders (or auto.leader.rebalance.enable does so, which these features leave off), the
  two other brokers carry all the load. A rejoined broker is a full replica and may be the next to lead.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all

  # The ten seconds count from the broker's registration; how long a JVM takes to start is the machine's matter.
  @A10 @leadership
  Scenario: the broker is in every ISR within ten seconds, and leads nothing
    Given broker 1 is lost by clean shutdown
    When broker 1 returns
    Then within 10 seconds of the registration of broker 1 the ISR of every partition is brokers 1, 2 and 3
    And for 5 seconds no partition is led by broker 1
    And the log holds exactly the acknowledged records

  @C5 @durability @slow
  Scenario: every broker in turn is lost, returns, and is good enough to lead
    When broker 1 is lost by clean shutdown
    And broker 1 returns to every ISR
    And broker 2 is lost by hard kill
    And broker 2 returns to every ISR
    And broker 3 is lost by clean shutdown
    Then within 5 seconds of the exit of broker 3 every partition is led by brokers 1 and 2
    And within 10 seconds every partition acknowledges a new record
    When broker 3 returns to every ISR
    Then the log holds exactly the acknowledged records
