Feature: Leadership returns to the preferred leaders only by an election, and an election costs no record
  The first replica in a partition's list is its preferred leader. Losing a broker moves its leaders elsewhere, and its
  return moves none back: two brokers go on carrying the load of three. auto.leader.rebalance.enable (Kafka's default)
  has the controller look every leader.imbalance.check.interval.seconds (300) and move leaders back; these features
  leave it off, so that nothing moves but by an election that somebody asks for.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all

  @A10 @leadership
  Scenario: an election of the preferred leaders restores four leaders per broker
    Given broker 1 is lost by clean shutdown
    And broker 1 returns to every ISR
    When the preferred leaders are elected
    Then within 5 seconds every broker leads exactly 4 partitions
    And the log holds exactly the acknowledged records
