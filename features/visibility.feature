Feature: Below min.insync.replicas nothing new can be read
  A consumer sees a record when the high watermark has passed it. While fewer replicas than min.insync.replicas are in
  the ISR the high watermark stands still (since Kafka 4.0, with strict min ISR of KIP-966): records that a leader takes
  with acks=1 are acknowledged and cannot be read. They come into sight when the ISR is large enough again. Whoever
  watches a consumer only takes that for a broken producer.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  # The producer begins when both are lost: what a leader takes with acks=1 while it hands over may die with it.
  @A9 @durability @slow
  Scenario: records that are acknowledged with acks=1 are out of sight until the ISR returns
    Given a consumer group "readers" commits after processing, with a session timeout of 45 seconds
    And a consumer joins group "readers"
    And 1,000 events are acknowledged
    And brokers 1 and 2 are lost by clean shutdown, one after the other
    When a producer is writing 500 events per second with acks=1
    Then within 20 seconds no group processes a record for 3 seconds
    When the lost brokers return to every ISR
    Then within 30 seconds every group has committed every record of the topic
    And group "readers" has processed every acknowledged event at least once
    And the recount holds
