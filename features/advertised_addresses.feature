Feature: A broker is where it says it is
  Clients connect to a bootstrap server once, and then to the addresses that the brokers advertise (advertised.listeners).
  Kafka checks none of them: a broker that advertises the address of another, or one at which nobody answers, is registered
  all the same, and never counts as ready: the suite first has to find every broker where the brokers say that it is.

  Background:
    Given three brokers, all in sync

  @B12 @slow
  Scenario: two brokers with the same address are no two brokers for clients
    When broker 3 is restarted and tells clients the address of broker 2
    Then within 60 seconds readiness fails at broker 3, because of "as broker 2 does"
    And brokers 1, 2 and 3 are registered

  @B12 @slow
  Scenario: a broker with an address where nobody answers is no broker for clients
    When broker 3 is restarted and tells clients an address where nobody answers
    Then within 60 seconds readiness fails at broker 3, because of "where nobody answers"
    And brokers 1, 2 and 3 are registered

  @B12 @slow
  Scenario: two brokers with the same address are no two brokers for each other
    When broker 3 is restarted and tells the other brokers the address of broker 2
    Then within 60 seconds readiness fails at broker 3, because of "where broker 2 is"
    And brokers 1, 2 and 3 are registered
