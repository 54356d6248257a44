package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kafka-ha/cluster"
	"kafka-ha/cluster/wait"
)

func (w *World) readySentences(s *sentences) {
	s.then(within+`readiness fails at `+anyBrokers+`, because of "([^"]+)"`, w.readinessFails)
	s.then(within+anyBrokers+` exits by itself, saying "([^"]+)"`, w.exitsItself)
	s.then(`the processes of `+brokerList+` run`, w.processesRun)
	s.then(within+`the cluster is ready`, w.isReady)
}

// readinessFails asks for readiness as a start of a cluster does, and wants it refused because of one node, by name.
func (w *World) readinessFails(ctx context.Context, n int, who, cause string) error {
	id, err := w.oneOf(who)
	if err != nil {
		return err
	}
	return w.kafka(func() error {
		bounded, cancel := context.WithTimeout(ctx, seconds(n))
		defer cancel()
		began := time.Now()
		err := w.cluster.AwaitReady(bounded)
		took := time.Since(began).Round(10 * time.Millisecond)
		if err := refusedAt(err, id, cause, took); err != nil {
			return err
		}
		w.suite.Print("readiness failed after %s: %s", took, firstLine(err))
		return nil
	})
}

// refusedAt sees that readiness was refused because of one broker and of no other, and why.
func refusedAt(err error, id int, cause string, took time.Duration) error {
	want := fmt.Sprintf("wanted: readiness that fails at broker %d, because of %q", id, cause)
	if err == nil {
		return fmt.Errorf("%s; seen: the cluster is ready, after %s", want, took)
	}
	var found cluster.Refusals
	if !errors.As(err, &found) {
		return fmt.Errorf("%s; seen: no broker was refused within %s: %w", want, took, err)
	}
	if len(found) != 1 || found[0].ID != id || !strings.Contains(found[0].Why, cause) {
		return fmt.Errorf("%s; seen, after %s: %w", want, took, err)
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// isReady asks for readiness as a start of a cluster does.
func (w *World) isReady(ctx context.Context, n int) error {
	return w.kafka(func() error {
		bounded, cancel := context.WithTimeout(ctx, seconds(n))
		defer cancel()
		if err := w.cluster.AwaitReady(bounded); err != nil {
			return fmt.Errorf("wanted: the cluster ready within %s; seen: %w", seconds(n), err)
		}
		return nil
	})
}

func (w *World) exitsItself(ctx context.Context, n int, who, saying string) error {
	id, err := w.oneOf(who)
	if err != nil {
		return err
	}
	b, err := w.cluster.Broker(id)
	if err != nil {
		return err
	}
	return w.kafka(func() error {
		what := fmt.Sprintf("broker %d exits by itself, saying %q", id, saying)
		_, err := wait.Until(ctx, what, seconds(n), func(ctx context.Context) (string, bool, error) {
			how, gone := b.ExitedByItself(ctx)
			if !gone {
				return "it runs, or was ended by the suite", false, nil
			}
			if !strings.Contains(how, saying) {
				return how, false, wait.Stop(errors.New("it said something else:\n" + how))
			}
			return how, true, nil
		})
		return err
	})
}

// processesRun is for contrasts: what runs may be no broker of the cluster.
func (w *World) processesRun(ctx context.Context, list string) error {
	return w.withBrokers(list, func(ids []int) error {
		for _, id := range ids {
			runs, err := w.runs(ctx, id)
			if err != nil {
				return err
			}
			if !runs {
				return fmt.Errorf("wanted: the processes of %s run; seen: that of broker %d does not, or is frozen", brokers(ids), id)
			}
		}
		return nil
	})
}

// oneOf reads brokers of which there must be one.
func (w *World) oneOf(text string) (int, error) {
	ids, err := w.parseAnyBrokers(text)
	if err == nil && len(ids) != 1 {
		err = fmt.Errorf("%s: are %s; name one", text, brokers(ids))
	}
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}
