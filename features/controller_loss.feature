Feature: The active controller is lost, another one takes over, and no acknowledged record is lost
  The active controller decides who leads. While there is none nothing can be decided: no new leader, no change of an ISR.
  The other controllers miss it within controller.quorum.fetch.timeout.ms (2 seconds) and elect another
  (controller.quorum.election.timeout.ms, 1 second, and once more for each round without a winner). Here brokers are
  controllers too, so the partitions that the same process led wait for the session timeout (broker.session.timeout.ms,
  9 seconds) as after the loss of any broker.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And a producer is writing 500 events per second with acks=all

  @C1 @C4 @durability
  Scenario: the active controller is killed, and another decides
    When the active controller is lost by hard kill
    Then within 25 seconds of the loss of the active controller every partition is led by the other brokers
    And within 10 seconds every partition acknowledges a new record
    When the lost broker returns to every ISR
    Then the log holds exactly the acknowledged records

  # What brokers forward for clients, as the question who the controller is, may wait at the dead one for longer than the
  # election takes: socket.connection.setup.timeout.ms (10 seconds) or controller.socket.timeout.ms (30 seconds).
  @C1 @slow
  Scenario: the active controller is killed, and clients learn who is the next
    When the active controller is lost by hard kill
    Then within 45 seconds of the loss of the active controller another broker is the active controller
    When the lost broker returns to every ISR
    Then the log holds exactly the acknowledged records

  # The others elect one, and it decides: the leaders move. An active controller that hears no majority resigns. What brokers
  # forward for clients may wait at the silent one meanwhile.
  @C1 @durability @slow
  Scenario: the active controller is cut off from its peers, and the others decide without it
    When the active controller is lost by isolation from its peers
    Then within 25 seconds of the loss of the active controller every partition is led by the other brokers
    And within 90 seconds every partition acknowledges a new record
    When the lost broker returns to every ISR
    Then the log holds exactly the acknowledged records
