package cluster

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Quorum is the state of the controllers (KIP-595, DescribeQuorum).
type Quorum struct {
	Leader        int // id of the active controller, -1 when there is none
	Epoch         int
	HighWatermark int64
	Voters        []QuorumReplica // ascending ids
	Observers     []QuorumReplica
}

// QuorumReplica is a replica of the metadata log as the active controller sees it: of a voter, which has a say in what is
// committed, or of an observer, which only follows.
type QuorumReplica struct {
	ID           int
	LogEndOffset int64 // -1 when unknown
	// Directory is the id of the directory that the log is in (KIP-853), as kafka-storage prints it; empty when unknown, as
	// that of static voters. A replica is a voter by its id and its directory: with another volume it is another one.
	Directory string
	Endpoints []string      // of a voter, as the tools print them: "CONTROLLER://controller-1:9094"; nil when unknown
	Silent    time.Duration // since it fetched last, as far as the active controller can tell
}

// String is the replica for messages: "2 in 4cGzGJbzTnqPuGYUyDbLrQ".
func (r QuorumReplica) String() string {
	if r.Directory == "" {
		return strconv.Itoa(r.ID)
	}
	return fmt.Sprintf("%d in %s", r.ID, r.Directory)
}

// Voter returns the voter with an id, and whether there is one.
func (q Quorum) Voter(id int) (QuorumReplica, bool) { return replicaOf(q.Voters, id) }

// Observer returns the observer with an id that fetched last, and whether there is one.
func (q Quorum) Observer(id int) (QuorumReplica, bool) { return replicaOf(q.Present(), id) }

func replicaOf(replicas []QuorumReplica, id int) (found QuorumReplica, ok bool) {
	for _, r := range replicas {
		if r.ID == id && (!ok || r.Silent < found.Silent) {
			found, ok = r, true
		}
	}
	return found, ok
}

// presentWithin tells an observer that is there from one that has left, which the active controller lists for another five
// minutes: one that is there asks for more each controller.quorum.fetch.timeout.ms (2 s) at the least, and a busy machine
// takes longer.
const presentWithin = 5 * time.Second

// Present returns the observers that follow the log now.
func (q Quorum) Present() []QuorumReplica {
	return slices.DeleteFunc(slices.Clone(q.Observers), func(o QuorumReplica) bool { return o.Silent > presentWithin })
}

// Behind is how many records of the metadata log a voter is behind the active controller, as the tools count the lag.
func (q Quorum) Behind(voter QuorumReplica) int64 {
	leader, ok := q.Voter(q.Leader)
	if !ok {
		return q.HighWatermark - voter.LogEndOffset
	}
	return leader.LogEndOffset - voter.LogEndOffset
}

// idsOf returns the ids of replicas.
func idsOf(replicas []QuorumReplica) []int {
	all := make([]int, 0, len(replicas))
	for _, r := range replicas {
		all = append(all, r.ID)
	}
	return all
}

// String names the active controller, the voters and, where there are any, the observers.
func (q Quorum) String() string {
	if q.Leader < 0 {
		return "quorum: no active controller"
	}
	said := fmt.Sprintf("quorum: active controller %d, epoch %d, voters %v", q.Leader, q.Epoch, idsOf(q.Voters))
	if observers := q.Present(); len(observers) > 0 {
		said += fmt.Sprintf(", observers %v", idsOf(observers))
	}
	return said
}

// sameMembers compares who votes and who observes, and nothing that changes by itself.
func (q Quorum) sameMembers(other Quorum) bool {
	same := func(a, b QuorumReplica) bool { return a.ID == b.ID && a.Directory == b.Directory }
	return slices.EqualFunc(q.Voters, other.Voters, same) && slices.EqualFunc(q.Present(), other.Present(), same)
}

// quorum asks through this broker, which forwards the request to the active controller.
func (b *Broker) quorum(ctx context.Context) (Quorum, error) {
	req := kmsg.NewPtrDescribeQuorumRequest()
	topic := kmsg.NewDescribeQuorumRequestTopic()
	topic.Topic = "__cluster_metadata"
	topic.Partitions = append(topic.Partitions, kmsg.NewDescribeQuorumRequestTopicPartition())
	req.Topics = append(req.Topics, topic)
	answer, err := b.askOn(ctx, forwardedLine, req)
	if err != nil {
		return Quorum{}, err
	}
	response := answer.(*kmsg.DescribeQuorumResponse)
	if err := kerr.ErrorForCode(response.ErrorCode); err != nil {
		return Quorum{}, err
	}
	for _, t := range response.Topics {
		for _, p := range t.Partitions {
			return quorumOf(p, response.Nodes), kerr.ErrorForCode(p.ErrorCode)
		}
	}
	return Quorum{}, fmt.Errorf("%s tells nothing of the quorum", b)
}

func quorumOf(p kmsg.DescribeQuorumResponseTopicPartition, nodes []kmsg.DescribeQuorumResponseNode) Quorum {
	newest := int64(-1)
	for _, state := range slices.Concat(p.CurrentVoters, p.Observers) {
		newest = max(newest, state.LastFetchTimestamp)
	}
	endpoints := endpointsOf(nodes)
	replicas := func(from []kmsg.DescribeQuorumResponseTopicPartitionReplicaState) []QuorumReplica {
		to := make([]QuorumReplica, 0, len(from))
		for _, state := range from {
			to = append(to, QuorumReplica{
				ID: int(state.ReplicaID), LogEndOffset: state.LogEndOffset, Directory: directoryID(state.ReplicaDirectoryID),
				Endpoints: endpoints[state.ReplicaID], Silent: silence(newest, state),
			})
		}
		slices.SortFunc(to, func(a, b QuorumReplica) int {
			return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Directory, b.Directory))
		})
		return to
	}
	return Quorum{
		Leader: int(p.LeaderID), Epoch: int(p.LeaderEpoch), HighWatermark: p.HighWatermark,
		Voters: replicas(p.CurrentVoters), Observers: replicas(p.Observers),
	}
}

// silence is the time since a replica fetched last; the newest moment in the answer is the active controller's own.
func silence(newest int64, state kmsg.DescribeQuorumResponseTopicPartitionReplicaState) time.Duration {
	if state.LastFetchTimestamp < 0 {
		return 0
	}
	return time.Duration(newest-state.LastFetchTimestamp) * time.Millisecond
}

func endpointsOf(nodes []kmsg.DescribeQuorumResponseNode) map[int32][]string {
	all := map[int32][]string{}
	for _, n := range nodes {
		for _, l := range n.Listeners {
			all[n.NodeID] = append(all[n.NodeID], l.Name+"://"+net.JoinHostPort(l.Host, strconv.Itoa(int(l.Port))))
		}
	}
	return all
}

// directoryID is the id as kafka-storage prints it, empty for none.
func directoryID(id [16]byte) string {
	if id == [16]byte{} {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(id[:])
}
