Feature: A topic has no more replicas than there are brokers, and a broker that is down counts
  With replication factor 1 the loss of a broker takes its partitions with it (single_node.feature); three replicas take
  three brokers. What counts is which brokers are registered (in Kafka's sense, fenced ones too), not which are up: while
  one is down a topic with three replicas is accepted all the same. Its third replicas wait for the broker that is down, out
  of the ISR, and stand last in every list. So that broker is nobody's preferred leader, and leads none of these partitions
  when it is back, not by an election either: the topic stays uneven until its replicas are reassigned.

  Background:
    Given three brokers, all in sync

  @B2
  Scenario: more replicas than brokers are refused
    When a topic "too-wide" with 1 partition, replication factor 4 and min.insync.replicas 2 is requested
    Then the request is refused with INVALID_REPLICATION_FACTOR
    And for 2 seconds no broker knows the topic "too-wide"

  @B1 @B2 @durability @leadership @slow
  Scenario: a topic made while broker 1 is down is accepted, and stays uneven when it is back
    Given broker 1 is lost by clean shutdown
    When a topic "uneven" with 12 partitions, replication factor 3 and min.insync.replicas 2 is requested
    Then within 5 seconds brokers 1, 2 and 3 lead 0, 6 and 6 partitions
    And the replicas of every partition are on brokers 1, 2 and 3
    And the ISR of every partition is brokers 2 and 3
    When 1,000 events are acknowledged
    And broker 1 returns to every ISR
    And the preferred leaders are elected
    Then for 2 seconds brokers 1, 2 and 3 lead 0, 6 and 6 partitions
    And the log holds exactly the acknowledged records
    And the volume of broker 1 holds every record of the topic

  # One replica fewer than brokers, and all of them are where they can be at once: the broker that is down gets none.
  @B2 @slow
  Scenario: with replication factor 2 a topic made while broker 1 is down has nothing there, ever
    Given broker 1 is lost by clean shutdown
    When a topic "narrow" with 12 partitions, replication factor 2 and min.insync.replicas 1 is requested
    Then within 5 seconds brokers 1, 2 and 3 lead 0, 6 and 6 partitions
    And the replicas of every partition are on brokers 2 and 3
    When 1,000 events are acknowledged
    And broker 1 returns to every ISR
    Then the replicas of every partition are on brokers 2 and 3
    And the volume of broker 1 holds no record of the topic
    And the log holds exactly the acknowledged records

  # The contrast to being down: a broker that was unregistered counts no more, until it starts and registers again.
  @B2 @slow
  Scenario: broker 1 is down and unregistered, and three replicas are too many
    Given broker 1 is lost by clean shutdown
    When broker 1 is unregistered
    And a topic "too-wide" with 12 partitions, replication factor 3 and min.insync.replicas 2 is requested
    Then the request is refused with INVALID_REPLICATION_FACTOR
    And for 2 seconds no broker knows the topic "too-wide"
    When broker 1 returns
    And a topic "wide" with 12 partitions, replication factor 3 and min.insync.replicas 2 is requested
    Then within 5 seconds every broker leads exactly 4 partitions
    And within 5 seconds the ISR of every partition is brokers 1, 2 and 3
    When 1,000 events are acknowledged
    Then the log holds exactly the acknowledged records
