Feature: With two of three brokers lost, nothing is acknowledged that might be lost
  min.insync.replicas=2 with acks=all means: a record is acknowledged only when two replicas have it. With one broker
  left Kafka must rather refuse than promise. How the two brokers were lost decides what a client sees, because these
  brokers are controllers as well:

  - shut down cleanly, one after the other, each leaves the ISR while a majority of controllers still lives. The last
    ISR has one member, and each write is answered with NOT_ENOUGH_REPLICAS before it is appended;
  - killed, they take the majority of controllers with them. No ISR change can be decided any more, so the ISR still
    names a dead broker, the remaining leader appends and waits for it, and the client runs into its time-out. Such a
    write is neither acknowledged nor rejected: it is indeterminate, and may be in the log afterwards. A write to a
    partition that a dead broker leads never leaves the client; it counts as rejected, being certainly not in the log.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  @A9 @smoke @durability
  Scenario: one broker is lost, and each write is acknowledged
    When broker 1 is lost by clean shutdown
    And one record is sent to every partition, without retries
    Then each of these writes is acknowledged

  @A9 @A16 @durability
  Scenario: two brokers are shut down cleanly, and each write is rejected and absent
    Given 1,000 events are acknowledged
    When brokers 1 and 2 are lost by clean shutdown, one after the other
    And one record is sent to every partition, without retries
    And the lost brokers return to every ISR
    Then each of these writes is rejected with NOT_ENOUGH_REPLICAS
    And none of the rejected records is in the log
    And the log holds exactly the acknowledged records

  @A9 @durability
  Scenario: two brokers are killed, and what the last one takes is indeterminate
    Given 1,000 events are acknowledged
    When brokers 1 and 2 are lost by hard kill at once
    And one record is sent to every partition, without retries
    And the lost brokers return to every ISR
    Then none of these writes is acknowledged
    And none of these writes is rejected with NOT_ENOUGH_REPLICAS
    And some of these writes are indeterminate
    And the recount holds
    And the recount says how many indeterminate records survived
