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

  # broker.session.timeout.ms=20000
  Scenario: a killed broker is missed only after twenty seconds
    Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    When broker 1 is lost by hard kill
    Then within 15 seconds of the exit of broker 1 the ISR of every partition is brokers 2 and 3
