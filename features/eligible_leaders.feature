Feature: A replica that left the ISR below min.insync.replicas may still lead, since it misses nothing
  With min.insync.replicas=2 nothing is acknowledged while one replica is left in the ISR, so that the one which went
  before it has every acknowledged record as well. Since Kafka 4.0 the controller can remember such replicas (eligible
  leader replicas, KIP-966; for new clusters on by default since 4.1): when the last one is lost too, another takes over
  and no record is lost. Without, the partition is offline until the last one is back.

  @C2 @leadership @durability @slow
  Scenario: with eligible leader replicas the one that left before the last takes over
    Given three brokers, all in sync, with these settings:
      | eligible.leader.replicas.version | 1 |
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all
    And brokers 1 and 2 are lost by clean shutdown, one after the other
    And broker 3 is lost by hard kill
    When brokers 1 and 2 return
    Then within 20 seconds every partition is led by broker 2
    When broker 3 returns to every ISR
    Then the recount holds

  @C2 @leadership @durability @slow
  Scenario: without eligible leader replicas the partitions are offline until the last one returns
    Given three brokers, all in sync, with these settings:
      | eligible.leader.replicas.version | 0 |
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all
    And brokers 1 and 2 are lost by clean shutdown, one after the other
    And broker 3 is lost by hard kill
    When brokers 1 and 2 return
    Then within 20 seconds exactly 12 partitions are offline
    And for 2 seconds exactly 12 partitions are offline
    When broker 3 returns to every ISR
    Then the recount holds
