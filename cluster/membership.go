package cluster

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafka-ha/cluster/wait"
)

// Member is what a change of a dynamic quorum's members names (KIP-853): a node and the directory that its metadata log is
// in, in a cluster. All three must be right; what Kafka makes of wrong ones is for features to show.
type Member struct {
	ID        int
	Directory string // id, as kafka-storage prints it
	ClusterID string
}

// changeWithin bounds a change of the members: the active controller first commits what it has, then asks the new voter for
// its versions (controller.quorum.request.timeout.ms, 2 s), then commits the change with both majorities. Kafka bounds it
// itself by the time-out that the request carries, and answers REQUEST_TIMED_OUT then.
const changeWithin = 15 * time.Second

// followWithin bounds the time until an observer has the whole metadata log: it finds the active controller by
// controller.quorum.fetch.timeout.ms (2 s) and fetches what a cluster of minutes has.
const followWithin = 20 * time.Second

// form waits until new nodes are a cluster of the topology. A dynamic quorum is founded by node 1; the others follow it as
// observers and are then added to the voters, as far as the topology has them.
func (c *Cluster) form(ctx context.Context) error {
	if !c.topology.Dynamic() {
		return c.AwaitReady(ctx)
	}
	if err := c.awaitShape(ctx, OneVoter); err != nil {
		return err
	}
	c.founded = true
	for _, id := range c.topology.Voters()[1:] {
		member, err := c.Candidate(ctx, id)
		if err == nil {
			err = c.addVoter(ctx, member)
		}
		if err != nil {
			return err
		}
	}
	c.voters, c.altered = nil, false
	return c.AwaitReady(ctx)
}

// Altered reports whether the suite has changed who is a member of a dynamic quorum, or tried to. Such a cluster is nobody
// else's any more: to undo the changes would be to rely on what was just tested.
func (c *Cluster) Altered() bool { return c.altered }

// Voters returns the ids of the nodes that form the quorum, ascending: the topology's, unless the suite has added or removed some.
func (c *Cluster) Voters() []int {
	if c.voters == nil {
		return c.topology.Voters()
	}
	return slices.Clone(c.voters)
}

// memberLost notes that a node has lost its volume: with another directory it is no voter any more.
func (c *Cluster) memberLost() {
	if c.founded {
		c.altered = true
	}
}

// Candidate waits until a node follows the quorum as an observer and has the whole metadata log, and returns it as the
// member that it could be.
func (c *Cluster) Candidate(ctx context.Context, id int) (Member, error) {
	what := fmt.Sprintf("node %d observes the quorum and has its whole log (controller.quorum.fetch.timeout.ms 2s)", id)
	view, err := wait.Until(ctx, what, followWithin, func(ctx context.Context) (View, bool, error) {
		view, err := c.View(ctx)
		o, ok := view.Quorum.Observer(id)
		return view, err == nil && ok && view.Quorum.Behind(o) <= quorumMayLag, err
	})
	found, _ := view.Quorum.Observer(id)
	return Member{ID: id, Directory: found.Directory, ClusterID: c.KafkaID}, err
}

// Voter returns the voter with an id as the active controller knows it, whether it is there or not.
func (c *Cluster) Voter(ctx context.Context, id int) (Member, error) {
	what := fmt.Sprintf("an active controller that knows voter %d (controller.quorum.fetch.timeout.ms 2s and an election)", id)
	view, err := wait.Until(ctx, what, followWithin, func(ctx context.Context) (View, bool, error) {
		view, err := c.View(ctx)
		_, ok := view.Quorum.Voter(id)
		return view, err == nil && ok, err
	})
	found, _ := view.Quorum.Voter(id)
	return Member{ID: id, Directory: found.Directory, ClusterID: c.KafkaID}, err
}

// AddVoter asks the active controller to make an observer a voter (AddRaftVoter), and returns when that is committed.
// Refusals are Kafka's own errors, for errors.Is with package kerr.
func (c *Cluster) AddVoter(ctx context.Context, member Member) error {
	err := c.addVoter(ctx, member)
	c.altered = c.altered || !refused(err)
	return err
}

// refused reports that Kafka has declined a change, so that nothing has changed. After a time-out nobody knows.
func refused(err error) bool {
	var refusal *kerr.Error
	return errors.As(err, &refusal) && !errors.Is(err, kerr.RequestTimedOut)
}

func (c *Cluster) addVoter(ctx context.Context, member Member) error {
	req := kmsg.NewPtrAddRaftVoterRequest()
	req.ClusterID, req.VoterID, req.TimeoutMillis = &member.ClusterID, int32(member.ID), int32(changeWithin.Milliseconds())
	listener := kmsg.NewAddRaftVoterRequestListener()
	listener.Name, listener.Host, listener.Port = "CONTROLLER", c.controllerHost(member.ID), controllerPort
	req.Listeners = append(req.Listeners, listener)
	var err error
	if req.VoterDirectoryID, err = parseDirectory(member.Directory); err != nil {
		return err
	}
	answer, err := c.askOnce(ctx, req)
	if err == nil {
		added := answer.(*kmsg.AddRaftVoterResponse)
		if err = kerr.ErrorForCode(added.ErrorCode); err != nil {
			err = withMessage(err, added.ErrorMessage)
		}
	}
	if err != nil {
		return fmt.Errorf("add voter %d with directory %s: %w", member.ID, member.Directory, err)
	}
	c.noteVoter(member.ID, true)
	return nil
}

// RemoveVoter asks the active controller to make a voter an observer (RemoveRaftVoter), and returns when that is committed.
func (c *Cluster) RemoveVoter(ctx context.Context, member Member) error {
	err := c.removeVoter(ctx, member)
	c.altered = c.altered || !refused(err)
	return err
}

func (c *Cluster) removeVoter(ctx context.Context, member Member) error {
	req := kmsg.NewPtrRemoveRaftVoterRequest()
	req.ClusterID, req.VoterID = &member.ClusterID, int32(member.ID)
	var err error
	if req.VoterDirectoryID, err = parseDirectory(member.Directory); err != nil {
		return err
	}
	answer, err := c.askOnce(ctx, req)
	if err == nil {
		removed := answer.(*kmsg.RemoveRaftVoterResponse)
		if err = kerr.ErrorForCode(removed.ErrorCode); err != nil {
			err = withMessage(err, removed.ErrorMessage)
		}
	}
	if err != nil {
		return fmt.Errorf("remove voter %d with directory %s: %w", member.ID, member.Directory, err)
	}
	c.noteVoter(member.ID, false)
	return nil
}

// noteVoter keeps who votes, for those who must know it when no active controller can be asked.
func (c *Cluster) noteVoter(id int, votes bool) {
	c.voters = slices.DeleteFunc(c.Voters(), func(voter int) bool { return voter == id })
	if votes {
		c.voters = append(c.voters, id)
	}
	slices.Sort(c.voters)
}

// askOnce sends a request that changes the quorum, once, through a broker that is there, and returns the answer. A client
// of its own, which may wait longer than observers do, and which does not ask again: the second answer to a change that
// was carried out is a refusal.
func (c *Cluster) askOnce(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	through, err := c.reachable()
	if err != nil {
		return nil, err
	}
	within := changeWithin + askWithin
	session, err := kgo.NewClient(
		kgo.SeedBrokers(through.Address()), kgo.ClientID("kafka-ha-admin"), kgo.RequestRetries(0),
		kgo.DialTimeout(askWithin), kgo.RequestTimeoutOverhead(within), kgo.RetryTimeout(within),
	)
	if err != nil {
		return nil, fmt.Errorf("%s: client: %w", through, err)
	}
	defer session.Close()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answer, err := session.SeedBrokers()[0].Request(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("through %s: %w", through, err)
	}
	return answer, nil
}

// reachable returns the first broker that runs and hears the controllers.
func (c *Cluster) reachable() (*Broker, error) {
	at := slices.IndexFunc(c.brokers, func(b *Broker) bool { return b.isWanted() && !b.isApart() })
	if at < 0 {
		return nil, errors.New("no broker runs that hears the controllers")
	}
	return c.brokers[at], nil
}

// DirectoryOf reads from a node's volume the id of the directory that its metadata log is in, whether the node runs or not.
func (c *Cluster) DirectoryOf(ctx context.Context, id int) (string, error) {
	n, err := c.Node(id)
	if err != nil {
		return "", err
	}
	if err := n.OwnVolume(); err != nil {
		return "", err
	}
	content, err := c.readFile(ctx, n, dataDir+"/"+formatFile)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(content)) {
		if found, ok := strings.CutPrefix(strings.TrimSpace(line), "directory.id="); ok {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s: %s names no directory.id", n, formatFile)
}

// ControllerEndpoint is where a node's controller is found, as the tools print it: at its new address if it has moved.
func (c *Cluster) ControllerEndpoint(id int) string {
	return fmt.Sprintf("CONTROLLER://%s:%d", c.controllerHost(id), controllerPort)
}

func (c *Cluster) controllerHost(id int) string {
	if n, err := c.Node(id); err == nil {
		return n.host(Controllers)
	}
	return Controllers.host(id)
}

func parseDirectory(text string) (id [16]byte, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) != len(id) {
		return id, fmt.Errorf("%q is no directory id; want 22 letters and digits, as kafka-storage random-uuid prints them", text)
	}
	return [16]byte(raw), nil
}
