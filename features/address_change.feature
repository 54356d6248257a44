Feature: A new address costs no data
  The address of a machine changes: a cloud instance was stopped and started, a container was made anew. A node whose
  configuration has addresses written down (listeners, advertised.listeners, controller.quorum.voters) does not come back
  then. Nodes know each other by name here; a new address is a new name. Nothing is wrong with the node's data, and nothing
  is gained by wiping it: correcting the configuration is enough. A name that follows the machine needs no correction.

  The contrasts show what wiping costs. One wiped broker copies everything from the others; with all of them wiped there is
  nobody left to copy from.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  @B11 @slow
  Scenario: a node at a new address is stuck until its configuration is corrected, and then is in every ISR again
    Given a producer is writing 300 events per second with acks=all
    When broker 3 comes back under a new address, with its old configuration
    Then within 60 seconds readiness fails at broker 3, because of "failed to bind to controller-3:9094: Unresolved address"
    And the ISR of every partition is brokers 1 and 2
    When the configuration of broker 3 is corrected
    Then within 45 seconds of the registration of broker 3 the ISR of every partition is brokers 1, 2 and 3
    And within 30 seconds the cluster is ready
    And the log holds exactly the acknowledged records

  # The broker is in every ISR although the others still name its old address among the voters: it asks them, and tells where
  # it is when it registers. What they have written down is corrected all the same, before they have to ask it.
  @B11 @slow
  Scenario: the configurations of the others are corrected afterwards, under load, and no record is lost
    Given a producer is writing 300 events per second with acks=all
    When broker 3 comes back under a new address, with its old configuration
    And the configuration of broker 3 is corrected
    And the configurations of the other brokers are corrected, one broker after the other
    Then within 30 seconds the cluster is ready
    And the log holds exactly the acknowledged records

  @B11 @slow
  Scenario: a new address behind the old name needs no correction
    Given a producer is writing 300 events per second with acks=all
    When broker 3 comes back under a new address behind its old name
    Then within 30 seconds the cluster is ready
    And within 45 seconds the ISR of every partition is brokers 1, 2 and 3
    When broker 3 returns to every ISR
    Then the log holds exactly the acknowledged records

  # The contrasts.
  @B11 @slow
  Scenario: one wiped broker is filled again from the others
    Given a producer is writing 300 events per second with acks=all
    When broker 3 is lost by loss of its volume
    And broker 3 returns to every ISR
    Then the log holds exactly the acknowledged records
    And the volume of broker 3 holds every record of the topic

  @B11 @durability @slow
  Scenario: with all brokers wiped every record is lost, and the topic with them
    Given 3,000 events are acknowledged
    When brokers 1, 2 and 3 are lost by loss of their volumes at once
    And the lost brokers return
    Then no broker knows the topic "vehicle-telemetry-v1"
    When a topic is created with 12 partitions, replication factor 3 and min.insync.replicas 2
    Then the log holds none of the acknowledged records
