Feature: No ZooKeeper is involved
  Much that is written about failover still has ZooKeeper choose the leaders. Kafka 4 has none: the metadata is a log of
  Kafka's own, kept by the controllers, and what used to configure ZooKeeper or to reach it is gone from the broker. What
  has to be kept alive is a majority of the controllers, nothing else.

  # 2181 is ZooKeeper's port. The quorum itself is part of "all in sync": three voters, one of them the active controller.
  @C8 @smoke
  Scenario: brokers have no ZooKeeper setting, library or connection
    Given three brokers, all in sync
    Then no broker has a setting that begins with "zookeeper."
    And no broker has a jar with "zookeeper" in its name
    And no broker listens on or is connected to port 2181
