Feature: Nodes that are what they should be, and what must not be said of them
  Each scenario here must fail, at its last step and nowhere else.

  Background:
    Given three brokers, all in sync

  Rule: of readiness

    Scenario: a cluster that is ready
      Then within 10 seconds readiness fails at broker 3, because of "INCONSISTENT_CLUSTER_ID"

    @slow
    Scenario: another broker than the one that is turned away
      When broker 3 is restarted on the volume of broker 2
      Then within 60 seconds readiness fails at broker 2, because of "Stored node id 2"

    @slow
    Scenario: another cause than the one that is told
      When broker 3 is restarted on the volume of broker 2
      Then within 60 seconds readiness fails at broker 3, because of "INCONSISTENT_CLUSTER_ID"

    Scenario: a cluster that a broker is missing from
      When broker 3 is restarted on the volume of broker 2
      Then within 45 seconds the cluster is ready

  Rule: of processes

    Scenario: a process that goes on
      Then within 2 seconds broker 3 exits by itself, saying "Stored node id 2"

    Scenario: a process that was ended by the suite
      When broker 3 is lost by hard kill
      Then the processes of brokers 1, 2 and 3 run

  Rule: of records

    Scenario: records that are all there
      Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      And 300 events are acknowledged
      Then the log holds none of the acknowledged records
