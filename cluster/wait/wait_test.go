package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kafka-ha/cluster/wait"
)

func TestUntil(t *testing.T) {
	t.Run("the wanted state at the first look, returns without a pause", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			seen, err := wait.Until(t.Context(), "leader", time.Second, func(context.Context) (int, bool, error) { return 3, true, nil })
			require.NoError(t, err)
			assert.Equal(t, 3, seen)
			assert.Zero(t, time.Since(began))
		})
	})
	t.Run("never the wanted state, says wanted, last seen, how long and how often", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, err := wait.Until(t.Context(), "ISR without broker 1", 990*time.Millisecond, func(context.Context) (string, bool, error) { return "[1 2 3]", false, nil })
			assert.EqualError(t, err, "wanted: ISR without broker 1; last seen: [1 2 3] after 990ms of 990ms and 20 looks")
		})
	})
	t.Run("looks that cannot see, keeps the last state and the last error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			looks := 0
			_, err := wait.Until(t.Context(), "leader", 120*time.Millisecond, func(context.Context) (int, bool, error) {
				if looks++; looks == 1 {
					return 7, false, nil
				}
				return 0, false, errors.New("connection refused")
			})
			require.ErrorContains(t, err, "last seen: 7")
			assert.ErrorContains(t, err, "connection refused")
		})
	})
	t.Run("an error made by Stop, ends at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			exited := errors.New("broker 2 exited with code 1")
			_, err := wait.Until(t.Context(), "ready", time.Minute, func(context.Context) (int, bool, error) { return 0, false, wait.Stop(exited) })
			require.ErrorIs(t, err, exited)
			var failure *wait.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, 1, failure.Looks)
			assert.Zero(t, failure.Elapsed)
		})
	})
	t.Run("a cancelled run, is told apart from the bound", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			interrupted := errors.New("interrupt received")
			time.AfterFunc(200*time.Millisecond, func() { cancel(interrupted) })
			_, err := wait.Until(ctx, "leader", time.Minute, func(context.Context) (int, bool, error) { return 0, false, nil })
			require.ErrorIs(t, err, interrupted)
			assert.ErrorContains(t, err, "cut short: interrupt received")
		})
	})
	t.Run("one look that hangs, costs its own limit and not the wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			looks := 0
			_, err := wait.Until(t.Context(), "leader", time.Minute, func(ctx context.Context) (int, bool, error) {
				if looks++; looks == 1 {
					<-ctx.Done()
					return 0, false, ctx.Err()
				}
				return 1, true, nil
			})
			assert.NoError(t, err)
		})
	})
}

func TestStays(t *testing.T) {
	holds := func(until time.Duration) wait.Observe[string] {
		began := time.Now()
		return func(context.Context) (string, bool, error) {
			now := time.Since(began)
			return now.String(), now < until, nil
		}
	}
	t.Run("the state holds for the whole period, passes and takes that long", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			require.NoError(t, wait.Stays(t.Context(), "leader 2", 2*time.Second, holds(time.Hour)))
			assert.Equal(t, 2*time.Second, time.Since(began))
		})
	})
	t.Run("the state ends within the period, fails with the moment", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			err := wait.Stays(t.Context(), "leader 2", 2*time.Second, holds(time.Second))
			assert.EqualError(t, err, "wanted for 2s: leader 2; last seen: 1s after 1s and 21 looks")
		})
	})
	t.Run("a look that cannot see, fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			err := wait.Stays(t.Context(), "leader 2", time.Second, func(context.Context) (int, bool, error) { return 0, true, errors.New("no route") })
			assert.ErrorContains(t, err, "no route")
		})
	})
}
