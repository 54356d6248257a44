// Package wait is the only polling code in the repository. It looks at an observed state until the state is the
// wanted one, or for as long as it must stay so, and says what was seen last when it was not.
//
// It never sleeps without a bound and never retries an action: observe functions must only look. It imports the
// standard library alone, so every other package may import it.
package wait

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// interval is the pause between two looks: short beside Kafka's own periods (the shortest one waited for is the
	// 500 ms replica.fetch.wait.max.ms), long beside one look (a metadata request, about 2 ms).
	interval = 50 * time.Millisecond
	// longestLook bounds one look, so that a frozen broker costs a look and not the whole wait.
	longestLook = 5 * time.Second
)

// Observe looks once. It returns what it saw, whether that is the wanted state, and an error when it could not see.
// An error only ends the wait when it was made by Stop.
type Observe[T any] func(ctx context.Context) (seen T, done bool, err error)

// Until looks at once and then again and again, until observe says done; it returns what was seen then.
//
// It returns an *Error when the bound passes, when ctx ends, or when a look returns an error made by Stop. The
// bound comes from a broker setting; name it in what, for example
// "telemetry-3 has a new leader (broker.session.timeout.ms 9s)".
func Until[T any](ctx context.Context, what string, within time.Duration, observe Observe[T]) (T, error) {
	started := time.Now()
	ctx, cancel := context.WithDeadlineCause(ctx, started.Add(within), errBound)
	defer cancel()
	failure := Error{What: what, Within: within}
	var last T
	for {
		seen, done, err := look(ctx, observe)
		if err == nil && done {
			return seen, nil
		}
		if ctx.Err() == nil || failure.Looks == 0 { // a look that the end of the wait cut off may tell what is not so
			failure.Err = err
			if err == nil {
				last = seen
				failure.Last = describe(seen)
			}
		}
		failure.Looks++
		if stop := new(stopError); errors.As(err, &stop) {
			failure.Err = stop.err
			return last, failure.ended(started, nil)
		}
		if pause(ctx) != nil {
			return last, failure.ended(started, context.Cause(ctx))
		}
	}
}

// Stays looks again and again during the whole of a period and returns nil when observe said done every time.
// The first look that does not, or that fails, ends it with an *Error.
func Stays[T any](ctx context.Context, what string, during time.Duration, observe Observe[T]) error {
	started := time.Now()
	failure := Error{What: what, Within: during, stays: true}
	for {
		seen, done, err := look(ctx, observe)
		failure.Looks++
		if err != nil || !done {
			failure.Err = err
			if err == nil {
				failure.Last = describe(seen)
			}
			return failure.ended(started, context.Cause(ctx))
		}
		if time.Since(started) >= during {
			return nil
		}
		if pause(ctx) != nil {
			failure.Last = describe(seen)
			return failure.ended(started, context.Cause(ctx))
		}
	}
}

// Stop marks an error as final: a state that no later look can mend, such as a container that exited.
func Stop(err error) error { return &stopError{err} }

type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }
func (e *stopError) Unwrap() error { return e.err }

var errBound = errors.New("the bound has passed")

func look[T any](ctx context.Context, observe Observe[T]) (T, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, longestLook)
	defer cancel()
	return observe(ctx)
}

func pause(ctx context.Context) error {
	timer := time.NewTimer(interval)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func describe(seen any) string {
	if s, ok := seen.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%v", seen)
}

// IsStop reports whether an error, or one that it wraps, was made by Stop.
func IsStop(err error) bool {
	var stop *stopError
	return errors.As(err, &stop)
}

// Watch looks again and again until ctx ends; what it sees is the business of look. It waits for nothing: it is for
// recorders, whose evidence is read later.
func Watch(ctx context.Context, every time.Duration, look func(ctx context.Context)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for ctx.Err() == nil {
		look(ctx)
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}
