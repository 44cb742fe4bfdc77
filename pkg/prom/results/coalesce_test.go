package results_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
)

// caller is a range query in a goroutine of its own.
type caller struct {
	got    *promql.Result
	err    error
	cancel context.CancelFunc
	done   chan struct{}
}

func start(c *results.Cache, q rangeQuery) *caller {
	ctx, cancel := context.WithCancel(context.Background())
	w := &caller{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.got, _, w.err = ask(ctx, c, q)
	}()
	return w
}

// hold delays responses until the returned function is called.
func (p *fakePlatform) hold() (release func()) {
	gate := make(chan struct{})
	p.mu.Lock()
	p.gate = gate
	p.mu.Unlock()
	return func() { close(gate) }
}

func TestCoalesce_IdenticalQueries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(up)
		c := newCache(t, p)
		for range 3 {
			release := p.hold()
			var callers []*caller
			for range 20 {
				callers = append(callers, start(c, last(time.Hour, p.now())))
			}
			synctest.Wait() // until all of them share the request
			release()
			for _, w := range callers {
				<-w.done
				require.NoError(t, w.err)
				requireSameResult(t, p.uncached(last(time.Hour, p.now())), w.got)
			}
			require.Len(t, p.takeRequests(), 1)
			p.advance(minute)
		}
	})
}

func TestCoalesce_DifferentRanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(up)
		c := newCache(t, p)
		query(t, c, p, last(time.Hour, p.now()))
		p.advance(minute)
		queries := []rangeQuery{
			last(time.Hour, p.now()),
			last(3*time.Hour, p.now()),
			last(10*minute, p.now()),
			last(time.Hour, p.now().Add(-4*time.Hour)),
			{Expr: "up", Start: noon.Add(-2 * time.Hour), End: noon, Step: 5 * minute},
		}
		p.takeRequests()
		release := p.hold()
		var callers []*caller
		for _, q := range queries {
			callers = append(callers, start(c, q))
			synctest.Wait()
		}
		release()
		for i, w := range callers {
			<-w.done
			require.NoError(t, w.err)
			requireSameResult(t, p.uncached(queries[i]), w.got)
		}
	})
}

func TestClear_ResultInFlightNotCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(up)
		c := newCache(t, p)
		release := p.hold()
		inFlight := start(c, last(time.Hour, noon))
		synctest.Wait()
		c.Clear()
		release()
		<-inFlight.done
		require.NoError(t, inFlight.err)
		require.Zero(t, query(t, c, p, last(time.Hour, noon)).CachedSteps)
	})
}
