Feature: Consumer groups carry on where they had committed
  A consumer group remembers how far it has come in committed offsets, which are records too: of the internal topic
  __consumer_offsets. The leader of the partition with a group's offsets is the group's coordinator, so that every
  broker coordinates some groups, and each loss of a broker hits some. The offsets outlive it only if that topic has
  replicas enough: offsets.topic.replication.factor is 3 here, and 1 in some images. It counts when Kafka makes the topic,
  and never again. The topic has 6 partitions here instead of 50 (offsets.topic.num.partitions), so that six groups use
  all of them. The coordinator moves as any leader does: at once after a clean shutdown, after broker.session.timeout.ms
  (9 seconds by default) after a hard kill. The consumers' own session.timeout.ms (45 seconds) is longer, so that they
  stay members meanwhile, keep their partitions, and need not be started again.

  What a group makes of that is its own choice. One that commits a batch after it has processed it sees some records
  twice when a consumer dies; one that commits first loses them. Each record that a consumer processes is written down
  here before anything is committed, and held against what was acknowledged to the producers.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  Rule: without failures each record is processed once

    # A second consumer takes half of the partitions from the first one under load. Assignment is cooperative-sticky,
    # heartbeats go every second, and a consumer hands a partition over only when what it has of it is committed.
    @C6 @durability
    Scenario: a second consumer joins each group while a producer writes
      Given 6 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      And a producer is writing 1,000 events per second with acks=all
      When another consumer joins every group
      And 2,000 more events are acknowledged
      Then the internal topic "__consumer_offsets" has replication factor 3 and min.insync.replicas 2
      And every partition of __consumer_offsets has the offsets of a group
      And every broker coordinates exactly 2 groups
      And within 20 seconds every group has committed every record of the topic
      And every group has processed every acknowledged event exactly once

  Rule: the loss of a broker costs time, no record

    @C4 @C6 @durability @slow
    Scenario: the consumers of six groups live through a hard kill
      Given 6 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      And a producer is writing 500 events per second with acks=all
      When broker 1 is lost by hard kill
      And within 20 seconds every group commits new offsets
      And broker 1 returns
      Then within 15 seconds of the exit of broker 1 every group is coordinated by brokers 2 and 3
      And every group has kept its consumers through the loss
      And within 20 seconds every group has committed every record of the topic
      And every group has processed every acknowledged event at least once
      And the recount holds

    # Nobody reads while the broker is lost, so that the offsets cannot have been committed anew: the new consumers begin
    # where the former ones had stopped, or they would process something twice.
    @C6 @durability
    Scenario: the committed offsets outlive the coordinator
      Given 6 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      And 2,000 events are acknowledged
      And within 20 seconds every group has committed every record of the topic
      And the consumers of every group leave
      When the coordinator of group "1" is lost by clean shutdown
      And within 10 seconds every group has all offsets that it committed
      And another consumer joins every group
      And 1,000 more events are acknowledged
      Then every group has processed every acknowledged event exactly once

  Rule: a consumer that dies has its batch processed again, or loses it

    # Nothing tells the group of the death: the successor waits until session.timeout.ms has passed, 6 seconds here, the
    # least that brokers grant (group.min.session.timeout.ms).
    @C6 @durability
    Scenario: a consumer dies between processing and committing, and its batch is processed again
      Given a consumer group "billing" commits after processing, with a session timeout of 6 seconds
      And 1,000 events are acknowledged
      When a consumer of group "billing" dies with its 500th record processed but not committed
      And another consumer joins group "billing"
      Then group "billing" has processed every acknowledged event at least once
      And group "billing" has processed again exactly what its dead consumer had not committed

    # The contrast: the same death, and nobody will ever process what was committed too early.
    @C6 @durability
    Scenario: a consumer dies between committing and processing, and its batch is lost
      Given a consumer group "billing" commits before processing, with a session timeout of 6 seconds
      And 1,000 events are acknowledged
      When a consumer of group "billing" dies with its 500th record committed but not processed
      And another consumer joins group "billing"
      Then group "billing" has lost exactly what its dead consumer had committed without processing it
