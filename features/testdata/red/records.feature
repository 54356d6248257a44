Feature: Recounts that must not hold
  Each scenario here must fail, at its last step and nowhere else. What a recount finds in doctored evidence is tested
  with the verdict; here the evidence is real.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And 600 events are acknowledged

  Rule: keys that moved

    Scenario: a recount does not hold
      When the topic is given 12 more partitions
      And 600 more events are acknowledged
      Then the recount holds

    Scenario: the log has the acknowledged records, in the wrong partitions
      When the topic is given 12 more partitions
      And 600 more events are acknowledged
      Then the log holds exactly the acknowledged records

    Scenario: a reader finds the acknowledged records, in the wrong partitions
      When the topic is given 12 more partitions
      And 600 more events are acknowledged
      Then reading from the beginning returns exactly the acknowledged records

    Scenario: vehicles in two partitions
      When the topic is given 12 more partitions
      And 600 more events are acknowledged
      Then the records of each vehicle are in one partition, in the order they were sent

  Rule: spread

    Scenario: records spread by their keys
      Then the records are spread evenly over the partitions, within one record

    Scenario: records in every partition
      Then the records are in exactly 1 partition

  Rule: proofs of nothing

    Scenario: no damage
      Then the recount is broken by split keys, and by nothing else

    Scenario: nothing was rejected
      Then none of the rejected records is in the log

    Scenario: nothing is indeterminate
      Then the recount says how many indeterminate records survived

    Scenario: one vehicle
      Given a topic "lonely" with 12 partitions, replication factor 3 and min.insync.replicas 2
      When 1 events are acknowledged
      Then some partition holds the records of several vehicles

    Scenario: no offsets to count up
      Given a topic "unused" with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then the offsets of every partition count up from 0 without a gap

    Scenario: no end offsets to add up
      Given a topic "unused" with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then the sum of the end offsets equals the records read

  Rule: volumes

    Scenario: a volume that holds records
      Then the volume of broker 2 holds no record of the topic

    Scenario: a volume that is lost
      When broker 1 is lost by loss of its volume
      Then the volume of broker 1 holds every record of the topic

    Scenario: a follower that has every record
      Then within 10 seconds broker 2 has fetched more records of the topic, and not all of them

  Rule: losses

    Scenario: nobody wrote while the broker was lost
      When broker 1 is lost by clean shutdown
      And broker 1 returns to every ISR
      Then the end offsets grew while broker 1 was lost, by exactly the records acknowledged meanwhile

    Scenario: no broker is lost, so no leader is new
      Then every new leader was in the ISR before

    Scenario: no broker is lost, so no leader took over
      Then every new leader is the first live in-sync replica of its partition

    Scenario: two brokers are lost, so nothing is acknowledged
      Given a producer is writing 500 events per second with acks=all
      When brokers 1 and 2 are lost by clean shutdown, one after the other
      Then within 2 seconds every partition acknowledges a new record
