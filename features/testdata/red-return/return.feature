Feature: A return that takes longer under other broker settings
  Each scenario here must fail at its last step under the settings beside this file. A broker that returns fetches before
  the controller has unfenced it, and is not let into an ISR for that fetch. The next one comes when the leader has
  answered, which it does at once when there are records, and else after replica.fetch.wait.max.ms. So nobody writes here.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2

  Scenario Outline: broker 1 returns after <fault>, and is in every ISR later
    wanted: in every ISR again, from its registration within
    in force: replica.fetch.wait.max.ms is 20.0 s (default 0.5 s), which allows
    When broker 1 is lost by <fault>
    Then within 25 seconds of the loss of broker 1 no ISR contains broker 1
    When broker 1 returns
    Then broker 1 was in every ISR again within the default budget of its return

    Examples:
      | fault          |
      | clean shutdown |

    @slow
    Examples:
      | fault     |
      | hard kill |
      | a pause   |
