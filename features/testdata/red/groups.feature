Feature: Statements about consumer groups that are false
  Each scenario here must fail, at its last step and nowhere else.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  Rule: of coordinators and committed offsets

    Scenario: another count of groups
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      Then every broker coordinates exactly 1 groups

    Scenario: partitions of the internal topic without a group
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      Then every partition of __consumer_offsets has the offsets of a group

    Scenario: an internal topic with another min.insync.replicas
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      Then the internal topic "__consumer_offsets" has replication factor 3 and min.insync.replicas 3

    Scenario: coordinators on every broker
      Given 3 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      Then every group is coordinated by brokers 1 and 2

    Scenario: consumers that are at work
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      And a producer is writing 300 events per second with acks=all
      Then within 4 seconds no group processes a record for 3 seconds

    Scenario: nothing new to commit
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      Then within 1 seconds every group commits new offsets

    Scenario: nothing committed that could survive
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      Then within 1 seconds every group has all offsets that it committed

    Scenario: a group without a consumer does not come to the end
      Given a consumer group "idle" commits after processing, with a session timeout of 6 seconds
      And 60 events are acknowledged
      Then within 1 seconds every group has committed every record of the topic

    Scenario: no broker is lost, so nobody has lived through it
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      Then every group has kept its consumers through the loss

  Rule: of deliveries

    Scenario: nothing was there to process
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      Then every group has processed every acknowledged event at least once

    Scenario: nothing was there to process once
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      Then every group has processed every acknowledged event exactly once

    Scenario: a batch that was lost
      Given a consumer group "hasty" commits before processing, with a session timeout of 6 seconds
      And 300 events are acknowledged
      When a consumer of group "hasty" dies with its 200th record committed but not processed
      And another consumer joins group "hasty"
      Then group "hasty" has processed every acknowledged event at least once

    Scenario: a batch that was processed twice
      Given a consumer group "careful" commits after processing, with a session timeout of 6 seconds
      And 300 events are acknowledged
      When a consumer of group "careful" dies with its 200th record processed but not committed
      And another consumer joins group "careful"
      Then group "careful" has processed every acknowledged event exactly once

    Scenario: nobody died before committing
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      And 300 events are acknowledged
      Then group "1" has processed again exactly what its dead consumer had not committed

    Scenario: nobody died before processing
      Given 1 consumer groups read the topic, each with its offsets in another partition of __consumer_offsets
      And 300 events are acknowledged
      Then group "1" has lost exactly what its dead consumer had committed without processing it
