Feature: A broker's records outlive its process, not its disk
  Each broker keeps its log on a volume of its own. A restarted broker has what it had; one that lost its disk comes
  back empty and is filled again from the leaders. Both return to the ISR by themselves, but the second one copies
  everything over the network first, and until then one more loss would be one too many.

  Background:
    Given three brokers, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And 3,000 events are acknowledged

  @A4 @durability @slow
  Scenario: a stopped broker still has its records
    When broker 1 is lost by clean shutdown
    Then the volume of broker 1 holds every record of the topic
    When broker 1 returns to every ISR
    Then the log holds exactly the acknowledged records

  @A4 @durability
  Scenario: all brokers are killed at once, and every record is still there
    When brokers 1, 2 and 3 are lost by hard kill at once
    And the lost brokers return to every ISR
    Then the log holds exactly the acknowledged records

  # The contrast: without its volume a broker depends on the others. It returns when they have fenced it: a
  # combined node is a controller too, and one that comes back with no memory while the others still take it for their
  # leader ends with a fatal error (seen on Kafka 4.3.1). Do not replace a disk within the seconds of an election.
  @A4 @durability @slow
  Scenario: a broker without its volume is filled again from the leaders
    Given broker 1 is lost by loss of its volume
    And the volume of broker 1 holds no record of the topic
    When broker 1 returns
    Then within 30 seconds of the registration of broker 1 the ISR of every partition is brokers 1, 2 and 3
    And the volume of broker 1 holds every record of the topic
    And the log holds exactly the acknowledged records
