package steps

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"kafka-ha/fixtures/traffic"
)

// Patterns for the parts of sentences. A number that cannot be meant (none, or more than 99,999 partitions or seconds)
// makes no sentence, so that a feature with one is red before anything starts.
const (
	amount     = `([1-9]\d{0,4})`     // how many partitions or seconds
	count      = `([1-9][\d,]{0,14})` // how many events: "14,278"
	within     = `within ` + amount + ` seconds `
	brokerList = `(?:broker|brokers) ([\d, and]+)` // "broker 2", "brokers 1 and 2", "brokers 1, 2 and 3"
	settings   = amount + ` partitions?, replication factor ` + amount + ` and min\.insync\.replicas ` + amount
	perSecond  = count + ` events per second`
	acks       = `(acks=all|acks=all without idempotence|acks=1)`
	errorName  = `([A-Z][A-Z_]+)`
)

// brokerIDs are the ids that features may name.
var brokerIDs = []int{1, 2, 3}

// parseBrokers reads "1", "1 and 2" or "1, 2 and 3".
func parseBrokers(text string) ([]int, error) {
	words := strings.FieldsFunc(strings.ReplaceAll(text, "and", ","), func(r rune) bool { return r == ',' || r == ' ' })
	var ids []int
	for _, word := range words {
		id, err := strconv.Atoi(word)
		switch {
		case err != nil:
			return nil, fmt.Errorf("brokers %q: %q is no broker id", text, word)
		case !slices.Contains(brokerIDs, id):
			return nil, fmt.Errorf("brokers %q: the cluster has %s, not %d", text, brokers(brokerIDs), id)
		case slices.Contains(ids, id):
			return nil, fmt.Errorf("brokers %q: broker %d stands there twice", text, id)
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("brokers %q: name at least one, as in \"brokers 1 and 2\"", text)
	}
	return ids, nil
}

// knownError refuses a name that no broker and no client of ours gives: nothing is ever rejected with it, so that it proves
// nothing when nothing is.
func knownError(name string) error {
	for code := range int16(errorCodes) {
		if known, ok := errors.AsType[*kerr.Error](kerr.ErrorForCode(code)); ok && known.Message == name {
			return nil
		}
	}
	if name == traffic.BufferFull {
		return nil
	}
	return fmt.Errorf("there is no error %s; use Kafka's name of one, such as NOT_ENOUGH_REPLICAS, or %s", name, traffic.BufferFull)
}

// errorCodes is more than Kafka has: they count from 0 without gaps.
const errorCodes = 300

// acksOf reads "acks=all", "acks=all without idempotence" or "acks=1".
func acksOf(how string) traffic.Acks {
	value, _, _ := strings.Cut(strings.TrimPrefix(how, "acks="), " ")
	return traffic.Acks(value)
}

// idempotent says whether the producer has enable.idempotence, which Kafka's producer has by default and only with
// acks=all.
func idempotent(how string) bool { return how == "acks=all" }

// parseCount reads a number as features write it: 14,278.
func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return n, nil
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// brokers prints ids as features write them: "broker 2", "brokers 1, 2 and 3".
func brokers(ids []int) string {
	words := make([]string, 0, len(ids))
	for _, id := range ids {
		words = append(words, strconv.Itoa(id))
	}
	if len(words) < 2 {
		return "broker " + strings.Join(words, "")
	}
	return "brokers " + strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
