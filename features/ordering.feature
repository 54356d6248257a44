Feature: The records of one vehicle keep their order
  Kafka keeps order within a partition and nowhere else. Records with the same key go to the same partition, so the
  positions of one vehicle can be read in the order in which they were sent, while many vehicles share a partition.
  The partition is the key's hash modulo the number of partitions: with more partitions keys move, and order ends.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  @A6 @smoke
  Scenario: one vehicle has one partition, a partition has many vehicles
    When 3,000 events are acknowledged
    Then the records of each vehicle are in one partition, in the order they were sent
    And some partition holds the records of several vehicles
    And the offsets of every partition count up from 0 without a gap

  # Requests to the broker that stands still are under way, others time out and are sent again.
  @A6 @durability
  Scenario: a leader stands still, and the order is kept
    Given a producer is writing 1,000 events per second with acks=all
    When broker 1 is lost by a pause
    And broker 1 returns to every ISR
    Then the records of each vehicle are in one partition, in the order they were sent
    And the log holds exactly the acknowledged records

  # A contrast: this is the damage that Kafka does not protect from.
  @A6
  Scenario: more partitions move vehicles, and nothing orders what is in two partitions
    Given 3,000 events are acknowledged
    When the topic is given 12 more partitions
    And 3,000 more events are acknowledged
    Then the recount is broken by split keys, and by nothing else
