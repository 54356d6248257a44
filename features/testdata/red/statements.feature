Feature: Statements that are false, each on a healthy cluster
  Each scenario here must fail, at its last step and nowhere else: TestEveryThenCanBeRed sees to it. A Then that has
  never been red proves nothing when it is green.

  Background:
    Given three brokers, all in sync

  Rule: of the cluster

    Scenario: leaders elsewhere
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then every partition is led by brokers 1 and 2

    Scenario: an ISR that does not shrink
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then within 1 seconds the ISR of every partition is brokers 1 and 2

    Scenario: replicas that are where they should not be
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then for 1 seconds the replicas of every partition are on brokers 1 and 2

    Scenario: a broker that leads
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then no partition is led by broker 1

    Scenario: a broker in the ISR
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then no ISR contains broker 3

    Scenario: another count of leaders
      Given a topic with 9 partitions, replication factor 3 and min.insync.replicas 2
      Then every broker leads exactly 4 partitions

    Scenario: leaders that are spread evenly
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then brokers 1, 2 and 3 lead 0, 6 and 6 partitions

    Scenario: another count of followers
      Given a topic with 12 partitions, replication factor 2 and min.insync.replicas 2
      Then every broker follows exactly 8 partitions

    Scenario: a topic that is there
      Given a topic "here" with 1 partition, replication factor 3 and min.insync.replicas 2
      Then no broker knows the topic "here"

    Scenario: a user topic
      Given a topic "here" with 1 partition, replication factor 3 and min.insync.replicas 2
      Then for 1 seconds no broker knows any user topic

    Scenario: a broker that is missed already
      When broker 1 is lost by a pause
      Then broker 1 is fenced

    Scenario: a broker that has left
      When broker 1 is lost by clean shutdown
      Then for 12 seconds broker 1 is registered

    Scenario: a controller that nobody misses
      When the active controller is lost by isolation from clients
      Then within 1 seconds of the loss of the active controller another broker is the active controller

    Scenario: partitions that have leaders
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then exactly 4 partitions are offline

    Scenario: a setting that every broker has
      Then no broker has a setting that begins with "controller.quorum."

    Scenario: a jar that every broker has
      Then no broker has a jar with "kafka-clients" in its name

    Scenario: a port on which every broker listens
      Then no broker listens on or is connected to port 9093

  Rule: of requests for topics

    Scenario: a request that is granted
      When a topic "narrow" with 1 partition, replication factor 3 and min.insync.replicas 2 is requested
      Then the request is refused with INVALID_REPLICATION_FACTOR

    Scenario: a topic with other settings
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 1
      Then the topic has 12 partitions, replication factor 3 and min.insync.replicas 2

    Scenario: an initialiser that finds the topic there
      Given a topic "here" with 1 partition, replication factor 3 and min.insync.replicas 2
      When the topic initialiser is started for a topic "here" with 1 partition, replication factor 3 and min.insync.replicas 2
      Then within 30 seconds the initialiser ends, having created the topic

    Scenario: an initialiser that creates the topic
      When the topic initialiser is started for a topic "new" with 1 partition, replication factor 3 and min.insync.replicas 2
      Then within 30 seconds the initialiser ends, having found the topic there

    Scenario: an initialiser that finds another difference
      Given a topic "here" with 6 partitions, replication factor 3 and min.insync.replicas 2
      When the topic initialiser is started for a topic "here" with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then within 30 seconds the initialiser ends, reporting that min.insync.replicas is 1 and should be 2

    Scenario: an initialiser that never had to wait
      When the topic initialiser is started for a topic "new" with 1 partition, replication factor 3 and min.insync.replicas 2
      Then the initialiser has waited for brokers

  Rule: of single writes

    Scenario: writes that are rejected
      Given a topic with 3 partitions, replication factor 3 and min.insync.replicas 3
      When broker 1 is lost by clean shutdown
      And one record is sent to every partition, without retries
      Then each of these writes is acknowledged

    Scenario: writes that are acknowledged
      Given a topic with 3 partitions, replication factor 3 and min.insync.replicas 2
      When one record is sent to every partition, without retries
      Then each of these writes is rejected with NOT_ENOUGH_REPLICAS

    Scenario: writes that are rejected for another reason
      When a client that asks for topic creation writes to a topic "unknown"
      Then the write is rejected with NOT_ENOUGH_REPLICAS

    Scenario: writes of which one is acknowledged
      Given a topic with 3 partitions, replication factor 3 and min.insync.replicas 2
      When one record is sent to every partition, without retries
      Then none of these writes is acknowledged

    Scenario: writes of which one is rejected so
      Given a topic with 3 partitions, replication factor 3 and min.insync.replicas 3
      When broker 1 is lost by clean shutdown
      And one record is sent to every partition, without retries
      Then none of these writes is rejected with NOT_ENOUGH_REPLICAS

    Scenario: more writes that are acknowledged
      Given a topic with 3 partitions, replication factor 3 and min.insync.replicas 2
      When one record is sent to every partition, without retries
      Then exactly 2 of these writes are acknowledged

    Scenario: writes to leaders that lead no more
      Given a topic "email" with the replica assignment 1:2:3 and min.insync.replicas 2
      When one record is sent to every partition by clients that name broker 2, without retries
      And broker 1 is lost by clean shutdown
      Then each of these writes went to the leader of its partition

    Scenario: clients that reach the first address that they try
      Given a topic with 3 partitions, replication factor 3 and min.insync.replicas 2
      When one record is sent to every partition by clients that name brokers 2 and 1, in this order, without retries
      Then each of these clients has first tried broker 2 in vain

    Scenario: writes with a known outcome
      Given a topic with 3 partitions, replication factor 3 and min.insync.replicas 2
      When one record is sent to every partition, without retries
      Then some of these writes are indeterminate

  Rule: of the trace

    Scenario: a trace that is not sent yet
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      When a producer starts to send the whole trace at 600 events per second with acks=all
      Then within 1 seconds the producer has sent the whole trace

    Scenario: another number of events
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      When 300 events are acknowledged
      Then all 301 events are acknowledged
