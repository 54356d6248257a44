Feature: A follower that falls behind leaves the ISR, and returns when it has caught up
  A broker may heartbeat and still not replicate: a network that fails for one port only, a disk that stalls. The
  controllers have nothing against it. It is the leader that misses it: a follower that has not caught up for
  replica.lag.time.max.ms (30 seconds by default, checked every half of it) is taken out of the ISR. Until then acks=all
  waits for it, so writing stops for 30 to 45 seconds. That is the price of the default; a lower value lets go sooner,
  and takes followers out for every hiccup.

  Background:
    Given three brokers, all in sync
    And a topic with 1 partition, replication factor 3 and min.insync.replicas 2

  @C3 @durability @slow
  Scenario: a follower that replicates nothing is let go for its lag, not for its heartbeats
    Given a producer is writing 500 events per second with acks=all
    When a follower of partition 0 is lost by isolation from the other brokers
    Then for 20 seconds the ISR of every partition is brokers 1, 2 and 3
    And within 48 seconds of the loss of a follower of partition 0 the ISR of every partition is the other brokers
    And the lost broker left every ISR because it lagged
    And the lost broker is registered
    And within 10 seconds every partition acknowledges a new record
    When the lost broker returns
    Then within 45 seconds of the registration of a follower of partition 0 the ISR of every partition is brokers 1, 2 and 3
    And the log holds exactly the acknowledged records
