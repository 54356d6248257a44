Feature: Guarantees that hold no more under other broker settings
  Each scenario here is one of the suite's own, and must fail at its last step under the settings beside this file. Those
  tagged @slow fail where one without the tag fails too, after a loss of another kind; "make proof" runs them.

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
  @slow
  Scenario: leadership comes back by itself
    Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And broker 1 is lost by clean shutdown
    When broker 1 returns to every ISR
    Then for 5 seconds no partition is led by broker 1

  # broker.session.timeout.ms=33000
  @slow
  Scenario: a killed broker is missed only after half a minute
    Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    When broker 1 is lost by hard kill
    Then within 15 seconds of the exit of broker 1 the ISR of every partition is brokers 2 and 3

  # The lines under a scenario's name are what its failure must say: which budgets are broken, and by which setting.
  Rule: of the time that Kafka's defaults allow

    Scenario: a clean shutdown takes as long as a kill, for every clock
      wanted: new leaders acknowledge in all that it led, from the loss within
      wanted: longest time without an acknowledgement within
      wanted: new leaders for all that it led, from the loss within
      wanted: out of every ISR, from the loss within
      wanted: fenced, from the loss within
      in force: broker.session.timeout.ms is 33.0 s (default 9.0 s), controlled.shutdown.enable is false (default true)
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      And a producer is writing 500 events per second with acks=all
      When broker 1 is lost by clean shutdown
      Then every clock of the loss of broker 1 stopped within its default budget

    @slow
    Scenario Outline: the loss of broker 1 by <fault> takes longer, for every clock
      wanted: new leaders acknowledge in all that it led, from the loss within
      wanted: longest time without an acknowledgement within
      wanted: new leaders for all that it led, from the loss within
      wanted: out of every ISR, from the loss within
      wanted: fenced, from the loss within
      in force: broker.session.timeout.ms is 33.0 s (default 9.0 s), which allows
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      And a producer is writing 500 events per second with acks=all
      When broker 1 is lost by <fault>
      Then every clock of the loss of broker 1 stopped within its default budget

      Examples:
        | fault     |
        | hard kill |
        | a pause   |

    Scenario: a paused broker is fenced later
      wanted: fenced, from the loss within
      in force: broker.session.timeout.ms is 33.0 s (default 9.0 s), which allows
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      When broker 1 is lost by a pause
      Then broker 1 was fenced within the default budget of its loss

    Scenario: a paused broker's partitions get new leaders later
      wanted: new leaders for all that it led, from the loss within
      in force: broker.session.timeout.ms is 33.0 s (default 9.0 s), which allows
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      When broker 1 is lost by a pause
      Then every partition that broker 1 led had a new leader within the default budget of its loss

    # leaders miss the follower long before the controller misses the broker
    Scenario: a paused broker leaves some ISRs because it lags
      because it lagged
      replica.lag.time.max.ms is 5.0 s (default 30.0 s)
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      And a producer is writing 500 events per second with acks=all
      When broker 1 is lost by a pause
      Then broker 1 left every ISR because it was fenced
