Feature: Only a replica that has everything becomes leader; otherwise the partition is offline, not wrong
  A new leader comes from the ISR, the replicas that have every acknowledged record. When no member of the ISR is live,
  the partition is offline until one returns, though other replicas are there: they would be short of records. Whoever
  prefers some answer to the right one sets unclean.leader.election.enable=true, and loses acknowledged records.

  Here min.insync.replicas is 1, so that the last replica of the ISR goes on acknowledging alone, and then it is killed.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 1
    And a producer is writing 500 events per second with acks=all

  @C2 @leadership @durability @slow
  Scenario: the last in-sync replica is lost, and the partitions are offline until it returns
    Given brokers 1 and 2 are lost by clean shutdown, one after the other
    And 500 more events of the running producers are acknowledged
    And broker 3 is lost by hard kill
    When brokers 1 and 2 return
    Then within 15 seconds exactly 12 partitions are offline
    And for 2 seconds exactly 12 partitions are offline
    When broker 3 returns to every ISR
    Then every partition is led by broker 3
    And the recount holds

  # A contrast: an out-of-date replica leads, what the last one acknowledged alone is cut off when it returns.
  @C2 @leadership @durability @slow
  Scenario: with unclean elections an out-of-date replica leads, and acknowledged records are lost
    Given the topic has the setting unclean.leader.election.enable=true
    And brokers 1 and 2 are lost by clean shutdown, one after the other
    And 500 more events of the running producers are acknowledged
    And broker 3 is lost by hard kill
    When brokers 1 and 2 return
    Then within 20 seconds every partition is led by brokers 1 and 2
    When broker 3 returns to every ISR
    Then the recount is broken by lost records, and by nothing else
