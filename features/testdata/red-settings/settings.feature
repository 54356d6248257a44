Feature: Guarantees that hold no more under other broker settings
  Each scenario here is one of the suite's own, and must fail at its last step under the settings beside this file.

  Background:
    Given three brokers, all in sync

  # auto.create.topics.enable=true
  Scenario: a mistyped topic comes to be
    When a client that asks for topic creation writes to a topic "vehicle-telemtry-v1"
    Then for 2 seconds no broker knows the topic "vehicle-telemtry-v1"

  # controlled.shutdown.enable=false: a clean shutdown hands nothing over, the broker is missed like a killed one
  Scenario: leaders do not move within five seconds of a clean shutdown
    Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    When broker 1 is lost by clean shutdown
    Then within 5 seconds of the exit of broker 1 every partition is led by brokers 2 and 3

  # auto.leader.rebalance.enable=true, leader.imbalance.check.interval.seconds=1
  Scenario: leadership comes back by itself
    Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And broker 1 is lost by clean shutdown
    When broker 1 returns to every ISR
    Then for 5 seconds no partition is led by broker 1

  # broker.session.timeout.ms=25000
  Scenario: a killed broker is missed only after twenty-five seconds
    Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    When broker 1 is lost by hard kill
    Then within 15 seconds of the exit of broker 1 the ISR of every partition is brokers 2 and 3

  Rule: of the time that Kafka's defaults allow

    # broker.session.timeout.ms=25000
    Scenario: a killed broker holds producers up for longer
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      And a producer is writing 500 events per second with acks=all
      When broker 1 is lost by hard kill
      Then no partition went without an acknowledgement for longer than the default budget of the loss of broker 1

    # broker.session.timeout.ms=25000
    Scenario: a paused broker is fenced later
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      And a producer is writing 500 events per second with acks=all
      When broker 1 is lost by a pause
      Then broker 1 was fenced within the default budget of its loss

    # controlled.shutdown.enable=false
    Scenario: a clean shutdown takes as long as a kill
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      When broker 1 is lost by clean shutdown
      Then every partition that broker 1 led had a new leader within the default budget of its loss

    # replica.lag.time.max.ms=5000: leaders miss the follower long before the controller misses the broker
    Scenario: a paused broker leaves some ISRs because it lags
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      And a producer is writing 500 events per second with acks=all
      When broker 1 is lost by a pause
      Then broker 1 left every ISR because it was fenced
