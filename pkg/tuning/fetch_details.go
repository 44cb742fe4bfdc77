package tuning

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// maxFetchWait bounds the wait of a query for details. It is below Grafana's own timeout of 30 s.
	maxFetchWait = 25 * time.Second
	// backgroundFetch is the time for which requests continue after the wait, to fill the cache for the next refresh.
	backgroundFetch = time.Minute
)

// cacheOnly is the context key of the error of requests, if only cache entries are to be read.
type cacheOnly struct{}

// jobDetails are details of several jobs, by job id.
type jobDetails[T any] struct {
	byJob map[string]T
	// pending is the number of jobs whose requests had not ended at the timeout.
	pending int
	// failed is the number of jobs whose details could not be read, and err the error of one of them, or the timeout.
	failed int
	err    error
	// notServed is the number of jobs for which the gateway does not serve the detail.
	notServed int
}

// fetchDetails fetches a detail of each job, a few jobs at a time, in their order.
//
// It returns after the timeout, or after maxFetchWait if that is 0, with the details so far. The requests continue in the
// background for a minute, so that the next query finds the rest in the cache. After an error that affects all jobs alike it
// reads cache entries only. The end of ctx cancels everything.
func fetchDetails[T any](ctx context.Context, c *Client, jobs []Job, timeout time.Duration, fetch func(context.Context, Job) (T, error)) jobDetails[T] {
	var (
		lock sync.Mutex
		got  = jobDetails[T]{byJob: make(map[string]T, len(jobs))}
		// failure is an error that affects all jobs alike.
		failure atomic.Pointer[error]
	)
	wait := timeout
	if wait <= 0 {
		wait = maxFetchWait
	}
	work, stop := context.WithTimeout(context.WithoutCancel(ctx), wait+backgroundFetch)
	unlink := context.AfterFunc(c.responses.Life(), stop)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer stop()
		defer unlink()
		var group errgroup.Group
		group.SetLimit(maxConcurrentRequests)
		for _, job := range jobs {
			if work.Err() != nil {
				break
			}
			group.Go(func() error {
				ctx := work
				if cause := failure.Load(); cause != nil {
					ctx = context.WithValue(work, cacheOnly{}, *cause)
				}
				detail, err := fetch(ctx, job)
				lock.Lock()
				defer lock.Unlock()
				switch {
				case err == nil:
					got.byJob[job.ID] = detail
				case errors.Is(err, errNotServed):
					got.notServed++
				default:
					got.failed++
					if got.err == nil {
						got.err = err
					}
					if affectsAllJobs(err) {
						failure.Store(&err) // requests that are under way may still succeed
					}
				}
				return nil
			})
		}
		_ = group.Wait()
	}()

	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
		stop()
		lock.Lock()
		defer lock.Unlock()
		return jobDetails[T]{byJob: maps.Clone(got.byJob), err: c.Transport.Explain(ctx.Err()), failed: len(jobs) - len(got.byJob)}
	}
	lock.Lock()
	defer lock.Unlock()
	result := got
	result.byJob = maps.Clone(got.byJob)
	if missing := len(jobs) - len(got.byJob) - got.notServed - got.failed; missing > 0 {
		if got.err != nil {
			result.failed += missing
		} else {
			result.pending = missing
			if timeout <= 0 {
				result.err = c.Transport.Explain(context.DeadlineExceeded)
			}
		}
	}
	return result
}

// affectsAllJobs reports whether requests for other jobs would fail in the same way.
func affectsAllJobs(err error) bool {
	for _, kind := range []error{transport.ErrCredential, transport.ErrRateLimited, transport.ErrUnavailable, transport.ErrTimeout, transport.ErrRedirect, transport.ErrNotFound} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// addNotices adds notices about missing details. It returns an error if there are none at all.
func (g jobDetails[T]) addNotices(q *query, what string) error {
	if g.err != nil && len(g.byJob) == 0 {
		return g.err
	}
	if g.failed > 0 {
		q.notices.warn("The %s of %s can't be read. %s", what, pluralize(g.failed, "job"), messageOf(g.err))
	}
	if g.pending > 0 {
		q.notices.info("The %s of %s are still being read, and will be there after the next refresh.", what, pluralize(g.pending, "job"))
	}
	return nil
}

// incomplete is the error if details of some jobs are missing, for numbers of alert rules, which would be wrong without them.
func (g jobDetails[T]) incomplete() error {
	if g.failed > 0 || g.pending > 0 {
		return g.err
	}
	return nil
}

// startedJobs are the jobs without those that can't have details yet.
func startedJobs(jobs []Job) []Job {
	var some []Job
	for _, job := range jobs {
		if job.ID != "" && !job.waiting() {
			some = append(some, job)
		}
	}
	return some
}

// explainNotServed adds a notice if the gateway does not serve the detail for any of the jobs.
func (g jobDetails[T]) explainNotServed(q *query, what string) {
	if g.notServed > 0 && len(g.byJob) == 0 {
		q.notices.info("The tuning gateway has no %s of the chosen jobs.", what)
	}
}
