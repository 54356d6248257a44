package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// quorumTool is the tool that the documentation of Kafka names for changes of the quorum.
const quorumTool = "kafka-metadata-quorum.sh"

// AddVoterByTool makes a node a voter as an operator does: by kafka-metadata-quorum.sh add-controller on its own machine,
// which reads the node's id, its endpoint and its directory from the node's own settings and volume.
func (c *Cluster) AddVoterByTool(ctx context.Context, id int) error {
	c.altered = true
	n, err := c.Node(id)
	if err != nil {
		return err
	}
	_, err = n.Tool(ctx, quorumTool, "--bootstrap-server", n.brokerAddress(), "--command-config", settingsFile, "add-controller")
	if err != nil {
		return err
	}
	c.noteVoter(id, true)
	return nil
}

// brokerAddress is where a broker answers inside its own container.
func (n *Node) brokerAddress() string { return fmt.Sprintf("%s:%d", Brokers.host(n.ID), brokerPort) }

// Status is what kafka-metadata-quorum.sh describe --status prints.
type Status struct {
	ClusterID     string
	Leader        int
	Epoch         int
	HighWatermark int64
	Lag           int64 // the greatest of any voter, in records
	Voters        []QuorumReplica
}

// QuorumStatus asks the tool, in the container of a broker that runs.
func (c *Cluster) QuorumStatus(ctx context.Context) (Status, error) {
	through, err := c.reachable()
	if err != nil {
		return Status{}, err
	}
	printed, err := through.Tool(ctx, quorumTool, "--bootstrap-server", through.brokerAddress(), "describe", "--status")
	if err != nil {
		return Status{}, err
	}
	status, err := parseStatus(printed)
	if err != nil {
		return Status{}, fmt.Errorf("%s describe --status: %w; it printed:\n%s", quorumTool, err, printed)
	}
	return status, nil
}

// parseStatus reads lines of a key, a colon and a value; the value of CurrentVoters is JSON.
func parseStatus(printed string) (Status, error) {
	values := map[string]string{}
	for line := range strings.Lines(printed) {
		if key, value, ok := strings.Cut(line, ":"); ok {
			values[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	number := func(key string) (int64, error) {
		n, err := strconv.ParseInt(values[key], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s %q is no number", key, values[key])
		}
		return n, nil
	}
	numbers := map[string]int64{}
	for _, key := range []string{"LeaderId", "LeaderEpoch", "HighWatermark", "MaxFollowerLag"} {
		var err error
		if numbers[key], err = number(key); err != nil {
			return Status{}, err
		}
	}
	var voters []struct {
		ID          int      `json:"id"`
		DirectoryID string   `json:"directoryId"`
		Endpoints   []string `json:"endpoints"`
	}
	if err := json.Unmarshal([]byte(values["CurrentVoters"]), &voters); err != nil {
		return Status{}, fmt.Errorf("CurrentVoters %q: %w", values["CurrentVoters"], err)
	}
	status := Status{
		ClusterID: values["ClusterId"], Leader: int(numbers["LeaderId"]), Epoch: int(numbers["LeaderEpoch"]),
		HighWatermark: numbers["HighWatermark"], Lag: numbers["MaxFollowerLag"],
	}
	for _, v := range voters {
		status.Voters = append(status.Voters, QuorumReplica{ID: v.ID, Directory: v.DirectoryID, Endpoints: v.Endpoints})
	}
	return status, nil
}
