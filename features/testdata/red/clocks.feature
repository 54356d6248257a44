Feature: Statements about the time of losses that are false
  Each scenario here must fail, at its last step and nowhere else. Budgets that are broken by settings are in red-settings.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  Rule: without a loss there is nothing to time

    Scenario: no loss that partitions could have waited for
      Given a producer is writing 500 events per second with acks=all
      Then no partition went without an acknowledgement for longer than the budget of the loss of broker 1

    Scenario: no loss after which to write again
      Given a producer is writing 500 events per second with acks=all
      Then every partition that broker 1 led was written again within the budget of its loss

    Scenario: no loss that ISRs could show
      Then broker 1 was out of every ISR within the budget of its loss

  Rule: a loss that clients did not feel, one that is not over, and one that nobody can act upon

    @slow
    Scenario: nobody wrote
      When broker 1 is lost by clean shutdown
      Then every clock of the loss of broker 1 stopped within its budget

    @slow
    Scenario: a broker that has not returned
      When broker 1 is lost by clean shutdown
      Then broker 1 was in every ISR again within the budget of its return

    @slow
    Scenario: another cause
      When broker 1 is lost by clean shutdown
      Then broker 1 left every ISR because it was fenced

    @slow
    Scenario: a broker that was shut down did not lag
      When broker 1 is lost by clean shutdown
      Then the lost broker left every ISR because it lagged

    Scenario: two brokers that take the majority of the controllers with them
      When brokers 1 and 2 are lost by hard kill at once
      Then the lost brokers were out of every ISR within the budget of their loss
