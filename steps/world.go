package steps

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/fault"
	"kafka-ha/fixtures"
	"kafka-ha/fixtures/ledger"
	"kafka-ha/fixtures/traffic"
	"kafka-ha/fixtures/verdict"
)

// World is the state of one scenario. godog makes one for each, so nothing passes from scenario to scenario.
type World struct {
	suite  *Suite
	name   string    // the scenario's
	dir    string    // its evidence
	began  time.Time // of the Before hook
	suffix string    // makes topic names unique within the run
	spent  Spent

	counting bool // some time is being counted as spent

	need    Need             // what the cluster is
	cluster *cluster.Cluster // nil until the Before hook has it
	whole   bool             // it was seen in its start state, so that the After hook has to bring it back to that

	look     func(context.Context) (cluster.View, error)       // at the cluster, now
	sync     func(context.Context, ...string) error            // waits until every ISR of some topics is full
	aim      func(how string, node int) (fault.Fault, error)   // at a node, with a way to lose it
	runs     func(ctx context.Context, node int) (bool, error) // whether a node's process runs and is not frozen
	agree    time.Duration                                     // how long brokers may tell different things
	timeline *cluster.Timeline                                 // empty until the Before hook is done
	faults   fault.Stack
	losses   map[int]*loss  // by node id, the latest of each
	played   map[string]int // node ids by the roles in which they were lost
	removed  int            // the broker that was removed from the voters last, 0 before any was
	clocked  []*clocked     // losses that were timed
	ended    time.Time      // of the last step; zero before

	throttled []*cluster.Broker // followers that are, or were, held back

	topics  []*topic
	current *topic // the topic that sentences without a name are about
	groups  groups

	answers     []traffic.Answer // of the writes that the latest sentence sent one by one
	answered    *topic           // that these were written to
	refusal     error            // what the latest request for a topic was told
	initialiser *initialiser
}

func newWorld(suite *Suite) *World {
	w := &World{suite: suite, losses: map[int]*loss{}, played: map[string]int{}, timeline: &cluster.Timeline{}, agree: agreeWithin}
	w.look = func(ctx context.Context) (cluster.View, error) { return w.cluster.View(ctx) }
	w.sync = func(ctx context.Context, topics ...string) error {
		_, err := w.cluster.AwaitSync(ctx, topics...)
		return err
	}
	w.runs = func(ctx context.Context, node int) (bool, error) {
		n, err := w.cluster.Node(node)
		if err != nil {
			return false, err
		}
		running, err := n.Running(ctx)
		if err != nil || !running {
			return false, err
		}
		frozen, err := n.Paused(ctx)
		return !frozen, err
	}
	w.aim = func(how string, node int) (fault.Fault, error) { return fault.Of(how, w.cluster, node) }
	return w
}

// topic is one topic of the scenario, with everything that was written to it and read from it.
type topic struct {
	spec    fixtures.TopicSpec  // under its real name
	called  string              // its name in the feature
	refused bool                // the request for it was, for certain, so that it is not there
	ledger  *ledger.Ledger      // nil until the first write
	writers []*traffic.Producer // that go on until the recount
	senders []*traffic.Producer // that end by themselves
	verdict *verdict.Verdict    // of the latest recount
}

// loss is a fault on one node with what stood before it and around it.
type loss struct {
	*fault.Lost
	before cluster.View // right before the injection
	marks  map[*topic]*ledger.Mark
	expect map[*topic]ledger.Expect // what the recount of a topic demands around its mark
	noted  bool                     // the return has been
	atOnce bool                     // with others: none of them was the last
	// Latencies of the producers that were there, as they stood right before the loss.
	latency map[*traffic.Producer]traffic.Latency
	// End offsets by topic and partition at the loss and at the return; nil where another broker was lost as well.
	from, to map[string]map[int32]int64
}

// kind is how the node was lost, in the words of features. What it came back as is no way to lose it.
func (l *loss) kind() string {
	_, kind, _ := strings.Cut(l.Fault.Name(), " lost by ")
	kind, _, _ = strings.Cut(kind, ", ")
	return kind
}

// demand makes a topic's recount unproven unless records were acknowledged before, during or after the loss, as stated.
func (l *loss) demand(t *topic, more ledger.Expect) error {
	mark := l.marks[t]
	if mark == nil {
		return nil // the topic was not written to before the loss
	}
	so := l.expect[t]
	l.expect[t] = ledger.Expect{Before: so.Before || more.Before, During: so.During || more.During, After: so.After || more.After}
	return mark.Expect(l.expect[t])
}

// named returns the topic with a name of the feature's.
func (w *World) named(called string) (*topic, error) {
	for _, t := range w.topics {
		if t.called == called {
			return t, nil
		}
	}
	return nil, fmt.Errorf("this scenario has no topic %q; make one in a Given", called)
}

// topicInUse returns the topic that sentences without a name are about: the one named last.
func (w *World) topicInUse() (*topic, error) {
	if w.current == nil {
		return nil, errors.New(`no topic yet; begin with ` +
			`"Given a topic with 12 partitions, replication factor 3 and min.insync.replicas 2"`)
	}
	return w.current, nil
}

// use makes a topic the current one. For one that the scenario knows already, its settings stay as they are: what
// somebody wants of it changes nothing.
func (w *World) use(called string, wanted fixtures.TopicSpec) *topic {
	if t, err := w.named(called); err == nil {
		w.current = t
		return t
	}
	wanted.Name = w.realName(called)
	w.current = &topic{spec: wanted, called: called}
	w.topics = append(w.topics, w.current)
	return w.current
}

// producers returns every producer of the topic, those that end by themselves last.
func (t *topic) producers() []*traffic.Producer { return slices.Concat(t.writers, t.senders) }

// book returns the topic's ledger for writing, which makes an earlier recount an old one, and what was found of groups
// that read the topic. The first write starts it.
func (w *World) book(t *topic) (*ledger.Ledger, error) {
	t.verdict = nil
	for _, g := range w.groups.all {
		if g.topic == t {
			g.delivery = nil
		}
	}
	if t.ledger != nil {
		return t.ledger, nil
	}
	made, err := ledger.Create(filepath.Join(w.dir, t.folder()), ledger.NewRunID(), t.spec.Name)
	if err != nil {
		return nil, err
	}
	t.ledger = made
	return made, nil
}

// folder is where the topic's evidence goes: its name in the feature, unless that is no name of a folder or may be one of a
// file of the report.
func (t *topic) folder() string {
	if plainName.MatchString(t.called) {
		return t.called
	}
	return slug(t.spec.Name)
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (w *World) bootstrap() []string { return w.cluster.Bootstrap() }

// kafka counts the time of do as waiting for Kafka.
func (w *World) kafka(do func() error) error { return w.timed(&w.spent.Kafka, do) }

// sending counts the time of do as sending and reading.
func (w *World) sending(do func() error) error { return w.timed(&w.spent.Traffic, do) }

// timed counts no time twice: what is called while something is timed already belongs to that.
func (w *World) timed(sum *time.Duration, do func() error) error {
	if w.counting {
		return do()
	}
	w.counting = true
	defer func() { w.counting = false }()
	return timed(sum, do)
}

func timed(sum *time.Duration, do func() error) error {
	began := time.Now()
	defer func() { *sum += time.Since(began) }()
	return do()
}

func (w *World) view(ctx context.Context) (cluster.View, error) { return w.look(ctx) }

// slug makes a folder name of a scenario's name.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	text := strings.Join(words, "-")
	return strings.TrimRight(text[:min(len(text), 60)], "-")
}
