Feature: Three live processes are not three brokers
  A node belongs to a cluster by three things: the cluster id and the node id that its volume was formatted with, and the
  voters in its configuration. With a wrong one its process may live on for a minute, so that whoever counts processes, or
  containers, counts three brokers. Kafka says which node is wrong, in the node's own log or by its exit, and the suite waits
  up to a minute for it; a new cluster has half a minute more.

  A refused broker retries for initial.broker.registration.timeout.ms (60 seconds) and then ends by itself, with a fatal
  error that names no cause ("while waiting for the controller to acknowledge that we are caught up"). The cause stands a
  minute further up in its log, at level INFO.

  Rule: a volume belongs to one node of one cluster

    @B12 @slow
    Scenario: a node formatted for another cluster is turned away, and the others go on without it
      Given three brokers, all in sync
      And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      And a producer is writing 300 events per second with acks=all
      When broker 3 is restarted on a volume of another cluster
      Then within 60 seconds readiness fails at broker 3, because of "INCONSISTENT_CLUSTER_ID"
      And the processes of brokers 1, 2 and 3 run
      And the ISR of every partition is brokers 1 and 2
      When broker 3 returns to every ISR
      Then the log holds exactly the acknowledged records

    @B12
    Scenario: a node on the volume of another one ends at once, and says so
      Given three brokers, all in sync
      And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
      And a producer is writing 300 events per second with acks=all
      When broker 3 is restarted on the volume of broker 2
      Then within 60 seconds readiness fails at broker 3, because of "Stored node id 2 doesn't match previous node id 3"
      When broker 3 returns to every ISR
      Then the log holds exactly the acknowledged records

    @B12 @slow
    Scenario: a node that was turned away ends by itself after a minute
      Given three brokers, all in sync
      When broker 3 is restarted on a volume of another cluster
      Then within 150 seconds broker 3 exits by itself, saying "Received a fatal error while waiting for the controller to acknowledge that we are caught up"

  Rule: a node id is used once

    # As a broker the second one is refused. As a controller it is not: static voters are known by their ids alone
    # (kraft.version 0), so that the active controller takes both for the same follower and only wonders at offsets that
    # fall ("Detected non-monotonic update of fetch offset"). Hence controllers apart here.
    @B12 @slow
    Scenario: a second broker of the same id is turned away
      Given three brokers with one separate controller, all in sync
      When broker 3 is restarted under the node id of broker 2
      Then within 60 seconds readiness fails at broker 3, because of "DUPLICATE_BROKER_REGISTRATION"
      And brokers 1 and 2 are registered
      And the processes of brokers 1, 2 and 3 run

    # One that takes itself for the active controller hears of an epoch in which it leads and does not know of.
    @B12 @slow
    Scenario: a second node with the id of the active controller ends at once
      Given three brokers, all in sync
      When another broker is restarted under the node id of the active controller
      Then within 60 seconds readiness fails at the lost broker, because of "which is inconsistent with current leader"
      And the other brokers are registered

  Rule: the voters are all of the controllers

    @B12 @slow
    Scenario: a controller that its own configuration does not count as a voter ends at once
      Given three brokers, all in sync
      When broker 3 is restarted with brokers 1 and 2 as the only voters
      Then within 60 seconds readiness fails at broker 3, because of "the node id 3 must be included in the set of voters"

    # Nobody misses the third voter until one of the two is lost: three brokers are registered.
    @B12 @slow
    Scenario: a quorum of two serves three brokers, and is not what was asked for
      Given three brokers, all in sync
      And a new cluster of three brokers on empty volumes, with brokers 1 and 2 as the only voters
      Then within 90 seconds readiness fails at broker 3, because of "is no voter: the quorum has voters [1 2], want [1 2 3]"
      And within 60 seconds brokers 1, 2 and 3 are registered
