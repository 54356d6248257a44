package steps

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"kafka-ha/cluster"
)

// Sentences about what a broker has nothing of. Each looks at every broker and finds out first that there is something to
// look at: see SettingNames, Jars and Sockets.
func (w *World) absenceSentences(s *sentences) {
	s.then(`no broker has a setting that begins with "([^"]+)"`, func(ctx context.Context, prefix string) error {
		return w.noBroker("a setting that begins with "+prefix, func(b *cluster.Broker) ([]string, error) {
			names, err := b.SettingNames(ctx)
			return only(names, func(name string) bool { return begins(name, prefix) }), err
		})
	})
	s.then(`no broker has a jar with "([^"]+)" in its name`, func(ctx context.Context, part string) error {
		return w.noBroker("a jar with "+part+" in its name", func(b *cluster.Broker) ([]string, error) {
			jars, err := b.Jars(ctx)
			return only(jars, func(name string) bool { return mentions(name, part) }), err
		})
	})
	s.then(`no broker listens on or is connected to port `+amount+``, func(ctx context.Context, port int) error {
		if port > lastPort {
			return fmt.Errorf("there is no port %d, so that nobody has it; name one up to %d", port, lastPort)
		}
		return w.noBroker("a socket with port "+strconv.Itoa(port), func(b *cluster.Broker) ([]string, error) {
			sockets, err := b.Sockets(ctx)
			return portsOf(sockets, port), err
		})
	})
}

const lastPort = 1<<16 - 1

// Names are compared without regard to case: a jar that is called ZooKeeper is one of its.
func begins(name, prefix string) bool {
	return strings.HasPrefix(strings.ToLower(name), strings.ToLower(prefix))
}

func mentions(name, part string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(part))
}

// noBroker wants nothing found in any broker.
func (w *World) noBroker(what string, find func(*cluster.Broker) ([]string, error)) error {
	return w.kafka(func() error {
		var problems []error
		for _, b := range w.cluster.Brokers() {
			found, err := find(b)
			if err == nil && len(found) > 0 {
				err = fmt.Errorf("wanted: no broker with %s; seen: %s has %s", what, b, strings.Join(found, ", "))
			}
			problems = append(problems, err)
		}
		return errors.Join(problems...)
	})
}

func only(all []string, ok func(string) bool) []string {
	var some []string
	for _, one := range all {
		if ok(one) {
			some = append(some, one)
		}
	}
	return some
}

// portsOf names the sockets with a port at either end.
func portsOf(sockets []cluster.Socket, port int) []string {
	var found []string
	for _, s := range sockets {
		if int(s.Local) == port || int(s.Remote) == port {
			found = append(found, fmt.Sprintf("one from port %d to port %d", s.Local, s.Remote))
		}
	}
	return found
}
