package tuning

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// maxFetchWait bounds the wait of a query for details. It is below Grafana's own timeout of 30 s.
const maxFetchWait = 25 * time.Second

// patience is how long a query waits for details.
type patience bool

const (
	// prompt is up to Config.DetailsTimeout, for results that are useful without details.
	prompt patience = false
	// patient is up to maxFetchWait. If the gateway limits the rate of requests it is as short as prompt, unless the result
	// must be complete and the gateway lets it go on within that time.
	patient patience = true
)

// jobDetails are details of several jobs, by job id.
type jobDetails[T any] struct {
	// what names the detail: "checkpoints".
	what  string
	byJob map[string]T
	// pending is the number of jobs whose details are still being fetched.
	pending int
	// failed is the number of jobs whose details could not be read.
	failed int
	// err is the error of one of the jobs that failed, or that of a patient query with pending jobs.
	err error
	// limited is true if the gateway limits the rate of requests, and left about the time until pending is 0 then.
	limited bool
	left    time.Duration
	// notServed is the number of jobs for which the gateway does not serve the detail.
	notServed int
	// oldest is the age of the oldest detail that has expired, or 0.
	oldest time.Duration
}

// fetchDetails reads a detail of each job from the cache, and fetches what is missing there, in the order of the jobs, but
// first of those that overlap the range. It returns with all details, or after the wait with those so far. The others are
// fetched in the background, for the next query. The end of ctx cancels what no other query waits for.
//
// read is called again after the fetch of a detail that it missed. All calls of one query share the wait.
func fetchDetails[T any](ctx context.Context, c *Client, q *parsedQuery, jobs []Job, what string, wait patience, read func(*reader, Job) (T, error)) jobDetails[T] {
	got := jobDetails[T]{what: what, byJob: make(map[string]T, len(jobs))}
	r := c.newReader(q, len(jobs))
	jobs = q.overlappingFirst(jobs)
	// missing are the indexes of the jobs that wait for a fetch, by its key.
	missing := map[string][]int{}
	readJob := func(i, position int) {
		detail, err := read(r, jobs[i])
		switch {
		case r.missing != nil:
			c.queue.want(r.batch, *r.missing, position)
			missing[r.missing.key] = append(missing[r.missing.key], i)
			r.missing = nil
		case err == nil:
			got.byJob[jobs[i].ID] = detail
		case errors.Is(err, errNotServed):
			got.notServed++
		default:
			got.failed++
			if got.err == nil {
				got.err = c.explain(err)
			}
		}
	}
	for i := range jobs {
		readJob(i, len(missing))
	}
	c.pace.recheck()
	early, late := q.waits(c)
	defer early.Stop()
	defer late.Stop()
	// limited is closed at the first 429. It is nil until the end of the prompt wait.
	var limited <-chan struct{}
	for over := false; len(missing) > 0 && !over; {
		select {
		case f := <-r.batch.finished:
			r.fetched[f.key] = f
			waiting := missing[f.key]
			delete(missing, f.key)
			for _, i := range waiting {
				readJob(i, 0) // a job is finished before the next one is begun
			}
			c.pace.recheck()
		case <-early.C:
			over = wait == prompt
			limited = c.pace.limited()
		case <-limited:
			if q.mustBeComplete() {
				over = c.pace.isPausedAt(q.fetching.Add(maxFetchWait))
			} else {
				over = len(got.byJob) > 0 || time.Since(q.fetching) > 2*c.DetailsTimeout
			}
			if !over {
				limited = nil
				early.Reset(c.DetailsTimeout)
			}
		case <-late.C:
			over = true
		case <-ctx.Done():
			c.queue.release(r.batch, true)
			return jobDetails[T]{what: what, byJob: got.byJob, err: c.Transport.Explain(ctx.Err()), failed: len(jobs) - len(got.byJob)}
		}
	}
	c.queue.release(r.batch, false)
	for _, waiting := range missing {
		got.pending += len(waiting)
	}
	got.oldest = r.oldest
	got.left, got.limited = c.pace.estimate(got.pending)
	if got.pending > 0 && got.err == nil && (wait == patient || q.mustBeComplete()) {
		got.err = c.pendingError(got.limited, got.left, what, got.pending)
	}
	return got
}

// waits are the timers of the end of a prompt and of a patient wait. They begin with the first call for a query.
func (q *parsedQuery) waits(c *Client) (early, late *time.Timer) {
	if q.fetching.IsZero() {
		q.fetching = time.Now()
	}
	return time.NewTimer(time.Until(q.fetching.Add(c.DetailsTimeout))), time.NewTimer(time.Until(q.fetching.Add(maxFetchWait)))
}

// overlappingFirst are the jobs that overlap the range, followed by the others.
func (q *parsedQuery) overlappingFirst(jobs []Job) []Job {
	var others []Job
	sorted := slices.DeleteFunc(slices.Clone(jobs), func(job Job) bool {
		if job.overlaps(q.from, q.to) {
			return false
		}
		others = append(others, job)
		return true
	})
	return append(sorted, others...)
}

// pendingError is the error of a result that can't be shown without its pending details.
func (c *Client) pendingError(limited bool, left time.Duration, what string, jobs int) error {
	if !limited {
		return c.Transport.Explain(context.DeadlineExceeded)
	}
	return &transport.Error{Kind: transport.ErrRateLimited, Status: http.StatusTooManyRequests, RetryAfter: left, Message: fmt.Sprintf(
		"The %s of %s are still being read, because the tuning gateway limits the rate of requests. Try again in about %s.",
		what, query.Plural(jobs, "job"), roughly(left))}
}

// roughly writes a duration in tens of seconds or in minutes, rounded up.
func roughly(d time.Duration) string {
	if d <= 90*time.Second {
		return fmt.Sprintf("%d seconds", 10*max(1, int(math.Ceil(d.Seconds()/10))))
	}
	return fmt.Sprintf("%d minutes", int(math.Ceil(d.Minutes())))
}

// addNotices adds notices about missing details. It returns an error if there are none at all, or if the result must be
// complete.
func (g jobDetails[T]) addNotices(q *parsedQuery) error {
	if g.err != nil && (len(g.byJob) == 0 || q.mustBeComplete()) {
		return g.err
	}
	if g.failed > 0 {
		q.notices.Warn("The %s of %s can't be read. %s", g.what, query.Plural(g.failed, "job"), messageOf(g.err))
	}
	switch {
	case g.pending == 0:
	case g.limited:
		q.notices.Warn("The %s of %s are still being read, because the tuning gateway limits the rate of requests. Refresh to see more; reading all of them takes %s or more.",
			g.what, query.Plural(g.pending, "job"), roughly(g.left))
	default:
		q.notices.Info("The %s of %s are still being read, and will be there after the next refresh.", g.what, query.Plural(g.pending, "job"))
	}
	if g.oldest > oldNotice {
		q.notices.Info("Some of the %s are %s old, because the tuning gateway limits the rate of requests.", g.what, roughly(g.oldest))
	}
	return nil
}

// oldNotice is the age above which expired details have a notice.
const oldNotice = time.Minute

// add adds details of other jobs.
func (g *jobDetails[T]) add(others jobDetails[T]) {
	maps.Copy(g.byJob, others.byJob)
	g.pending += others.pending
	g.failed += others.failed
	g.notServed += others.notServed
	g.oldest = max(g.oldest, others.oldest)
	g.limited, g.left = others.limited, g.left+others.left
	if g.err == nil {
		g.err = others.err
	}
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
	return slices.DeleteFunc(slices.Clone(jobs), func(job Job) bool { return job.ID == "" || job.waiting() })
}

// explainNotServed adds a notice if the gateway does not serve the detail for any of the jobs.
func (g jobDetails[T]) explainNotServed(q *parsedQuery) {
	if g.notServed > 0 && len(g.byJob) == 0 {
		q.notices.Info("The tuning gateway has no %s of the chosen jobs.", g.what)
	}
}

// messageOf is the message of a *transport.Error.
func messageOf(err error) string {
	var explained *transport.Error
	if errors.As(err, &explained) {
		return explained.Message
	}
	return "Reading from the tuning gateway failed."
}
