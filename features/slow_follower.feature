Feature: A follower that falls behind leaves the ISR, and returns when it has caught up
  A broker may heartbeat and still not replicate: a network that fails for one port only, a disk that stalls. The
  controllers have nothing against it. It is the leader that misses it: a follower that has not caught up for
  replica.lag.time.max.ms (30 seconds by default, checked every half of it) is taken out of the ISR. Until then acks=all
  waits for it, so writing stops for 30 to 45 seconds. That is the price of the default; a lower value lets go sooner,
  and takes followers out for every hiccup.

  Once out of the ISR a follower may be as slow as it likes: nobody waits for it, and it comes back in when it has caught
  up with the high watermark, not before. Meanwhile the next loss is the second one.

  Background:
    Given three brokers, all in sync
    And a topic with 1 partition, replication factor 3 and min.insync.replicas 2

  # In the ISR no follower can be slow for long and still fetch: acks=all waits for it, and with it the producers, so that
  # there is never more to fetch than they may have in flight. The one that falls behind is one that fetches nothing.
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

  # Kafka's own throttle (follower.replication.throttled.rate) holds a follower back that is behind, and spares one that is
  # not. A fetch brings up to replica.fetch.max.bytes (1 MiB), and the next one waits until the rate is below the limit
  # again. The follower is put behind by a pause: one that is restarted fetches before it has read how fast it may.
  @C3 @durability @slow
  Scenario: a follower that catches up slowly is let in when it has every record, not before
    Given the replication of the topic to broker 3 is throttled to 200,000 bytes per second
    When broker 3 is lost by a pause
    Then within 25 seconds of the loss of broker 3 the ISR of every partition is brokers 1 and 2
    When a producer starts to send 400,000 events of 1,000 vehicles as fast as it can with acks=all
    Then within 60 seconds the producer has sent all its events
    When broker 3 returns
    Then within 20 seconds broker 3 has fetched more records of the topic, and not all of them
    And for 5 seconds the ISR of every partition is brokers 1 and 2
    When the replication of the topic to broker 3 is no longer throttled
    Then within 10 seconds the ISR of every partition is brokers 1, 2 and 3
    And the volume of broker 3 holds every record of the topic
    And the log holds exactly the acknowledged records
