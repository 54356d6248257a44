Feature: Topics come from a decision, not from a typing error
  A producer with a mistyped topic name must not create a topic with one partition and one replica and write happily
  into it. With auto.create.topics.enable=false a topic exists only after somebody asked for it, with the partitions
  and replicas that were asked for. A topic initialiser, run before each deployment, is how teams ask.

  Background:
    Given three brokers, all in sync

  @A1 @smoke
  Scenario: a new cluster holds no user topic
    Given a new cluster of three brokers on empty volumes
    Then for 2 seconds no broker knows any user topic

  Rule: nothing but a request creates a topic

    # Only a client that asks for the creation of unknown topics proves something: most clients do not ask.
    @A2 @smoke
    Scenario: a write to a mistyped topic is refused and creates nothing
      Given a topic "vehicle-telemetry-v1" with 12 partitions, replication factor 3 and min.insync.replicas 2
      When a client that asks for topic creation writes to a topic "vehicle-telemtry-v1"
      Then the write is rejected with UNKNOWN_TOPIC_OR_PARTITION
      And for 2 seconds no broker knows the topic "vehicle-telemtry-v1"

  Rule: the topic initialiser can be run at any time, any number of times

    @A3 @smoke
    Scenario: the initialiser creates the topic and ends
      When the topic initialiser is started for a topic "vehicle-telemetry-v1" with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then within 30 seconds the initialiser ends, having created the topic
      And within 5 seconds the ISR of every partition is brokers 1, 2 and 3
      And the topic has 12 partitions, replication factor 3 and min.insync.replicas 2

    @A3
    Scenario: the initialiser is run again and changes nothing
      Given a topic "vehicle-telemetry-v1" with 12 partitions, replication factor 3 and min.insync.replicas 2
      When the topic initialiser is started for a topic "vehicle-telemetry-v1" with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then within 30 seconds the initialiser ends, having found the topic there
      And the topic has 12 partitions, replication factor 3 and min.insync.replicas 2

    @A3
    Scenario: an existing topic with other settings is reported, not accepted
      Given a topic "vehicle-telemetry-v1" with 6 partitions, replication factor 3 and min.insync.replicas 1
      When the topic initialiser is started for a topic "vehicle-telemetry-v1" with 12 partitions, replication factor 3 and min.insync.replicas 2
      Then within 30 seconds the initialiser ends, reporting that partitions is 6 and should be 12
      And within 30 seconds the initialiser ends, reporting that min.insync.replicas is 1 and should be 2
      And the topic has 6 partitions, replication factor 3 and min.insync.replicas 1

    @A3
    Scenario: the initialiser waits for the brokers
      Given brokers 1, 2 and 3 are lost by hard kill at once
      When the topic initialiser is started for a topic "vehicle-telemetry-v1" with 12 partitions, replication factor 3 and min.insync.replicas 2
      And the lost brokers return
      Then within 60 seconds the initialiser ends, having created the topic
      And the initialiser has waited for brokers
