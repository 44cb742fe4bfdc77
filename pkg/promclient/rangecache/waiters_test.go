package rangecache_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

// waiter is someone who asks.
type waiter struct {
	got    *promjson.Result
	err    error
	cancel context.CancelFunc
	done   chan struct{}
}

func wait(c *rangecache.Cache, p *fakePlatform, q rangecache.RangeQuery) *waiter {
	ctx, cancel := context.WithCancel(context.Background())
	w := &waiter{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.got, _, w.err = c.Range(ctx, q, p.fetch(q.Step))
	}()
	return w
}

// hold keeps what is asked waiting, until the function that it returns is called.
func (p *fakePlatform) hold() (release func()) {
	gate := make(chan struct{})
	p.mu.Lock()
	p.gate = gate
	p.mu.Unlock()
	return func() { close(gate) }
}

func TestTheSameQuestionAtTheSameTimeIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(up)
		c := newCache(t, p)
		for range 3 {
			coalesced := metric(t, "gpucloud_cache_coalesced_total")
			release := p.hold()
			var waiters []*waiter
			for range 20 {
				waiters = append(waiters, wait(c, p, last(time.Hour, p.now())))
			}
			synctest.Wait() // until all of them wait
			release()
			for _, w := range waiters {
				<-w.done
				require.NoError(t, w.err)
				sameResult(t, p.uncached(last(time.Hour, p.now())), w.got)
			}
			require.Len(t, p.takeAsked(), 1)
			require.Equal(t, coalesced+19, metric(t, "gpucloud_cache_coalesced_total"))
			p.advance(minute)
		}
	})
}

func TestOneWhoGivesUpLeavesTheAnswerToTheOthers(t *testing.T) {
	for name, leaves := range map[string]int{"the one who asked first": 0, "one who came later": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlatform(up)
				c := newCache(t, p)
				release := p.hold()
				var waiters []*waiter
				for range 3 {
					waiters = append(waiters, wait(c, p, last(time.Hour, noon)))
					synctest.Wait() // until this one waits, too
				}
				waiters[leaves].cancel()
				<-waiters[leaves].done
				require.ErrorIs(t, waiters[leaves].err, context.Canceled)
				release()
				for _, w := range slices.Delete(waiters, leaves, leaves+1) {
					<-w.done
					require.NoError(t, w.err)
					sameResult(t, p.uncached(last(time.Hour, noon)), w.got)
				}
				require.Equal(t, []string{"11:00-12:00"}, p.takeAsked())
				require.Empty(t, p.ended)
			})
		})
	}
}

func TestNobodyAsksForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(up)
		c := newCache(t, p)
		p.hold()
		waiters := []*waiter{wait(c, p, last(time.Hour, noon)), wait(c, p, last(time.Hour, noon))}
		synctest.Wait()
		for _, w := range waiters {
			require.Empty(t, p.ended, "someone still waits")
			w.cancel()
			<-w.done
			synctest.Wait()
		}
		require.Len(t, p.ended, 1, "the question goes on without anyone who waits for it")
		require.ErrorIs(t, p.ended[0], context.Canceled)
		p.gate = nil
		require.Equal(t, 61, ask(t, c, p, last(time.Hour, noon)).AskedSteps, "the next one asks anew")
	})
}

func TestARangeOrStepThatChangesWhileAQuestionIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlatform(up)
		c := newCache(t, p)
		ask(t, c, p, last(time.Hour, p.now()))
		p.advance(minute)
		queries := []rangecache.RangeQuery{
			last(time.Hour, p.now()),
			last(3*time.Hour, p.now()),
			last(10*minute, p.now()),
			last(time.Hour, p.now().Add(-4*time.Hour)),
			{Expr: "up", Start: noon.Add(-2 * time.Hour), End: noon, Step: 5 * minute},
		}
		p.takeAsked()
		release := p.hold()
		var waiters []*waiter
		for _, q := range queries {
			waiters = append(waiters, wait(c, p, q))
			synctest.Wait()
		}
		release()
		for i, w := range waiters {
			<-w.done
			require.NoError(t, w.err)
			sameResult(t, p.uncached(queries[i]), w.got)
		}
	})
}

func TestManyViewersAtOnceGetWhatThePlatformSays(t *testing.T) {
	p := newPlatform(up, between(map[string]string{"pod": "a"}, noon.Add(-time.Hour), noon.Add(2*minute)))
	c := newCache(t, p)
	for range 20 {
		var group sync.WaitGroup
		for viewer := range 16 {
			group.Go(func() {
				q := last(time.Duration(1+viewer%4)*30*minute, p.now().Add(-time.Duration(viewer%3)*minute))
				if viewer%5 == 0 {
					w := wait(c, p, q)
					w.cancel()
					<-w.done
					return
				}
				got, _, err := c.Range(context.Background(), q, p.fetch(q.Step))
				if err == nil {
					sameResult(t, p.uncached(q), got)
				} else {
					t.Error(err)
				}
			})
		}
		group.Wait()
		p.advance(minute)
	}
}

func TestWhatPanicsEndsWithThoseWhoAsked(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	p.change = func(*rangecache.Answer) { panic("a mistake") }
	require.Panics(t, func() { _, _, _ = c.Range(context.Background(), last(time.Hour, noon), p.fetch(minute)) })
	p.change = nil
	ask(t, c, p, last(time.Hour, noon))
}
