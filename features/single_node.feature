Feature: What has one replica is offline while its broker is down
  High availability comes from replicas, not from the number of brokers. A topic with replication factor 1 on three
  brokers is not safer than on one: with a broker, the partitions that it holds are offline. With replication factor 3
  the same loss stops nothing (isr_shrink.feature).

  Background:
    Given three brokers, all in sync
    And a topic "one-replica" with 12 partitions, replication factor 1 and min.insync.replicas 1
    And 1,000 events are acknowledged

  @B1 @durability @slow
  Scenario: with one replica the loss of a broker takes its four partitions offline, and its return brings every record back
    When broker 1 is lost by hard kill
    Then within 15 seconds of the exit of broker 1 exactly 4 partitions are offline
    When one record is sent to every partition, without retries
    Then exactly 8 of these writes are acknowledged
    When the lost brokers return to every ISR
    Then exactly 0 partitions are offline
    And the recount holds
