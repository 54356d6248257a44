Feature: A broker that is cut off acknowledges nothing that the others do not have
  A broken switch or a wrong firewall rule leaves a broker running that the others do not reach. It goes on to lead its
  partitions for the clients that still find it: it cannot hear that the controllers have fenced it
  (broker.session.timeout.ms, 9 seconds) and made others the leaders. Two leaders at once are harmless as long as one of
  them cannot acknowledge: with acks=all and min.insync.replicas=2 it waits for followers that never answer. What it
  took meanwhile it gives up when it comes back. With acks=1 it acknowledges alone, and what it gives up was promised.

  Cut off from its clients only, a broker is healthy in the eyes of the cluster. Nobody takes its partitions over, and
  nobody writes to them: no setting of Kafka's notices that, only monitoring from the clients' side does.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  Rule: cut off from its peers, a leader is replaced

    # How soon is the client's matter: each of its requests to the old leader waits for its time-out (request.timeout.ms,
    # 5 seconds here), one behind the other. Then it asks who leads now, and may ask the old leader, which believes that it
    # does; then all begins again. 20 to 50 seconds were seen.
    @C1 @durability @slow
    Scenario: writing goes on with new leaders, and nothing is lost
      Given a producer is writing 500 events per second with acks=all
      When the leader of partition 0 is lost by isolation from its peers
      Then within 25 seconds of the loss of the leader of partition 0 every partition is led by the other brokers
      And within 90 seconds every partition acknowledges a new record
      When the lost broker returns to every ISR
      Then the log holds exactly the acknowledged records

    @C1 @C2 @durability @slow
    Scenario: the old leader still takes records, and acknowledges none with acks=all
      Given 1,000 events are acknowledged
      When the leader of partition 0 is lost by isolation from its peers
      And one record is sent to every partition that the lost broker leads, through it alone, without retries
      And the lost broker returns to every ISR
      Then none of these writes is acknowledged
      And some of these writes are indeterminate
      And the recount holds

    # A contrast: acks=1 is the promise of a leader that may be none any more.
    @C1 @durability @slow
    Scenario: the old leader still acknowledges with acks=1, and these records are lost
      Given a producer is writing 500 events per second with acks=1
      When the leader of partition 0 is lost by isolation from its peers
      And 200 more events of the running producers are acknowledged
      And the lost broker returns to every ISR
      Then the recount is broken by lost records, and by nothing else

  Rule: cut off from its clients, a leader stays

    @C1 @leadership @slow
    Scenario: nobody takes over, and its partitions are not written
      Given a producer is writing 500 events per second with acks=all
      When the leader of partition 0 is lost by isolation from clients
      Then for 12 seconds no partition that the lost broker led acknowledges a record
      And every broker leads exactly 4 partitions
      And the ISR of every partition is brokers 1, 2 and 3
      When the lost broker returns
      Then within 10 seconds every partition acknowledges a new record
      And the log holds exactly the acknowledged records

  Rule: cut off from the controllers, a leader is replaced

    # Its replication and its clients work, and still the controllers give its partitions away: they know by heartbeats.
    @C1 @durability @slow
    Scenario: a broker that only the controllers miss loses its partitions, and no record
      Given a producer is writing 500 events per second with acks=all
      When a follower of partition 0 is lost by isolation from the controllers
      Then within 25 seconds of the loss of a follower of partition 0 no partition is led by the lost broker
      And within 90 seconds every partition acknowledges a new record
      When the lost broker returns to every ISR
      Then the log holds exactly the acknowledged records

  Rule: cut off from everyone, a broker is as good as dead, and comes back

    @C1 @C5 @durability @slow
    Scenario: a broker that nobody reaches leaves every ISR, returns to it, and no record is lost
      Given a producer is writing 500 events per second with acks=all
      When the leader of partition 0 is lost by isolation from everyone
      Then within 25 seconds of the loss of the leader of partition 0 the ISR of every partition is the other brokers
      When the lost broker returns to every ISR
      Then the log holds exactly the acknowledged records
