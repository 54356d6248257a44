Feature: How two of three brokers are lost decides whether the last one rejects writes
  With min.insync.replicas=2 the last broker acknowledges nothing with acks=all. Whether it says so, or lets the client run
  into its time-out, depends on whether somebody can still take the lost brokers out of the ISR. That takes an active
  controller, hence a majority of the controllers:

  - While there is one, a broker that shuts down cleanly leaves every ISR before it exits, and one that is killed leaves it
    after broker.session.timeout.ms (9 seconds). The ISR that is left has one member, and each write is answered with
    NOT_ENOUGH_REPLICAS before it is appended: it is rejected, and certainly not in the log.
  - When there is none, the ISR stays as it was last. The last broker appends what it gets and waits for a replica that never
    answers, until the client's time is up (request.timeout.ms): the write is indeterminate, and may be in the log. A
    partition that a lost broker led has no new leader; a write to it never leaves the client, and counts as rejected.

  Where brokers are controllers as well, the second loss takes the majority with it, and how the second one goes decides.
  Controllers on machines of their own outlive the brokers, however these are lost. Operators who separate the roles buy
  this, and lose it again with the controllers.

  A leader acts upon a new ISR a moment after it tells of it, and still appends what comes in between: hence the 2 seconds
  before the writes.

  @A9 @A16 @B10 @durability @slow
  Scenario Outline: <cluster>, <nodes> lost by <ways>: rejected and absent
    Given <cluster>, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And 1,000 events are acknowledged
    When <nodes> are lost by <ways>
    Then the lost brokers were out of every ISR within the budget of their loss
    And for 2 seconds the ISR of every partition is the other brokers
    When one record is sent to every partition, without retries
    And the lost brokers return to every ISR
    Then each of these writes is rejected with NOT_ENOUGH_REPLICAS
    And none of the rejected records is in the log
    And the log holds exactly the acknowledged records

    # The last row has no condition in between: a controller lets a broker go only when every other broker that it takes for
    # alive knows, so that the second one waits until the first, which is dead, is fenced.
    Examples: brokers that are controllers as well, and the second one shuts down
      | cluster       | nodes           | ways                                                                   |
      | three brokers | brokers 2 and 1 | clean shutdown, one after the other                                    |
      | three brokers | brokers 3 and 1 | clean shutdown, one after the other                                    |
      | three brokers | brokers 1 and 2 | hard kill and clean shutdown, each when no ISR contains the one before |
      | three brokers | brokers 2 and 3 | hard kill and clean shutdown, one after the other                      |

    Examples: a controller apart from the brokers
      | cluster                                    | nodes           | ways                                                                   |
      | three brokers with one separate controller | brokers 1 and 2 | clean shutdown, one after the other                                    |
      | three brokers with one separate controller | brokers 1 and 2 | hard kill at once                                                      |
      | three brokers with one separate controller | brokers 2 and 1 | hard kill, each when no ISR contains the one before                    |
      | three brokers with one separate controller | brokers 3 and 1 | clean shutdown and hard kill, one after the other                      |
      | three brokers with one separate controller | brokers 1 and 3 | hard kill and clean shutdown, each when no ISR contains the one before |

    Examples: three controllers apart from the brokers, of which two are enough
      | cluster                                       | nodes                           | ways                                |
      | three brokers with three separate controllers | brokers 1 and 2                 | clean shutdown, one after the other |
      | three brokers with three separate controllers | brokers 3 and 2                 | hard kill at once                   |
      | three brokers with three separate controllers | controller 101, brokers 1 and 2 | hard kill, one after the other      |

  # Twelve seconds are more than the session timeout, after which a controller would have decided. Nobody shuts down when the
  # controllers are gone: a broker that is asked to waits for one that lets it go (after a minute Kafka 4.3.1 still did).
  @A9 @B10 @durability @slow
  Scenario Outline: <cluster>, <nodes> lost by <ways>: indeterminate
    Given <cluster>, all in sync
    And a topic with 12 partitions, replication factor 3 and min.insync.replicas 2
    And 1,000 events are acknowledged
    When <nodes> are lost by <ways>
    Then for 12 seconds the ISR of every partition is <the last ISR>
    When one record is sent to every partition, without retries
    And the lost brokers return to every ISR
    Then none of these writes is acknowledged
    And none of these writes is rejected with NOT_ENOUGH_REPLICAS
    And some of these writes are indeterminate
    And none of the rejected records is in the log
    And the recount holds

    Examples: brokers that are controllers as well, and the second one is killed
      | cluster       | nodes           | ways                                                | the last ISR       |
      | three brokers | brokers 2 and 3 | hard kill at once                                   | brokers 1, 2 and 3 |
      | three brokers | brokers 1 and 2 | clean shutdown and hard kill, one after the other   | brokers 2 and 3    |
      | three brokers | brokers 3 and 1 | hard kill, each when no ISR contains the one before | brokers 1 and 2    |

    Examples: controllers apart from the brokers, lost before them
      | cluster                                       | nodes                                    | ways                                                         | the last ISR       |
      | three brokers with one separate controller    | controller 101, brokers 1 and 2          | hard kill, one after the other                               | brokers 1, 2 and 3 |
      | three brokers with one separate controller    | controller 101, brokers 3 and 1          | clean shutdown, hard kill and hard kill, one after the other | brokers 1, 2 and 3 |
      | three brokers with three separate controllers | controllers 101 and 102, brokers 1 and 2 | hard kill, one after the other                               | brokers 1, 2 and 3 |
