package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"kafka-ha/cluster/wait"
)

// askWithin bounds one request to one broker. A frozen broker keeps its connections open and answers nothing.
const askWithin = 2 * time.Second

// ask sends a request to this very broker, over the client listener, and returns its answer. An error of a broker
// that is meant to run but has exited ends any wait.
func (b *Broker) ask(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	return b.askOn(ctx, ownLine, req)
}

// Answers reports whether the broker answers a request within a time.
func (b *Broker) Answers(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_, err := b.ask(ctx, kmsg.NewPtrMetadataRequest())
	return err == nil
}

// line is a connection to a broker. Kafka answers the requests of one connection in their order.
type line int

const (
	ownLine       line = iota // what the broker answers by itself, at once
	forwardedLine             // what it forwards to the active controller: without one it waits, and all that is asked after it
	lines
)

func (b *Broker) askOn(ctx context.Context, on line, req kmsg.Request) (kmsg.Response, error) {
	session, err := b.connect(on)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	answer, err := session.SeedBrokers()[0].Request(ctx, req)
	if err != nil {
		if exited := b.unexpectedExit(ctx); exited != nil {
			return nil, wait.Stop(exited)
		}
		return nil, fmt.Errorf("%s does not answer on %s: %w", b, b.Address(), err)
	}
	return answer, nil
}

// connect returns a client for this broker alone: one seed, no retries, so that the answer is this broker's.
func (b *Broker) connect(on line) (*kgo.Client, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sessions[on] != nil {
		return b.sessions[on], nil
	}
	session, err := kgo.NewClient(
		kgo.SeedBrokers(b.Address()), kgo.ClientID("kafka-ha-observer"), kgo.RequestRetries(0),
		kgo.DialTimeout(askWithin), kgo.RequestTimeoutOverhead(askWithin), kgo.RetryTimeout(askWithin),
	)
	if err != nil {
		return nil, fmt.Errorf("%s: client: %w", b, err)
	}
	b.sessions[on] = session
	return session, nil
}

func (b *Broker) disconnect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for on, session := range b.sessions {
		if session != nil {
			session.Close()
			b.sessions[on] = nil
		}
	}
}

// settings returns the values and the types of the broker's settings as it sees them. It also proves that the
// answering process is this broker: one with another id refuses the request.
func (b *Broker) settings(ctx context.Context, names ...string) (map[string]setting, error) {
	req := kmsg.NewPtrDescribeConfigsRequest()
	resource := kmsg.NewDescribeConfigsRequestResource()
	resource.ResourceType = kmsg.ConfigResourceTypeBroker
	resource.ResourceName = strconv.Itoa(b.ID)
	resource.ConfigNames = names
	req.Resources = append(req.Resources, resource)
	answer, err := b.ask(ctx, req)
	if err != nil {
		return nil, err
	}
	found := map[string]setting{}
	for _, r := range answer.(*kmsg.DescribeConfigsResponse).Resources {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			return nil, fmt.Errorf("%s on %s: %w", b, b.Address(), withMessage(err, r.ErrorMessage))
		}
		for _, config := range r.Configs {
			value := ""
			if config.Value != nil {
				value = *config.Value
			}
			found[config.Name] = setting{value: value, known: config.ConfigType != 0}
		}
	}
	return found, nil
}

type setting struct {
	value string
	known bool // Kafka has a definition of it, so that it has a type (KIP-569); a misspelt key has none
}

// Setting returns the value that a broker setting has in this broker, for example "broker.session.timeout.ms".
func (b *Broker) Setting(ctx context.Context, name string) (string, error) {
	all, err := b.settings(ctx, name)
	if err != nil {
		return "", err
	}
	found, ok := all[name]
	if !ok {
		return "", fmt.Errorf("%s has no setting %s", b, name)
	}
	return found.value, nil
}

// SettingNames returns the names of all settings that the broker tells of, those that it has no definition of included.
func (b *Broker) SettingNames(ctx context.Context) ([]string, error) {
	all, err := b.settings(ctx)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s tells of no setting", b)
	}
	return slices.Sorted(maps.Keys(all)), err
}

// SettingMillis returns the value of a broker setting that counts milliseconds.
func (b *Broker) SettingMillis(ctx context.Context, name string) (time.Duration, error) {
	value, err := b.Setting(ctx, name)
	if err != nil {
		return 0, err
	}
	ms, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s setting %s: %w", b, name, err)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func withMessage(err error, message *string) error {
	if message == nil || *message == "" {
		return err
	}
	return errors.Join(err, errors.New(*message))
}
