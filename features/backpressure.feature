Feature: A full producer buffer pushes back, and no event disappears uncounted
  A producer keeps records in memory until they are acknowledged (buffer.memory; here the limit is a number of records).
  When the brokers stand still the buffer fills. Then there are two ways: the application waits (max.block.ms), which
  slows it down to what Kafka takes, or it is refused, and must count what it could not hand over. Both are right; losing
  count is not. A refused event is rejected: it never left the client, so it is certainly not in the log.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  @A15 @durability
  Scenario: a full buffer holds the application back, and every event is acknowledged in the end
    Given a producer with a buffer of 1,000 records that waits when full is writing 1,000 events per second with acks=all
    When brokers 1 and 2 are lost by a pause at once
    Then within 10 seconds the buffer of the producer is full
    And for 2 seconds the producer sends no more events
    When the lost brokers return to every ISR
    Then the longest latency is no shorter than the loss of broker 1
    And the log holds exactly the acknowledged records

  @A15 @durability
  Scenario: a full buffer refuses events, and each of them is counted
    Given a producer with a buffer of 1,000 records that refuses when full is writing 1,000 events per second with acks=all
    When brokers 1 and 2 are lost by a pause at once
    Then within 10 seconds some events are rejected with BUFFER_FULL
    When the lost brokers return to every ISR
    Then none of the rejected records is in the log
    And the recount holds
