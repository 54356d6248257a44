Feature: A topic of one partition fails over to the next replica in its list, and back to full strength by itself
  The topic of the cluster-building guide: email.send, one partition, three replicas. Its leader is stopped. What happens
  then is decided by the order of the replicas: the controller takes the first one that is live and in sync. Here the
  order is given, 1:2:3, so that the numbers are the guide's. A topic that is made without an assignment has an order of
  the controller's choosing, and another broker may lead it.

  Background:
    Given three brokers, all in sync
    And a topic "email.send" with the replica assignment 1:2:3 and min.insync.replicas 2
    And 1,000 events are acknowledged

  # Nobody has to do anything for the restarted broker but to start it. Leadership stays where it went.
  @B5 @B6 @B7 @durability @leadership
  Scenario: the leader is stopped, broker 2 leads with ISR 2 and 3, and the restarted broker is in sync by itself
    When broker 1 is lost by clean shutdown
    Then within 5 seconds of the exit of broker 1 every partition is led by broker 2
    And within 5 seconds of the exit of broker 1 the ISR of every partition is brokers 2 and 3
    When 500 more events are acknowledged
    Then reading from the beginning returns exactly the acknowledged records
    When broker 1 returns
    Then within 10 seconds of the registration of broker 1 the ISR of every partition is brokers 1, 2 and 3
    And every partition is led by broker 2
    And the log holds exactly the acknowledged records
    And the volume of broker 1 holds every record of the topic

  # A killed broker hands nothing over: it is missed after broker.session.timeout.ms (9 seconds).
  @B5 @B6 @B7 @durability @leadership @slow
  Scenario: the leader is killed, and broker 2 leads after the session timeout
    When broker 1 is lost by hard kill
    Then within 15 seconds of the exit of broker 1 every partition is led by broker 2
    And within 15 seconds of the exit of broker 1 the ISR of every partition is brokers 2 and 3
    When 500 more events are acknowledged
    Then reading from the beginning returns exactly the acknowledged records
    When broker 1 returns
    Then within 10 seconds of the registration of broker 1 the ISR of every partition is brokers 1, 2 and 3
    And every partition is led by broker 2
    And the log holds exactly the acknowledged records
    And the volume of broker 1 holds every record of the topic
