package tuning

import (
	"context"
	"errors"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// While the gateway limits the rate of requests, cache entries are used after they have expired, until they are refreshed.
const (
	// maxExpired bounds the time since the load.
	maxExpired = 15 * time.Minute
	// maxExpiredNumber does so for results that must be complete, such as those of alert rules.
	maxExpiredNumber = 2 * time.Minute
)

// errMissing is the error of a detail that is not in the cache.
var errMissing = errors.New("not fetched yet")

// missing is a detail to be fetched.
type missing struct {
	// key is that of the cache entry.
	key  string
	load func(context.Context) (any, error)
}

// reader reads details of jobs from the cache, for one query. It sends no requests.
type reader struct {
	*Client
	batch *batch
	// fetched are the fetches that the batch has waited for, by key.
	fetched map[string]*fetch
	// maxAge bounds the age of expired details. expired is the number of those that were read, and oldest the highest age.
	maxAge, oldest time.Duration
	expired        int
	// missing is the detail that failed the last read with errMissing, or nil.
	missing *missing
}

// newReader makes a reader for at most so many jobs.
func (c *Client) newReader(q *parsedQuery, jobs int) *reader {
	return &reader{Client: c, batch: &batch{finished: make(chan *fetch, jobs)}, fetched: map[string]*fetch{}, maxAge: q.maxExpired()}
}

// maxExpired bounds the age of expired cache entries in the result.
func (q *parsedQuery) maxExpired() time.Duration {
	if q.mustBeComplete() {
		return maxExpiredNumber
	}
	return maxExpired
}

// lookUp returns what was fetched for the key or is in the cache. Otherwise the error is errMissing, or that of the fetch.
func lookUp[T any](r *reader, key string, load func(context.Context) (T, error)) (T, error) {
	if f, ok := r.fetched[key]; ok {
		value, _ := f.value.(T)
		return value, f.err
	}
	value, ok := cache.Get[T](r.responses, key)
	if ok {
		return value, nil
	}
	absent := missing{key, func(ctx context.Context) (any, error) { return load(ctx) }}
	if r.pace.isLimited() {
		var loaded time.Time
		if value, loaded, ok = cache.Expired[T](r.responses, key, r.maxAge); ok {
			r.queue.want(nil, absent, r.expired) // in turns with those that are missing
			r.expired++
			r.oldest = max(r.oldest, r.Now().Sub(loaded))
			return value, nil
		}
	}
	r.missing = &absent
	return value, errMissing
}

// job is a job by its id, or nil if the gateway does not know it.
func (r *reader) job(id string) (*Job, error) {
	return lookUp(r, "job/"+id, func(ctx context.Context) (*Job, error) {
		job, err := r.Client.job(ctx, id)
		if errors.Is(err, transport.ErrNotFound) || errors.Is(err, transport.ErrBadRequest) {
			return nil, nil
		}
		return job, err
	})
}

// checkpoints are the checkpoints of a job, in the gateway's order.
func (r *reader) checkpoints(job Job) (detailList[Checkpoint], error) {
	return optional(r, "checkpoints", &r.checkpointEndpoint, job, r.Client.checkpoints)
}

// events are the events of a job, in the gateway's order.
func (r *reader) events(job Job) (detailList[Event], error) {
	return optional(r, "events", &r.eventEndpoint, job, r.Client.events)
}

// samples are the training metrics of a job.
func (r *reader) samples(job Job) ([]Sample, error) {
	return optional(r, "metrics", &r.metricsEndpoint, job, r.Client.samples)
}

// errNotServed is the error of a detail that the gateway does not serve, for one job or for all.
var errNotServed = &transport.Error{Kind: transport.ErrNotFound, Message: "The tuning gateway does not serve this."}

// detail is a cached detail of a job, or the fact that the gateway does not serve it.
type detail[T any] struct {
	value     T
	notServed bool
}

// optional reads a detail of a job from an endpoint that is optional. If the gateway does not serve it, the error is
// errNotServed. Other errors, also a 404, are not evidence that the gateway does not serve the detail.
func optional[T any](r *reader, name string, from *endpoint, job Job, load func(context.Context, Job) (cache.Loaded[T], error)) (none T, err error) {
	key := name + "/" + job.ID
	if job.ID == "" {
		return none, errNotServed
	}
	found, err := lookUp(r, key, func(ctx context.Context) (detail[T], error) {
		if from.notServed(r.Now()) {
			return detail[T]{notServed: true}, nil
		}
		return cache.Through(ctx, r.responses, key, func(ctx context.Context) (cache.Loaded[detail[T]], error) {
			return loadDetail(ctx, r.Client, from, job, load)
		})
	})
	if r.missing != nil && from.notServed(r.Now()) {
		r.missing, found.notServed, err = nil, true, nil
	}
	if err == nil && found.notServed {
		err = errNotServed
	}
	return found.value, err
}
