// Command sweep removes what dead runs of the suite left, clusters kept by KAFKA_HA_KEEP=1 among them. It touches
// nothing of a run that lives, and nothing that the suite did not make.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"kafka-ha/cluster/engine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := sweep(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "sweep:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to be undone
	}
}

func sweep(ctx context.Context) error {
	e, err := engine.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }()
	swept, err := e.Sweep(ctx, true)
	for _, one := range swept {
		fmt.Println(one)
	}
	if err == nil && len(swept) == 0 {
		fmt.Println("nothing to remove")
	}
	return err
}
