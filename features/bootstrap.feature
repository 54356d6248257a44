Feature: A client may name any one broker and finds every leader
  bootstrap.servers is where a client asks its first question, no more: any broker answers with the addresses of all
  brokers and with the leader of each partition, and the client goes there by itself. To name one broker is enough, as
  long as that one is alive when the client starts. To name them all is what makes a start independent of any of them.
  Clients do not keep to the order of the list: this one, like Kafka's own, begins anywhere in it; only the probes below go
  in order.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  Rule: one address is enough, while its broker lives

    @B8 @smoke
    Scenario Outline: clients that name broker <broker> alone write to the leader of each partition
      When one record is sent to every partition by clients that name broker <broker>, without retries
      Then each of these writes is acknowledged
      And each of these writes went to the leader of its partition
      And every broker leads exactly 4 partitions
      And the log holds exactly the acknowledged records

      Examples:
        | broker |
        | 1      |
        | 2      |
        | 3      |

    # What the client has learned it keeps: its one address is asked at the start only.
    @B8 @C4 @durability @slow
    Scenario: a producer that named broker 1 alone lives through the loss of broker 1
      Given a producer that names broker 1 is writing 300 events per second with acks=all
      When broker 1 is lost by clean shutdown
      Then within 10 seconds every partition acknowledges a new record
      When broker 1 returns to every ISR
      Then the log holds exactly the acknowledged records

  Rule: a list of all is good for a start without any one of them

    # The contrast comes first: two live brokers are of no use to a client that does not know them. What never left the
    # client counts as rejected, being certainly not in the log.
    @A14 @B9 @durability @slow
    Scenario: broker 1 is down, and a start fails that names it alone and succeeds that names all
      When broker 1 is lost by clean shutdown
      Then within 5 seconds of the exit of broker 1 every partition is led by brokers 2 and 3
      When 1,000 events are acknowledged
      And one record is sent to every partition by clients that name broker 1, without retries
      Then none of these writes is acknowledged
      And each of these clients has first tried broker 1 in vain
      When one record is sent to every partition by clients that name brokers 1, 2 and 3, in this order, without retries
      Then each of these writes is acknowledged
      And each of these clients has first tried broker 1 in vain
      And each of these writes went to the leader of its partition
      When the lost broker returns to every ISR
      Then none of the rejected records is in the log
      And the recount holds

    @A14 @slow
    Scenario: a producer that knows all three brokers starts although the first one is down
      Given broker 1 is lost by hard kill
      When a producer is writing 500 events per second with acks=all
      And broker 1 returns to every ISR
      Then the log holds exactly the acknowledged records

  Rule: records without a key go round robin only where the producer is set so

    # 1,201 is not a multiple of 12: one partition has one more than the others.
    @B9
    Scenario: with the round robin partitioner every partition gets as many records, within one
      When 1,201 events without a key are acknowledged, with the round robin partitioner
      Then the records are spread evenly over the partitions, within one record
      And the log holds exactly the acknowledged records

    # Kafka's own client is sticky unless partitioner.class says otherwise (KIP-480, KIP-794): it stays with a partition for
    # batch.size (16,384 bytes) of records, and then goes on to another. Here are less than that. This client does the same.
    @B9
    Scenario: with the sticky partitioner, which is the default, a few records are all in one partition
      When 40 events without a key are acknowledged, with the sticky partitioner
      Then the records are in exactly 1 partition
      And the log holds exactly the acknowledged records

  Rule: who starts at the earliest offset gets everything, who starts at the latest does not

    @B9 @durability
    Scenario: a group that starts at the earliest offset processes what was there before it
      Given 1,200 events are acknowledged
      And a consumer group "mail" starts at the earliest offset
      When a consumer joins group "mail"
      Then within 30 seconds every group has committed every record of the topic
      And group "mail" has processed every acknowledged event exactly once
      And reading from the beginning returns exactly the acknowledged records

    # auto.offset.reset=latest is the default of Kafka's own consumer.
    @B9
    Scenario: a group that starts at the latest offset never sees what was there before it
      Given 1,200 events are acknowledged
      And a consumer group "late" starts at the latest offset
      When a consumer joins group "late"
      And a producer is writing 300 events per second with acks=all
      Then within 20 seconds every group commits new offsets
      And group "late" has processed only records that were written after it started
      And the log holds exactly the acknowledged records
