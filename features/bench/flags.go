package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Bounds of what can be asked for. A batch must hold a record of each size, or plain kgo could not send it, and be one that
// the brokers take (message.max.bytes, as kgo has it). Records of a longer run would fill a disk.
const (
	maxRounds = 100
	maxLength = time.Minute
	minBatch  = 2 << 10
	maxBatch  = 1_000_012
	maxLinger = time.Second
)

// The default is what fits into six minutes together with the rest of "make bench"; see estimate.
const (
	defaultRounds = 3
	defaultLength = 1500 * time.Millisecond
)

// parse reads the flags and checks all of them, since a cluster takes long to start. It is flag.ErrHelp once it has given
// help; any other error is one line.
func parse(args []string) (plan, error) {
	var p plan
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // else it would print all flags below each error
	flags.IntVar(&p.rounds, "rounds", defaultRounds, "runs of each subject")
	flags.DurationVar(&p.length, "length", defaultLength, "about how long a plain client sends in one run")
	flags.IntVar(&p.batch, "batch", 128<<10, "batch.size of all producers, in bytes")
	flags.DurationVar(&p.linger, "linger", 5*time.Millisecond, "linger.ms of all producers")
	flags.StringVar(&p.only, "only", "", "one comparison: "+alternatives()+"; default all")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(os.Stdout)
		flags.Usage()
		return p, err
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("%q: bench takes flags only; -help lists them", flags.Arg(0))
	}
	if err == nil {
		err = p.check()
	}
	return p, err
}

// check says what is wrong with the plan, in one line.
func (p plan) check() error {
	switch {
	case p.rounds < 1 || p.rounds > maxRounds:
		return fmt.Errorf("-rounds %d: want 1 to %d", p.rounds, maxRounds)
	case p.length <= 0 || p.length > maxLength:
		return fmt.Errorf("-length %v: want more than 0 and at most %v", p.length, maxLength)
	case p.batch < minBatch || p.batch > maxBatch:
		return fmt.Errorf("-batch %d: want %d to %d bytes", p.batch, minBatch, maxBatch)
	case p.linger < 0 || p.linger > maxLinger || p.linger%time.Millisecond != 0: // Kafka's tools take milliseconds
		return fmt.Errorf("-linger %v: want whole milliseconds, 0s to %v", p.linger, maxLinger)
	case p.only != "" && !slices.ContainsFunc(comparisons, func(c kind) bool { return c.name == p.only }):
		return fmt.Errorf("-only %q: there is no such comparison; want %s", p.only, alternatives())
	}
	return nil
}

func alternatives() string {
	var names []string
	for _, c := range comparisons {
		names = append(names, c.name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
