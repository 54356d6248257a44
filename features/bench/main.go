// Command bench measures what full accounting costs: the suite's producer and reader against clients that account for
// nothing and against Kafka's own tools, all on one three-broker cluster, in turns. Its figures are ratios within one run;
// records a second say as much about the machine. Falling short of a goal is told and is no error.
//
// It stands on top, like the features: only here do a cluster and the fixtures meet outside a scenario.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"kafka-ha/cluster/engine"
)

func main() {
	engine.BeJanitor()
	p, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, p); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to be undone
	}
}

// measure makes the comparisons on one cluster and prints the table.
func measure(ctx context.Context, p plan) (err error) {
	say("about %v on a machine with nothing else to do", p.estimate())
	s, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(context.WithoutCancel(ctx))) }()
	done, err := s.all(ctx)
	if err != nil {
		return err
	}
	fmt.Print("\n", table(done), "\n", p.how())
	return nil
}

// how says how it was measured.
func (p plan) how() string {
	return fmt.Sprintf(`Ratio: ours divided by the other, of runs next to each other; median (least to most) of %d.
All producers: acks=all, idempotent, batch.size %d, linger %v, no compression, 32 MiB buffered, 12 partitions of 3 replicas.
With full accounting and plain kgo: the same keys, header and value. Kafka's tools send no header. ProducerPerformance: no
keys, values from a file, measured after a warm-up where the tool knows one. VerifiableProducer: its records are its counter,
and ours have values of that length; 100 keys; its line for each record goes to a file in its container.
Times: from the client's start to its last acknowledgement; ours until the ledger is written, reading until the verdict.
Client CPU: of this process for each record, ours and plain kgo only.
`, p.rounds, p.batch, p.linger)
}
