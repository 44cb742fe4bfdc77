package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// While the gateway limits the rate of requests, responses are used after their TTL.
const (
	// staleDetail bounds the time since the load of a detail, and staleList that of a list during a pause.
	staleDetail, staleList = 5 * time.Minute, 2 * time.Minute
)

// through is [cache.Through] within the rate limit of the gateway.
func through[T any](ctx context.Context, c *Client, key string, load func(context.Context) (cache.Loaded[T], error)) (T, error) {
	var maxAge time.Duration
	switch isDetail := fetchOf(ctx) != nil; {
	case isDetail && c.limit.isLimited():
		maxAge = staleDetail
	case c.limit.pause() > 0:
		maxAge = staleList
	}
	if value, _, ok := cache.Expired[T](c.responses, key, maxAge); ok && maxAge > 0 {
		return value, nil
	}
	return cache.Through(ctx, c.responses, key, load)
}

// Job is a job by its id, or nil if the gateway does not know it: some say so by a 400.
func (c *Client) Job(ctx context.Context, id string) (*Job, error) {
	job, err := through(ctx, c, "job/"+id, func(ctx context.Context) (cache.Loaded[*Job], error) {
		job, err := c.retrieve(ctx, id)
		if err != nil {
			return cache.Loaded[*Job]{}, err
		}
		keep := listTTL
		if job.IsOver() && c.detailsTTL(job) == forever {
			keep = forever
		}
		return cache.Loaded[*Job]{Value: &job, Bytes: job.memory(), TTL: keep}, nil
	})
	if errors.Is(err, transport.ErrNotFound) || errors.Is(err, transport.ErrBadRequest) {
		return nil, nil
	}
	return job, err
}

// Checkpoints are the checkpoints of a job, in the gateway's order.
func (c *Client) Checkpoints(ctx context.Context, job Job) (List[Checkpoint], error) {
	return optional(ctx, c, "checkpoints", &c.checkpointEndpoint, job, c.loadCheckpoints)
}

// Events are the events of a job, in the gateway's order.
func (c *Client) Events(ctx context.Context, job Job) (List[Event], error) {
	return optional(ctx, c, "events", &c.eventEndpoint, job, c.loadEvents)
}

// Samples are the training metrics of a job.
func (c *Client) Samples(ctx context.Context, job Job) ([]Sample, error) {
	return optional(ctx, c, "metrics", &c.metricsEndpoint, job, c.loadSamples)
}

// ErrNotServed is the error of a detail that the gateway does not serve, for one job or for all.
var ErrNotServed = &transport.Error{Kind: transport.ErrNotFound, Message: "The tuning gateway does not serve this."}

// detail is a cached detail of a job, or the fact that the gateway does not serve it.
type detail[T any] struct {
	value     T
	notServed bool
}

// optional reads a detail of a job from an endpoint that is optional. If the gateway does not serve it, the error is
// ErrNotServed. Other errors, also a 404, are not evidence that the gateway does not serve the detail.
func optional[T any](ctx context.Context, c *Client, name string, from *endpoint, job Job, load func(context.Context, Job) (cache.Loaded[T], error)) (none T, err error) {
	if job.ID == "" {
		return none, ErrNotServed
	}
	found, err := through(ctx, c, name+"/"+job.ID, func(ctx context.Context) (cache.Loaded[detail[T]], error) {
		if from.notServed(c.Now()) {
			return cache.Loaded[detail[T]]{Value: detail[T]{notServed: true}}, nil
		}
		return loadDetail(ctx, c, from, job, load)
	})
	if err == nil && found.notServed {
		err = ErrNotServed
	}
	return found.value, err
}
