package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// maxConcurrentFetches bounds the details that are fetched at a time.
	maxConcurrentFetches = 8
	// maxFetchWait bounds the wait of a query for details. It is below Grafana's own timeout of 30 s.
	maxFetchWait = 25 * time.Second
	// maxBackground bounds the queries whose remaining details are fetched after their wait, and backgroundFetch for how long.
	maxBackground   = 4
	backgroundFetch = 10 * time.Minute
)

// Wait is how long a query waits for details. All calls of [Fetch] for one query share it.
type Wait struct {
	// Since is when the query began, by the real clock.
	Since time.Time
	// Prompt ends the wait after Config.DetailsTimeout, for results that are useful without details. Other waits are 25 s at most, but
	// as short as prompt ones while the gateway limits the rate of requests.
	Prompt bool
	// Complete is for results that would be wrong without a detail: they wait for the gateway's pause, if it ends in time.
	Complete bool
}

// more is how long a query waits after the end of a prompt wait.
func (w Wait) more(c *Client) time.Duration {
	left := time.Until(w.Since.Add(maxFetchWait))
	if w.Prompt || c.limit.isLimited() && (!w.Complete || c.limit.pause() > left) {
		return 0
	}
	return left
}

// Details are details of several jobs.
type Details[T any] struct {
	// What names the detail: "checkpoints".
	What string
	// ByJob has those that were read, by the job's id.
	ByJob map[string]T
	// Pending is the number of jobs whose details are still being fetched, Failed that of jobs whose details could not be read, and
	// NotServed that of jobs for which the gateway does not serve the detail.
	Pending, Failed, NotServed int
	// Err is the error of one of the jobs that failed, or that of pending ones which the result needs. It is a *transport.Error, or nil.
	Err error
	// Limited is true if there are pending jobs because the gateway limits the rate of requests.
	Limited bool
}

// jobDetail is the detail of one job.
type jobDetail[T any] struct {
	id     string
	detail T
	err    error
}

// Fetch reads a detail of each job, in the order of the jobs. Its requests don't count for the budget of the query, because they are as
// many as jobs, and cached for all queries. It returns with all details, or after the wait with those so far.
// The others are fetched in the background, for the next query. The end of ctx cancels that.
func Fetch[T any](ctx context.Context, c *Client, jobs []Job, what string, wait Wait, read func(context.Context, Job) (T, error)) Details[T] {
	isBackground := &atomic.Bool{}
	fetching, cancel := context.WithTimeout(context.WithValue(transport.Paced(context.WithoutCancel(ctx)), detailKey{}, isBackground), backgroundFetch)
	results := make(chan jobDetail[T], len(jobs))
	panics.Go(ctx, "Fetching details panicked", func() {
		defer cancel()
		defer panics.WhenDone(c.life, cancel)()
		fetchAll(fetching, jobs, read, results)
	})
	got := Details[T]{What: what, ByJob: make(map[string]T, len(jobs)), Pending: len(jobs)}
	if err := got.collect(ctx, c, wait, results); err != nil {
		cancel()
		return Details[T]{What: what, ByJob: got.ByJob, Err: c.Transport.Explain(err), Failed: len(jobs) - len(got.ByJob)}
	}
	if got.Pending > 0 {
		isBackground.Store(true)
		c.keepFetching(fetching, cancel)
		got.Limited = c.limit.isLimited()
		if got.Err == nil && (!wait.Prompt || wait.Complete) {
			got.Err = got.pendingError(c)
		}
	}
	return got
}

// keepFetching lets a fetch go on in the background if there is room for it.
func (c *Client) keepFetching(fetching context.Context, cancel context.CancelFunc) {
	if !c.background.TryAcquire(1) {
		cancel()
		return
	}
	panics.WhenDone(fetching, func() { c.background.Release(1) })
}

// fetchAll reads a detail of each job, and sends each result, which there is room for. After an error that affects all jobs the
// others fail, too.
func fetchAll[T any](ctx context.Context, jobs []Job, read func(context.Context, Job) (T, error), results chan<- jobDetail[T]) {
	group, ctx := panics.NewGroup(ctx)
	group.SetLimit(maxConcurrentFetches)
	for _, job := range jobs {
		group.Go(func() error {
			one := jobDetail[T]{id: job.ID, err: panics.Err}
			defer func() { results <- one }()
			one.detail, one.err = read(ctx, job)
			return affectingAllJobs(one.err)
		})
	}
	_ = group.Wait() // each result has its error
}

// affectingAllJobs is the error if requests for other jobs would fail in the same way.
func affectingAllJobs(err error) error {
	for _, kind := range []error{transport.ErrCredential, transport.ErrRedirect, transport.ErrNotFound} {
		if errors.Is(err, kind) && !errors.Is(err, ErrNotServed) {
			return err
		}
	}
	return nil
}

// collect adds results until none is pending or the wait is over. Its error is that of ctx.
func (d *Details[T]) collect(ctx context.Context, c *Client, wait Wait, results <-chan jobDetail[T]) error {
	deadline := time.NewTimer(time.Until(wait.Since.Add(c.DetailsTimeout)))
	defer deadline.Stop()
	for d.Pending > 0 {
		select {
		case one := <-results:
			d.Pending--
			d.add(c, one)
		case <-deadline.C:
			more := wait.more(c)
			if more <= 0 {
				return nil
			}
			deadline.Reset(more)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// add adds the detail of a job.
func (d *Details[T]) add(c *Client, one jobDetail[T]) {
	switch {
	case one.err == nil:
		d.ByJob[one.id] = one.detail
	case errors.Is(one.err, ErrNotServed):
		d.NotServed++
	default:
		d.Failed++
		if d.Err == nil {
			d.Err = c.Transport.Explain(one.err)
		}
	}
}

// pendingError is the error of a result that can't be shown without its pending details.
func (d *Details[T]) pendingError(c *Client) error {
	if !d.Limited {
		return c.Transport.Explain(context.DeadlineExceeded)
	}
	pause, when := c.limit.pause(), "in a moment"
	if pause >= time.Second {
		when = "in " + pause.Round(time.Second).String()
	}
	return &transport.Error{Kind: transport.ErrRateLimited, Status: http.StatusTooManyRequests, RetryAfter: pause, Message: fmt.Sprintf(
		"The %s of %s are still being read, because the tuning gateway limits the rate of requests. Try again %s.", d.What, query.Plural(d.Pending, "job"), when)}
}
