package gateway

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// The TTLs of details of jobs.
const (
	// liveTTL is for details of jobs that may still change.
	liveTTL = 19 * time.Second
	// settleTime is the time after a job's end in which the gateway may still add its last checkpoint or its model's name.
	settleTime = 5 * time.Minute
	// forever is longer than the lifetime of a data source.
	forever = 10 * 365 * 24 * time.Hour
	// limitedList is for how long a list counts while the gateway limits the rate of requests, and limitedDetail for how long a detail
	// does, or a list that the gateway refuses to send.
	limitedList, limitedDetail = time.Minute, 5 * time.Minute
)

// stale is for how long after its load a response counts, also if it has expired.
func (c *Client) stale(ctx context.Context, err error) time.Duration {
	switch {
	case errors.Is(err, transport.ErrRateLimited):
		return limitedDetail
	case !c.limit.isLimited():
		return 0
	case detailOf(ctx) != nil:
		return limitedDetail
	}
	return limitedList
}

// detailsTTL is the TTL of a job's details. Details of jobs that ended before settleTime don't expire.
func (c *Client) detailsTTL(job Job) time.Duration {
	switch {
	case !job.IsOver():
		return liveTTL
	case job.Finished.IsZero():
		return settleTime
	case c.Now().Sub(job.Finished) > settleTime:
		return forever
	}
	return liveTTL
}

// Job is a job by its id, and none if the gateway does not know it: some say so by a 400.
func (c *Client) Job(ctx context.Context, id string) (List[Job], error) {
	found, err := cache.Through(ctx, c.responses, "job/"+id, func(ctx context.Context) (cache.Loaded[List[Job]], error) {
		job, err := c.retrieve(ctx, id)
		ttl := listTTL
		if c.detailsTTL(job) == forever {
			ttl = forever
		}
		return cache.Loaded[List[Job]]{Value: List[Job]{Items: []Job{job}}, Bytes: 2 * recordBytes, TTL: ttl}, err
	})
	if errors.Is(err, transport.ErrNotFound) || errors.Is(err, transport.ErrBadRequest) {
		return List[Job]{}, nil
	}
	return found, err
}

// retrieve retrieves one job without the cache.
func (c *Client) retrieve(ctx context.Context, id string) (Job, error) {
	var job Job
	err := c.get(ctx, jobPath(id), nil, func(response []byte) error {
		r := query.ParseRecord(response)
		// The specification guarantees these two members only.
		if job = parseJob(r); job.ID == "" && job.Status == "" {
			return query.Malformed(c.Transport.Service, r, "a job")
		}
		return nil
	})
	if err != nil {
		return Job{}, err
	}
	job.ID = cmp.Or(job.ID, id)
	c.retrieved.Store(&job.ID)
	return job, nil
}

// Checkpoints are the checkpoints of a job, in the gateway's order.
func (c *Client) Checkpoints(ctx context.Context, job Job) (List[Checkpoint], error) {
	return optional(ctx, c, "checkpoints", &c.checkpointEndpoint, job, func(ctx context.Context, path string) (cache.Loaded[List[Checkpoint]], error) {
		return list(ctx, c, path, "checkpoints of a job", maxCheckpoints, parseCheckpoint, c.detailsTTL(job), nil)
	})
}

// sampleBytes is what a sample takes in the cache.
const sampleBytes = 60

// Samples are the training metrics of a job.
func (c *Client) Samples(ctx context.Context, job Job) ([]Sample, error) {
	return optional(ctx, c, "metrics", &c.metricsEndpoint, job, func(ctx context.Context, path string) (cache.Loaded[[]Sample], error) {
		var samples []Sample
		err := c.get(ctx, path, nil, func(response []byte) (err error) {
			samples, err = c.readSamples(response)
			return err
		})
		return cache.Loaded[[]Sample]{Value: samples, Bytes: sampleBytes * len(samples), TTL: c.detailsTTL(job)}, err
	})
}

// ErrNotServed is the error of a detail that the gateway does not serve, for one job or for all.
var ErrNotServed = &transport.Error{Kind: transport.ErrNotFound, Message: "The tuning gateway does not serve this."}

// optional reads a detail of a job from an endpoint that is optional. If the gateway does not serve it, the error is
// ErrNotServed. Other errors, also a 404, are not evidence that the gateway does not serve the detail.
func optional[T any](ctx context.Context, c *Client, name string, from *endpoint, job Job, load func(context.Context, string) (cache.Loaded[T], error)) (none T, err error) {
	if job.ID == "" {
		return none, ErrNotServed
	}
	found, err := cache.Through(ctx, c.responses, name+"/"+job.ID, func(ctx context.Context) (cache.Loaded[*T], error) {
		if from.notServed(c.Now()) {
			return cache.Loaded[*T]{}, nil
		}
		got, err := load(ctx, jobPath(job.ID, name))
		if errors.Is(err, transport.ErrNotFound) {
			if err := c.responds(ctx, job); err != nil {
				return cache.Loaded[*T]{}, err
			}
			// The gateway may have recovered between the two requests.
			got, err = load(ctx, jobPath(job.ID, name))
		}
		if errors.Is(err, transport.ErrNotFound) {
			missed, _ := from.missed.Get(c.Now())
			from.missed.Set(missed+1, c.Now())
			return cache.Loaded[*T]{TTL: min(c.detailsTTL(job), transport.LearnedTTL)}, nil
		}
		if err == nil {
			from.served.Store(true)
		}
		return cache.Loaded[*T]{Value: &got.Value, Bytes: got.Bytes, TTL: got.TTL}, err
	})
	if err != nil {
		return none, err
	}
	if found == nil {
		return none, ErrNotServed
	}
	return *found, nil
}

// responds is an error if the gateway responds with 404 to every request, as in an outage: neither the job nor a health check succeeds.
func (c *Client) responds(ctx context.Context, job Job) error {
	_, err := c.retrieve(ctx, job.ID)
	if errors.Is(err, transport.ErrNotFound) {
		_, err = c.Check(ctx)
	}
	return err
}

// endpoint records whether the gateway serves an optional operation.
type endpoint struct {
	served atomic.Bool
	// missed is the number of its 404s.
	missed transport.Learned[int]
}

// notFoundThreshold is the number of 404s after which an operation counts as not served. A single one may be due to the job.
const notFoundThreshold = 3

func (e *endpoint) notServed(now time.Time) bool {
	missed, _ := e.missed.Get(now)
	return missed >= notFoundThreshold && !e.served.Load()
}
