Feature: With controllers apart from the brokers, writes are rejected however two of three brokers are lost
  Where brokers are controllers as well, two of them killed take the quorum with them, and a client learns nothing
  (write_rejection). Controllers on machines of their own live on: they miss the brokers' heartbeats after
  broker.session.timeout.ms, take them out of every ISR, and the last broker answers each acks=all write with
  NOT_ENOUGH_REPLICAS before it appends it. What that takes is an active controller, so a majority of the controllers:
  one of one, two of three. Operators who separate the roles buy this, and lose it again with the controllers.

  The session timeout is 6 seconds here instead of 9, to wait less. A leader acts upon a new ISR a moment after it tells
  of it, and still appends what comes in between: hence the 2 seconds before the writes.

  @A9 @B10 @durability @slow
  Scenario: two brokers are killed, and each write is rejected and absent
    Given three brokers with one separate controller, all in sync, with these settings:
      | broker.session.timeout.ms | 6000 |
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And 1,000 events are acknowledged
    When brokers 1 and 2 are lost by hard kill at once
    Then within 12 seconds of the exit of broker 1 the ISR of every partition is broker 3
    And for 2 seconds the ISR of every partition is broker 3
    When one record is sent to every partition, without retries
    And the lost brokers return to every ISR
    Then each of these writes is rejected with NOT_ENOUGH_REPLICAS
    And none of the rejected records is in the log
    And the log holds exactly the acknowledged records

  @B10 @durability @slow
  Scenario: the only controller is killed before them, and what the last broker takes is indeterminate
    Given three brokers with one separate controller, all in sync, with these settings:
      | broker.session.timeout.ms | 6000 |
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And 1,000 events are acknowledged
    And controller 101 is lost by hard kill
    When brokers 1 and 2 are lost by hard kill at once
    Then for 10 seconds the ISR of every partition is brokers 1, 2 and 3
    When one record is sent to every partition, without retries
    And controller 101 returns
    And the lost brokers return to every ISR
    Then none of these writes is acknowledged
    And none of these writes is rejected with NOT_ENOUGH_REPLICAS
    And some of these writes are indeterminate
    And the recount holds

  @A9 @B10 @durability @slow
  Scenario: one of three controllers is killed before them, and each write is rejected and absent
    Given three brokers with three separate controllers, all in sync, with these settings:
      | broker.session.timeout.ms | 6000 |
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And 1,000 events are acknowledged
    And controller 101 is lost by hard kill
    When brokers 1 and 2 are lost by hard kill at once
    Then within 20 seconds of the exit of broker 1 the ISR of every partition is broker 3
    And for 2 seconds the ISR of every partition is broker 3
    When one record is sent to every partition, without retries
    And the lost brokers return to every ISR
    Then each of these writes is rejected with NOT_ENOUGH_REPLICAS
    And none of the rejected records is in the log
    And the log holds exactly the acknowledged records
