package results_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
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

func TestCoalesce_OneCallerCancels(t *testing.T) {
	for name, canceled := range map[string]int{"the first caller": 0, "a later caller": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlatform(up)
				c := newCache(t, p)
				release := p.hold()
				var callers []*caller
				for range 3 {
					callers = append(callers, start(c, last(time.Hour, noon)))
					synctest.Wait() // until this one shares the request
				}
				callers[canceled].cancel()
				<-callers[canceled].done
				require.ErrorIs(t, callers[canceled].err, context.Canceled)
				release()
				for _, w := range slices.Delete(callers, canceled, canceled+1) {
					<-w.done
					require.NoError(t, w.err)
					requireSameResult(t, p.uncached(last(time.Hour, noon)), w.got)
				}
				require.Equal(t, []string{"11:00-12:00"}, p.takeRequests())
				require.Empty(t, p.ended)
			})
		})
	}
}

func TestCoalesce_AllCallersCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(up)
		c := newCache(t, p)
		p.hold()
		callers := []*caller{start(c, last(time.Hour, noon)), start(c, last(time.Hour, noon))}
		synctest.Wait()
		for _, w := range callers {
			require.Empty(t, p.ended, "a caller waits")
			w.cancel()
			<-w.done
			synctest.Wait()
		}
		require.Len(t, p.ended, 1, "the request is canceled with its last caller")
		require.ErrorIs(t, p.ended[0], context.Canceled)
		p.gate = nil
		require.Equal(t, 61, query(t, c, p, last(time.Hour, noon)).FetchedSteps, "the next caller sends a new request")
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

func TestCoalesce_ManyCallers(t *testing.T) {
	p := newPlatform(up, between(map[string]string{"pod": "a"}, noon.Add(-time.Hour), noon.Add(2*minute)))
	c := newCache(t, p)
	for range 20 {
		var group sync.WaitGroup
		for client := range 16 {
			group.Go(func() {
				q := last(time.Duration(1+client%4)*30*minute, p.now().Add(-time.Duration(client%3)*minute))
				if client%5 == 0 {
					w := start(c, q)
					w.cancel()
					<-w.done
					return
				}
				got, _, err := ask(context.Background(), c, q)
				if err == nil {
					requireSameResult(t, p.uncached(q), got)
				} else {
					t.Error(err)
				}
			})
		}
		group.Wait()
		p.advance(minute)
	}
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

func TestCoalesce_Panic(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	p.change = func(*response) { panic("a defect") }
	_, _, err := ask(context.Background(), c, last(time.Hour, noon))
	require.ErrorIs(t, err, panics.Err)
	p.change = nil
	query(t, c, p, last(time.Hour, noon))
}
