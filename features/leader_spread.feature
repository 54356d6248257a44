Feature: Partitions spread evenly over the brokers
  Every write and, by default, every read goes to a partition's leader. If the leaders of a new topic sat on one broker,
  that broker would do all the work, and its loss would stop every partition at once. Kafka places the replicas of a
  new topic round robin, so twelve partitions give each of three brokers four leaders and eight followers.

  Background:
    Given three brokers, all in sync

  @A5 @smoke @leadership
  Scenario: twelve partitions are four leaders and eight followers per broker
    When a topic is created with 12 partitions, replication factor 3 and min.insync.replicas 2
    Then every broker leads exactly 4 partitions
    And every broker follows exactly 8 partitions
    And the replicas of every partition are on brokers 1, 2 and 3
    And the ISR of every partition is brokers 1, 2 and 3
