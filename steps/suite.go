// Package steps turns the sentences of feature files into calls. A step parses its words, makes one call and returns
// one plain error; what Kafka does is seen by package cluster, what was written and read is judged by package fixtures.
//
// Sentences are filed by Kafka's nouns, never by feature file, and each has one regular expression that is anchored
// at both ends. Only this package and the runner in features import godog.
package steps

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kafka-ha/cluster"
)

// Suite is what all scenarios of a run share.
type Suite struct {
	Clusters *Pool[*cluster.Cluster]
	Dir      string                        // the run's evidence; each scenario has a folder in it
	Keep     bool                          // leave a failed scenario's cluster as it is, for somebody to look at
	Print    func(format string, a ...any) // a line for the person who watches

	mu    sync.Mutex
	spent []Spent
	seen  int
}

// Spent is where the time of one scenario went.
type Spent struct {
	Scenario string
	Total    time.Duration
	Start    time.Duration // starting a cluster for it
	Kafka    time.Duration // waiting for Kafka: elections, registrations, ISR changes, shutdowns; watching that it does nothing
	Traffic  time.Duration // sending and reading records
	Failed   bool
}

// Rest is what the suite itself took: checks, reset, evidence.
func (s Spent) Rest() time.Duration { return s.Total - s.Start - s.Kafka - s.Traffic }

// Spent returns the times of the scenarios so far, in the order they ran.
func (s *Suite) Spent() []Spent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Spent(nil), s.spent...)
}

func (s *Suite) note(spent Spent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spent = append(s.spent, spent)
}

// next returns the number of the scenario that begins now, from 1.
func (s *Suite) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	return s.seen
}

// folder makes the folder for one scenario's evidence.
func (s *Suite) folder(number int, scenario string) (string, error) {
	dir := filepath.Join(s.Dir, fmt.Sprintf("%02d-%s", number, slug(scenario)))
	if err := os.MkdirAll(dir, 0o755); err != nil { // evidence is for everybody to read
		return "", fmt.Errorf("evidence folder: %w", err)
	}
	return dir, nil
}
