package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"kafka-ha/cluster/wait"
)

// View is one look at the cluster through every broker that answers. Each broker replays the metadata log on its own,
// so that for a moment after a change they may differ; what a View tells of a topic is what all of them agree on.
type View struct {
	At      time.Time
	Brokers map[int]BrokerView // of the brokers that answered, by id
	Apart   map[int]BrokerView // of those that answered and are cut off from the controllers: what they tell is out of date
	Silent  map[int]error      // of the brokers that did not, by id
	Quorum  Quorum             // zero when no broker could tell
}

// BrokerView is what one broker's metadata says.
type BrokerView struct {
	ClusterID  string                 // that the broker was formatted with
	Registered []int                  // ids of the brokers registered and unfenced, ascending
	Advertised map[int]string         // where each of them says that clients reach it
	Topics     map[string][]Partition // user topics and internal ones, partitions ascending
}

// Partition is one partition's state, as committed in the metadata log.
type Partition struct {
	Topic    string
	ID       int
	Leader   int // -1 when the partition is offline
	Epoch    int // leader epoch
	Replicas []int
	ISR      []int
}

// Name is the partition as broker logs print it: "telemetry-3".
func (p Partition) Name() string { return fmt.Sprintf("%s-%d", p.Topic, p.ID) }

// PreferredLeader is the first replica in the partition's list.
func (p Partition) PreferredLeader() int { return p.Replicas[0] }

// InSync reports that every replica is in the ISR.
func (p Partition) InSync() bool { return len(p.ISR) == len(p.Replicas) }

// LedBy reports that a broker leads the partition.
func (p Partition) LedBy(broker int) bool { return p.Leader == broker }

// FollowedBy reports that a broker has a replica of the partition and does not lead it.
func (p Partition) FollowedBy(broker int) bool {
	return slices.Contains(p.Replicas, broker) && p.Leader != broker
}

// View looks at the cluster through all brokers at once. It is an error when none answers.
func (c *Cluster) View(ctx context.Context) (View, error) {
	view := View{
		At: time.Now(), Brokers: map[int]BrokerView{}, Apart: map[int]BrokerView{}, Silent: map[int]error{}, Quorum: Quorum{Leader: -1},
	}
	var mu sync.Mutex
	err := c.eachBroker(func(b *Broker) error {
		if !b.isWanted() {
			mu.Lock()
			defer mu.Unlock()
			view.Silent[b.ID] = fmt.Errorf("%s is stopped", b)
			return nil
		}
		seen, quorum, err := b.look(ctx)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			view.Silent[b.ID] = err
			return err
		}
		if b.isApart() {
			view.Apart[b.ID] = seen
			return nil
		}
		view.Brokers[b.ID] = seen
		if quorum.Epoch >= view.Quorum.Epoch {
			view.Quorum = quorum
		}
		return nil
	})
	if len(view.Brokers)+len(view.Apart) > 0 && !isStop(err) {
		err = nil // who is silent is in the view
	} else if err == nil && len(view.Brokers)+len(view.Apart) == 0 {
		err = fmt.Errorf("no broker runs")
	}
	if view.Quorum.Leader < 0 && !isStop(err) {
		err = errors.Join(err, c.unexpectedExits(ctx))
	}
	return view, err
}

// unexpectedExits returns an error that ends any wait when a separate controller is meant to run and does not: nobody
// asks these themselves.
func (c *Cluster) unexpectedExits(ctx context.Context) error {
	for _, n := range c.controllers {
		if err := n.unexpectedExit(ctx); err != nil {
			return wait.Stop(err)
		}
	}
	return nil
}

// quorumWithin bounds the question for the quorum, which takes milliseconds where there is an active controller and for
// ever where there is none.
const quorumWithin = time.Second

// look asks one broker for its metadata and, at the same time, for the quorum. A quorum without a leader is no error: it
// is a finding.
func (b *Broker) look(ctx context.Context) (BrokerView, Quorum, error) {
	quorum := Quorum{Leader: -1}
	var asked sync.WaitGroup
	asked.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, quorumWithin)
		defer cancel()
		if found, err := b.quorum(ctx); err == nil {
			quorum = found
		}
	})
	answer, err := b.ask(ctx, kmsg.NewPtrMetadataRequest())
	asked.Wait()
	if err != nil {
		return BrokerView{}, quorum, err
	}
	return brokerView(answer.(*kmsg.MetadataResponse)), quorum, nil
}

func brokerView(metadata *kmsg.MetadataResponse) BrokerView {
	seen := BrokerView{Topics: map[string][]Partition{}, Advertised: map[int]string{}}
	if metadata.ClusterID != nil {
		seen.ClusterID = *metadata.ClusterID
	}
	for _, broker := range metadata.Brokers {
		seen.Registered = append(seen.Registered, int(broker.NodeID))
		seen.Advertised[int(broker.NodeID)] = net.JoinHostPort(broker.Host, strconv.Itoa(int(broker.Port)))
	}
	slices.Sort(seen.Registered)
	for _, topic := range metadata.Topics {
		if topic.Topic == nil {
			continue
		}
		partitions := make([]Partition, 0, len(topic.Partitions))
		for _, p := range topic.Partitions {
			partitions = append(partitions, Partition{
				Topic: *topic.Topic, ID: int(p.Partition), Leader: int(p.Leader), Epoch: int(p.LeaderEpoch),
				Replicas: ids(p.Replicas), ISR: ids(p.ISR),
			})
		}
		slices.SortFunc(partitions, func(a, b Partition) int { return cmp.Compare(a.ID, b.ID) })
		seen.Topics[*topic.Topic] = partitions
	}
	return seen
}

func ids(from []int32) []int {
	to := make([]int, 0, len(from))
	for _, id := range from {
		to = append(to, int(id))
	}
	return to
}
