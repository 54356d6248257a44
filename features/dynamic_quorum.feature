Feature: A dynamic quorum outlives its first controller only once others were added to it
  A cluster of Kafka 4 that is built by hand begins with one controller (kafka-storage format --initial-controllers). The
  others join it (--no-initial-controllers, controller.quorum.bootstrap.servers) and follow as observers: they are brokers
  like any other, lead partitions and are in every ISR, and have no say in the quorum until each was added to the voters
  (kafka-metadata-quorum.sh add-controller). Nothing that counts brokers, leaders or ISRs shows that this was forgotten.
  The loss of the first controller does: nobody is left who could give a partition another leader or take a broker out of
  an ISR, however long ago broker.session.timeout.ms (9 seconds) has passed. An operator who forgot it sees three healthy
  brokers, and loses all writes with broker 1.

  A voter is a node and the directory of its metadata log. With a new disk it is another replica, an observer: the old
  voter has to be removed by its old directory id first. controller.quorum.auto.join.enable is off, as by default.

  @B3 @B4 @durability
  Scenario: brokers 2 and 3 are added to the voters under load, and no record is lost
    Given three brokers with a dynamic quorum of one voter, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all
    When broker 2 is added to the voters
    And broker 3 is added to the voters
    Then within 10 seconds the voters are brokers 1, 2 and 3
    And no broker is an observer
    And every broker tells the id that the cluster was formatted with
    And within 30 seconds no voter is behind the active controller
    And each voter is known by its own directory and endpoint
    And the log holds exactly the acknowledged records

  @B3 @B4 @durability @slow
  Scenario: brokers 2 and 3 are added to the voters with Kafka's own tool under load, and no record is lost
    Given three brokers with a dynamic quorum of one voter, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all
    When broker 2 is added to the voters by kafka-metadata-quorum.sh
    And broker 3 is added to the voters by kafka-metadata-quorum.sh
    Then kafka-metadata-quorum.sh shows brokers 1, 2 and 3 as the voters and the quorum as it is
    And the log holds exactly the acknowledged records

  # What leader counts miss: they are the same before and after, and nothing is acknowledged any more.
  @B3 @B10 @durability @slow
  Scenario: a quorum that was never extended dies with its first node
    Given three brokers with a dynamic quorum of one voter, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all
    Then brokers 1, 2 and 3 are registered
    And every broker leads exactly 4 partitions
    When broker 1 is lost by hard kill
    Then for 15 seconds there is no active controller
    And the ISR of every partition is brokers 1, 2 and 3
    And every broker leads exactly 4 partitions
    When one record is sent to every partition, without retries
    And broker 1 returns to every ISR
    Then none of these writes is acknowledged
    And the recount holds

  @B3 @B10 @C1 @durability @slow
  Scenario: broker 1 is killed with three voters, and the others elect a controller and new leaders
    Given three brokers with a dynamic quorum of three voters, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all
    When broker 1 is lost by hard kill
    Then within 25 seconds of the exit of broker 1 every partition is led by brokers 2 and 3
    And within 10 seconds every partition acknowledges a new record
    When broker 1 returns to every ISR
    Then the voters are brokers 1, 2 and 3
    And the log holds exactly the acknowledged records

  # Two of these answers mislead (seen on Kafka 4.3.1). A directory that no node has is told as a time-out, since Kafka
  # cannot tell a replica that never fetched from one that lags; it is final all the same. And the only voter is told not to
  # be "part of the set of voters" when it is the one that may not be removed.
  @B3 @slow
  Scenario Outline: <what>, is refused with <error>
    Given three brokers with a dynamic quorum of one voter, all in sync
    When <request>
    Then the request is refused with <error>
    And for 2 seconds the only voter is broker 1

    Examples:
      | what                               | request                                                                                                | error                               |
      | adding a voter again               | the addition of broker 1 to the voters is requested                                                    | DUPLICATE_VOTER                     |
      | adding a voter of another cluster  | the addition of broker 2 to the voters is requested, with the id of another cluster                    | INCONSISTENT_CLUSTER_ID             |
      | removing an observer               | the removal of broker 2 from the voters is requested                                                   | VOTER_NOT_FOUND                     |
      | removing a directory that is gone  | the removal of broker 1 from the voters is requested, with a directory id that it does not have        | VOTER_NOT_FOUND                     |
      | removing the only voter            | the removal of broker 1 from the voters is requested                                                   | VOTER_NOT_FOUND                     |
      | removing from another cluster      | the removal of broker 1 from the voters is requested, with the id of another cluster                   | INCONSISTENT_CLUSTER_ID             |
      | adding a directory that is unknown | the addition of broker 2 to the voters is requested, with a directory id that it does not have         | REQUEST_TIMED_OUT, saying "lagging" |

  @B3
  Scenario: voters that are written into the settings cannot be added to
    Given three brokers, all in sync
    When the addition of broker 2 to the voters is requested
    Then the request is refused with UNSUPPORTED_VERSION

  @B3 @durability @slow
  Scenario: the active controller is removed under load and put back, and another controller takes over meanwhile
    Given three brokers with a dynamic quorum of three voters, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all
    When the active controller is removed from the voters
    Then within 20 seconds another broker is the active controller
    And within 10 seconds the only observer is the removed voter
    When the removed voter is added to the voters
    Then within 10 seconds the voters are brokers 1, 2 and 3
    And no broker is an observer
    And the log holds exactly the acknowledged records

  @A4 @B3 @durability @slow
  Scenario: a controller that has lost its disk is replaced
    Given three brokers with a dynamic quorum of three voters, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all
    When broker 2 is lost by loss of its volume
    And broker 2 returns to every ISR
    Then broker 2 has another directory id than before its loss
    And within 10 seconds the only observer is broker 2
    When the addition of broker 2 to the voters is requested
    Then the request is refused with DUPLICATE_VOTER
    When broker 2 is removed from the voters
    And broker 2 is added to the voters
    Then within 10 seconds the voters are brokers 1, 2 and 3
    And each voter is known by its own directory and endpoint
    And within 30 seconds no voter is behind the active controller
    And the log holds exactly the acknowledged records

  # Static voters are written down in every node's settings; here a voter tells the quorum where it is when it is back
  # (UpdateRaftVoter, KIP-853), so that nobody else has to be corrected.
  @B3 @B11 @durability @slow
  Scenario: a voter that has moved is known by its new address, and is removed and added there
    Given three brokers with a dynamic quorum of three voters, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 300 events per second with acks=all
    When broker 2 comes back under a new address, with its old configuration
    Then within 60 seconds readiness fails at broker 2, because of "Unresolved address"
    When the configuration of broker 2 is corrected
    Then within 60 seconds the cluster is ready
    And each voter is known by its own directory and endpoint
    When broker 2 is removed from the voters
    And broker 2 is added to the voters
    Then within 10 seconds the voters are brokers 1, 2 and 3
    And each voter is known by its own directory and endpoint
    And the log holds exactly the acknowledged records
