Feature: How long the loss of a broker is felt follows from its settings
  Every second that a partition has no leader is a second of events that wait in the producers. How many there are is a
  matter of settings, not of luck. A broker that shuts down cleanly gives its leaders away while it still runs; clients
  only look for the new ones. One that is killed, or stands still, is missed when broker.session.timeout.ms (9 s) has
  passed without a heartbeat, which is checked every eighth of it. If it was the active controller too, the others
  first miss that (controller.quorum.fetch.timeout.ms, 2 s) and elect another (controller.quorum.election.timeout.ms, up
  to twice 1 s), and the new one counts every session from the beginning. Then clients find the new leaders: between tries
  they wait for as long as their retry backoff (retry.backoff.max.ms, 1 s). A broker that stands still is the worst for them:
  its connections open, and a try to talk to it costs a time-out of the client, however soon the leaders have moved. How many
  tries there are is a matter of the client: this one leaves a broker alone for reconnect.backoff.max.ms (1 s) on which a
  connection has brought no answer, as Kafka's own client does.

  Each clock is printed with its budget, which is reckoned from the settings in force on the cluster. One that runs over is
  red. So is a cluster with other settings, where a scenario demands what Kafka's defaults allow.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all

  @A7 @C1 @durability
  Scenario Outline: the loss of broker 1 by <fault> is felt no longer than its settings allow
    When broker 1 is lost by <fault>
    Then every partition that broker 1 led was written again within the budget of its loss
    And no partition went without an acknowledgement for longer than the budget of the loss of broker 1
    And broker 1 left every ISR because it <cause>
    When broker 1 returns
    Then broker 1 was in every ISR again within the budget of its return
    And the recount holds
    And every clock of the loss of broker 1 stopped within its default budget

    @smoke
    Examples: the broker hands over
      | fault          | cause         |
      | clean shutdown | was shut down |

    Examples: the broker is missed
      | fault     | cause      |
      | hard kill | was fenced |

    @slow
    Examples: the broker stands still
      | fault   | cause      |
      | a pause | was fenced |
