Feature: A broker that stands still is replaced, and comes back as a follower
  A long garbage collection, a stuck disk or the move of a virtual machine freezes a broker with its connections open:
  nobody is told, requests to it are simply not answered. The controllers miss its heartbeats and fence it
  (broker.session.timeout.ms, 9 seconds), which moves its leaders and takes it out of every ISR. Clients depend on their
  own time-out to let go of it (request.timeout.ms). When it wakes up it believes that it leads still; the next answer
  it gets tells it otherwise.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all

  @C1 @C4 @durability @slow
  Scenario: a frozen leader is fenced after the session timeout, and no record is lost
    When the leader of partition 0 is lost by a pause
    Then within 25 seconds of the loss of the leader of partition 0 the lost broker is fenced
    And within 25 seconds of the loss of the leader of partition 0 the ISR of every partition is the other brokers
    And within 15 seconds every partition acknowledges a new record
    When the lost broker returns to every ISR
    Then for 2 seconds no partition is led by the lost broker
    And the log holds exactly the acknowledged records

  # A pause that is shorter than the session timeout moves nothing. Writing stops for as long as it lasts.
  @C1 @durability @slow
  Scenario: a pause of three seconds moves no leader
    When a follower of partition 0 is lost by a pause
    Then for 3 seconds every broker leads exactly 4 partitions
    When the lost broker returns
    Then for 5 seconds the ISR of every partition is brokers 1, 2 and 3
    And the log holds exactly the acknowledged records
