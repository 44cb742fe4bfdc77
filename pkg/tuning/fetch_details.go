package tuning

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// longestGather is how long a query waits at most for the details of its jobs.
	longestGather = 25 * time.Second
	// afterGather is how long they go on being read for the next one.
	afterGather = time.Minute
)

// cacheOnly is the context key of the error for requests that aren't sent any more.
type cacheOnly struct{}

// gathered are details of many jobs, by job id.
type gathered[T any] struct {
	of map[string]T
	// late is how many jobs were still being asked about when patience ran out.
	late int
	// failed is how many jobs' details could not be read, and err why, for one of them, or that there was no time for any.
	failed int
	err    error
	// absent is how many jobs the gateway has nothing about.
	absent int
}

// gather asks for a detail of each job, a few jobs at a time, in their order.
//
// With patience it returns after that long with what it has; the rest goes on being read for another minute, so that the
// next answer has it from the cache. Without patience, 0, it does so after 25 s, before Grafana's own timeout of 30 s.
// After a failure that would meet every job alike it reads only what is in the cache. The end of ctx ends it.
func gather[T any](ctx context.Context, c *Client, jobs []Job, patience time.Duration, ask func(context.Context, Job) (T, error)) gathered[T] {
	var (
		lock sync.Mutex
		got  = gathered[T]{of: make(map[string]T, len(jobs))}
		// over is the failure that would meet every other job alike.
		over atomic.Pointer[error]
	)
	wait := patience
	if wait <= 0 {
		wait = longestGather
	}
	work, stop := context.WithTimeout(context.WithoutCancel(ctx), wait+afterGather)
	unlink := context.AfterFunc(c.answers.Life(), stop)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer stop()
		defer unlink()
		var group errgroup.Group
		group.SetLimit(maxCalls)
		for _, job := range jobs {
			if work.Err() != nil {
				break
			}
			group.Go(func() error {
				ctx := work
				if cause := over.Load(); cause != nil {
					ctx = context.WithValue(work, cacheOnly{}, *cause)
				}
				detail, err := ask(ctx, job)
				lock.Lock()
				defer lock.Unlock()
				switch {
				case err == nil:
					got.of[job.ID] = detail
				case errors.Is(err, errAbsent):
					got.absent++
				default:
					got.failed++
					if got.err == nil {
						got.err = err
					}
					if hopeless(err) {
						over.Store(&err) // what is under way may still be answered
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
		return gathered[T]{of: copyOf(got.of), err: c.Transport.Explain(ctx.Err()), failed: len(jobs) - len(got.of)}
	}
	lock.Lock()
	defer lock.Unlock()
	result := got
	result.of = copyOf(got.of)
	if missing := len(jobs) - len(got.of) - got.absent - got.failed; missing > 0 {
		if got.err != nil {
			result.failed += missing
		} else {
			result.late = missing
			if patience <= 0 {
				result.err = c.Transport.Explain(context.DeadlineExceeded)
			}
		}
	}
	return result
}

// hopeless tells whether asking about other jobs would only repeat the failure.
func hopeless(err error) bool {
	for _, kind := range []error{transport.ErrCredential, transport.ErrRateLimited, transport.ErrUnavailable, transport.ErrTimeout, transport.ErrRedirect, transport.ErrNotFound} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

func copyOf[T any](from map[string]T) map[string]T {
	to := make(map[string]T, len(from))
	for id, value := range from {
		to[id] = value
	}
	return to
}

// complain tells what is missing of the details. It returns an error if nothing could be read at all.
func (g gathered[T]) complain(q *query, what string) error {
	if g.err != nil && len(g.of) == 0 {
		return g.err
	}
	if g.failed > 0 {
		q.notices.warn("The %s of %s can't be read. %s", what, counted(g.failed, "job"), reasonOf(g.err))
	}
	if g.late > 0 {
		q.notices.info("The %s of %s are still being read, and will be there after the next refresh.", what, counted(g.late, "job"))
	}
	return nil
}

// incomplete is why not all details are there, or nil. A number that an alert rule evaluates must not be of some of the jobs.
func (g gathered[T]) incomplete() error {
	if g.failed > 0 || g.late > 0 {
		return g.err
	}
	return nil
}

// begun leaves out jobs that can't have anything yet.
func begun(jobs []Job) []Job {
	var some []Job
	for _, job := range jobs {
		if job.ID != "" && !job.waiting() {
			some = append(some, job)
		}
	}
	return some
}

// explainAbsent tells that the gateway has nothing about any of the jobs, which usually means that it does not serve it.
func (g gathered[T]) explainAbsent(q *query, what string) {
	if g.absent > 0 && len(g.of) == 0 {
		q.notices.info("The tuning gateway has no %s of the chosen jobs.", what)
	}
}
