package tuning

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// maxConcurrentFetches bounds the details that are fetched at a time.
	maxConcurrentFetches = 8
	// maxFetches bounds the details that wait to be fetched.
	maxFetches = 2 * maxJobs
	// backgroundFetch is the time for which details are fetched after the last query for them, to fill the cache.
	backgroundFetch = 10 * time.Minute
)

// fetchQueue fetches details of jobs into the cache, each once, whatever the number of queries that want it. First are those
// that a query waits for, in turns between queries. The others are fetched in the background.
type fetchQueue struct {
	pace *pacer
	// life is the client's.
	life  context.Context
	slots *semaphore.Weighted

	lock sync.Mutex
	// fetches are those that wait or are under way, by cache key.
	fetches map[string]*fetch
	// dispatching is true while a goroutine starts fetches.
	dispatching bool
	// turn is the highest turn that has come, and added numbers fetches.
	turn, added int
}

// fetch is a detail to be fetched.
type fetch struct {
	missing
	// turn is that of the queue when the query came, plus the position in the query, so that queries take turns. added is the
	// order within a turn.
	turn, added int
	// wanted is the time of the last query for it.
	wanted time.Time
	// batches are the queries that wait. Without any, the fetch is in the background.
	batches  map[*batch]bool
	underWay bool
	cancel   context.CancelFunc

	// value and err are the result, after the fetch has been sent to the batches.
	value any
	err   error
}

// batch is a query that waits for details.
type batch struct {
	// finished has room for all fetches that the batch waits for.
	finished chan *fetch
}

func newFetchQueue(life context.Context, pace *pacer) *fetchQueue {
	return &fetchQueue{pace: pace, life: life, slots: semaphore.NewWeighted(maxConcurrentFetches), fetches: map[string]*fetch{}}
}

// compare sorts by urgency: what a query waits for, by turns.
func (f *fetch) compare(other *fetch) int {
	if waits := len(f.batches) > 0; waits != (len(other.batches) > 0) {
		if waits {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(f.turn, other.turn), cmp.Compare(f.added, other.added))
}

// want adds a detail at a position in a batch, which gets it in finished; without a batch it is for the background. If too many
// details wait, the least urgent of them is dropped. The caller calls recheck of the pacer after its last detail.
func (q *fetchQueue) want(b *batch, detail missing, position int) {
	q.lock.Lock()
	defer q.lock.Unlock()
	f, known := q.fetches[detail.key]
	if !known {
		f = &fetch{missing: detail, turn: q.turn + position, added: q.added, batches: map[*batch]bool{}}
		q.added++
		q.fetches[f.key] = f
	}
	f.turn, f.wanted = min(f.turn, q.turn+position), time.Now()
	if b != nil {
		f.batches[b] = true
	}
	if len(q.fetches) > maxFetches {
		q.drop(q.best(func(f, best *fetch) bool { return f.compare(best) > 0 }))
	}
	q.start()
}

// isBusy reports whether there are fetches.
func (q *fetchQueue) isBusy() bool {
	q.lock.Lock()
	defer q.lock.Unlock()
	return len(q.fetches) > 0
}

// start makes sure that fetches are dispatched. The caller holds the lock.
func (q *fetchQueue) start() {
	if !q.dispatching {
		q.dispatching = true
		go q.dispatch()
	}
}

// release ends the wait of a batch. With the query canceled, what nobody else wants is not fetched.
func (q *fetchQueue) release(b *batch, canceled bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	for _, f := range q.fetches {
		if !f.batches[b] {
			continue
		}
		delete(f.batches, b)
		f.wanted = time.Now()
		if canceled && len(f.batches) == 0 {
			q.drop(f)
		}
	}
}

// drop removes a fetch without a result. The caller holds the lock.
func (q *fetchQueue) drop(f *fetch) {
	if f == nil {
		return
	}
	delete(q.fetches, f.key)
	if f.cancel != nil {
		f.cancel()
	}
}

// best is the fetch that waits and precedes all others, or nil. The caller holds the lock.
func (q *fetchQueue) best(precedes func(f, best *fetch) bool) *fetch {
	var best *fetch
	for _, f := range q.fetches {
		if !f.underWay && (best == nil || precedes(f, best)) {
			best = f
		}
	}
	return best
}

// next is the fetch that precedes all others, or nil. The caller holds the lock.
func (q *fetchQueue) next() *fetch {
	return q.best(func(f, best *fetch) bool { return f.compare(best) < 0 })
}

// leave is the number of requests that the next fetch leaves to others.
func (q *fetchQueue) leave() int {
	q.lock.Lock()
	defer q.lock.Unlock()
	if f := q.next(); f == nil || len(f.batches) > 0 {
		return 0
	}
	return reserve
}

// dispatch starts fetches until none waits, or the client is closed.
func (q *fetchQueue) dispatch() {
	for {
		err := q.slots.Acquire(q.life, 1)
		if err == nil {
			if err = q.pace.wait(q.life, q.leave); err != nil {
				q.slots.Release(1)
			}
		}
		f := q.take(err)
		if f == nil {
			if err == nil {
				q.slots.Release(1)
			}
			return
		}
		go q.run(f)
	}
}

// take takes the next fetch to run, or nil at the end of the dispatch. With an error, which is the end of the client, all fail.
func (q *fetchQueue) take(err error) *fetch {
	q.lock.Lock()
	defer q.lock.Unlock()
	if err != nil {
		q.failWaiting(err)
	}
	maps.DeleteFunc(q.fetches, func(_ string, f *fetch) bool {
		return !f.underWay && len(f.batches) == 0 && time.Since(f.wanted) > backgroundFetch
	})
	f := q.next()
	if f == nil {
		q.dispatching = false
		return nil
	}
	f.underWay = true
	q.turn = max(q.turn, f.turn)
	return f
}

// run runs a fetch. After a 429 it waits again.
func (q *fetchQueue) run(f *fetch) {
	defer q.slots.Release(1)
	ctx, cancel := context.WithCancel(asFetch(q.life))
	defer cancel()
	q.lock.Lock()
	f.cancel = cancel
	q.lock.Unlock()
	value, err := f.recovered(ctx)

	q.lock.Lock()
	defer q.lock.Unlock()
	f.underWay, f.cancel = false, nil
	if q.fetches[f.key] != f {
		return // it was dropped
	}
	if errors.Is(err, transport.ErrRateLimited) {
		q.start()
		return
	}
	q.finish(f, value, err)
	if err != nil && affectsAllJobs(err) {
		q.failWaiting(err)
	}
}

func (f *fetch) recovered(ctx context.Context) (value any, err error) {
	defer func() {
		if recover() != nil {
			err = panics.Recovered(ctx, "Fetching a detail panicked")
		}
	}()
	return f.load(ctx)
}

// failWaiting fails all that waits. The caller holds the lock.
func (q *fetchQueue) failWaiting(err error) {
	for _, f := range q.fetches {
		if !f.underWay {
			q.finish(f, nil, err)
		}
	}
}

// finish sends the result to the batches. The caller holds the lock.
func (q *fetchQueue) finish(f *fetch, value any, err error) {
	delete(q.fetches, f.key)
	f.value, f.err = value, err
	for b := range f.batches {
		b.finished <- f
	}
}

// affectsAllJobs reports whether requests for other jobs would fail in the same way.
func affectsAllJobs(err error) bool {
	kinds := []error{transport.ErrCredential, transport.ErrUnavailable, transport.ErrTimeout, transport.ErrRedirect, transport.ErrNotFound}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

// fetchKey is the context key of whether the next request of a fetch is its first.
type fetchKey struct{}

func isFetch(ctx context.Context) bool { return ctx.Value(fetchKey{}) != nil }

// asFetch marks requests as those of a fetch, which has waited for its first one.
func asFetch(ctx context.Context) context.Context {
	first := true
	return context.WithValue(transport.Paced(ctx), fetchKey{}, &first)
}
