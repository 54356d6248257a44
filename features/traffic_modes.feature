Feature: Real-time replay and load are two modes, and both are accounted for
  The trace is 400 seconds of a simulated city: 14,278 positions of 100 vehicles, which can be multiplied and repeated.
  Vehicle telemetry comes at the pace of the traffic; a load test sends at a set rate, or as fast as the brokers take it.
  In real time and at a set rate each event has a moment at which it is due, whatever Kafka does: a stall delays events
  but hides none of them, and latency counts from when an event was due, not from when the producer came to send it.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  @A19 @A20
  Scenario: the trace is replayed at the pace at which it was recorded
    Given a producer starts to send the whole trace in real time, 50 times as fast, with acks=all
    Then within 30 seconds the producer has sent the whole trace
    And the trace was sent in real time, 50 times as fast
    And all 14,278 events are acknowledged
    And the log holds exactly the acknowledged records

  @A19
  Scenario: a set rate is kept through a stall, and no latency is hidden
    Given a producer is writing 1,000 events per second with acks=all
    And 3,000 more events of the running producers are acknowledged
    When broker 1 is lost by a pause
    And broker 1 returns to every ISR
    Then the longest latency is no shorter than the loss of broker 1
    And the events were sent at 1,000 per second
    And the log holds exactly the acknowledged records

  @A19
  Scenario: load is sent as fast as the brokers take it, by as many vehicles as wanted
    Given a producer starts to send 200,000 events of 1,000 vehicles as fast as it can with acks=all
    Then within 60 seconds the producer has sent all its events
    And all 200,000 events are acknowledged
    And the log holds the records of 1,000 vehicles
    And the log holds exactly the acknowledged records
