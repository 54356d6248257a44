Feature: Statements of the controller quorum that are false
  Each scenario here must fail, at its last step and nowhere else: TestEveryThenCanBeRed sees to it.

  Rule: of voters that are written into the settings

    Background:
      Given three brokers, all in sync

    Scenario: fewer voters
      Then the voters are brokers 1 and 2

    Scenario: an observer that votes
      Then within 1 seconds the only observer is broker 2

    Scenario: a voter that is gone
      When broker 2 is lost by hard kill
      Then within 30 seconds broker 2 is fenced
      And within 1 seconds no voter is behind the active controller

    Scenario: an active controller that is there
      Then there is no active controller

    Scenario: a broker that tells nothing
      When broker 1 is lost by hard kill
      Then every broker tells the id that the cluster was formatted with

    Scenario: voters without directories
      Then each voter is known by its own directory and endpoint

    Scenario: fewer voters, by Kafka's own tool
      Then kafka-metadata-quorum.sh shows brokers 1 and 2 as the voters and the quorum as it is

  Rule: of a quorum that was never extended

    Background:
      Given three brokers with a dynamic quorum of one voter, all in sync

    Scenario: voters that were never added
      Then within 5 seconds the voters are brokers 1, 2 and 3

    Scenario: observers that are there
      Then no broker is an observer

    Scenario: the directory that was there before
      When broker 2 is lost by clean shutdown
      And broker 2 returns
      Then broker 2 has another directory id than before its loss

    Scenario: an addition that is granted
      When the addition of broker 2 to the voters is requested
      Then the request is refused with DUPLICATE_VOTER

    Scenario: a refusal for another cause
      When the addition of broker 1 to the voters is requested
      Then the request is refused with DUPLICATE_VOTER, saying "lagging"
