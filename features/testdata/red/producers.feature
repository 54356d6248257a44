Feature: Statements about producers that are false
  Each scenario here must fail, at its last step and nowhere else.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  Rule: of buffers

    Scenario: a buffer that never fills
      Given a producer with a buffer of 10,000 records that waits when full is writing 300 events per second with acks=all
      Then within 1 seconds the buffer of the producer is full

    Scenario: a producer that goes on
      Given a producer is writing 300 events per second with acks=all
      Then for 1 seconds the producer sends no more events

    Scenario: a buffer with room for every event
      Given a producer with a buffer of 10,000 records that refuses when full is writing 300 events per second with acks=all
      Then within 1 seconds some events are rejected with BUFFER_FULL

  Rule: of partitions

    Scenario: a leader that its clients reach
      Given a producer is writing 300 events per second with acks=1
      When broker 1 is lost by isolation from the other brokers
      Then for 3 seconds no partition that the lost broker led acknowledges a record

  Rule: of pace

    Scenario: another rate
      Given a producer is writing 1,000 events per second with acks=1
      When 500 more events of the running producers are acknowledged
      Then the events were sent at 100 per second

    Scenario: another speed
      Given a producer starts to send the whole trace in real time, 200 times as fast, with acks=all
      Then the trace was sent in real time, 1 times as fast

    Scenario: no loss to compare a latency with
      Given a producer is writing 300 events per second with acks=all
      Then the longest latency is no shorter than the loss of broker 1

  Rule: of records

    Scenario: no record that is sent again
      Given 300 events are acknowledged
      Then some records are in the log twice

    Scenario: no record at all
      Given a topic "unused" with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then no record is in the log twice

    Scenario: another number of vehicles
      Given a producer starts to send 3,000 events of 200 vehicles as fast as it can with acks=all
      Then the log holds the records of 3 vehicles
