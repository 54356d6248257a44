Feature: No acknowledged record is lost, and none is written twice
  Each event is followed from its making to its reading: generated = acknowledged + rejected + indeterminate, and each
  acknowledged one is in the log once. What Kafka promises here it promises to a producer with acks=all and
  enable.idempotence (both are defaults of Kafka's own client) and to a topic with min.insync.replicas=2. The contrasts
  take one of these away and show what is lost, or doubled, then.

  The fault is a pause: the process of a broker stands still with its connections open, as in a long garbage collection
  or while a virtual machine is moved. It is the hardest case for a client, which sees neither an answer nor an error.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  @A13 @durability
  Scenario: a leader takes records that no follower has, and acks=all loses none
    Given a producer is writing 500 events per second with acks=all
    When brokers 2 and 3 are lost by a pause at once
    And broker 1 is lost by hard kill
    And the lost brokers return to every ISR
    Then the recount holds
    And no record is in the log twice

  # A contrast: with acks=1 the leader answers for itself alone, and what it answered for dies with it.
  @A13 @durability @slow
  Scenario: a leader takes records that no follower has, and acks=1 loses them
    Given a producer is writing 500 events per second with acks=1
    When brokers 2 and 3 are lost by a pause at once
    And 200 more events of the running producers are acknowledged
    And broker 1 is lost by hard kill
    And the lost brokers return to every ISR
    Then the recount is broken by lost records, and by nothing else

  # While a follower stands still and has not left the ISR, acks=all waits for it: requests time out and are sent again.
  @A13 @durability
  Scenario: requests that time out are sent again, and no record is written twice
    Given a producer is writing 500 events per second with acks=all
    When broker 1 is lost by a pause
    Then within 20 seconds the ISR of every partition is brokers 2 and 3
    When broker 1 returns to every ISR
    Then the log holds exactly the acknowledged records
    And no record is in the log twice

  # A contrast: without idempotence the leader cannot tell a record that is sent again from a new one.
  @A13 @durability @slow
  Scenario: requests that time out are sent again, and without idempotence records are written twice
    Given a producer is writing 500 events per second with acks=all without idempotence
    When broker 1 is lost by a pause
    Then within 20 seconds the ISR of every partition is brokers 2 and 3
    When broker 1 returns to every ISR
    Then the recount holds
    And some records are in the log twice

  @A13 @load @durability
  Scenario: a million events of a thousand vehicles go through the hard kill of a broker
    Given a producer starts to send 1,000,000 events of 1,000 vehicles as fast as it can with acks=all
    When broker 1 is lost by hard kill
    And broker 1 returns
    Then within 120 seconds the producer has sent all its events
    And all 1,000,000 events are acknowledged
    And the log holds exactly the acknowledged records
    And the log holds the records of 1,000 vehicles
