package gateway

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// The bounds of lists. A notice says that further records are left out.
const (
	MaxJobs        = query.MaxChoices // so that a query can name all jobs of a variable
	MaxFiles       = 2000
	MaxModels      = 2000
	MaxCheckpoints = 1000 // of a job
	MaxEvents      = 2000 // of a job
)

// maxCacheBytes bounds the cache, by the memory of what is parsed.
const maxCacheBytes = 32 << 20

// The TTLs of cache entries.
const (
	// listTTL is just below the usual refresh interval of 10 s, so that each refresh sees the present state and concurrent
	// viewers share requests. limitedListTTL is that while the gateway limits the rate of requests.
	listTTL, limitedListTTL = 9 * time.Second, time.Minute
	// liveTTL is for details of jobs that may still change.
	liveTTL = 19 * time.Second
	// modelsTTL is longer, because the models of a platform change rarely.
	modelsTTL = 5 * time.Minute
	// settleTime is the time after a job's end in which the gateway may still add its last checkpoint or its model's name.
	settleTime = 5 * time.Minute
	// forever is longer than the lifetime of a data source.
	forever = 10 * 365 * 24 * time.Hour
)

func (c *Client) listTTL() time.Duration {
	if c.limit.isLimited() {
		return limitedListTTL
	}
	return listTTL
}

// detailsTTL is the TTL of a job's details. Details of jobs that ended before settleTime don't expire.
func (c *Client) detailsTTL(job Job) time.Duration {
	switch {
	case !job.IsOver():
		return liveTTL
	case job.Finished == nil:
		return settleTime
	case c.Now().Sub(*job.Finished) > settleTime:
		return forever
	}
	return liveTTL
}

// List is a list of the gateway, up to its bound.
type List[T any] struct {
	Items []T
	// Truncated: there are more than the bound. NextMissing: the gateway reports more, but not how to request them.
	Truncated, NextMissing bool
	// Unreadable is the number of entries that are not objects.
	Unreadable int
}

const jobListKey = "jobs"

// ListJobs returns the gateway's jobs in no particular order.
func (c *Client) ListJobs(ctx context.Context) (List[Job], error) {
	return through(ctx, c, jobListKey, func(ctx context.Context) (cache.Loaded[List[Job]], error) {
		jobs, err := list(ctx, c, jobsPath, MaxJobs, parseJob)
		return cache.Loaded[List[Job]]{Value: jobs, Bytes: memoryOf(jobs.Items), TTL: c.listTTL()}, err
	})
}

// KnownJobs are those of the list, if it is in the cache, or if one request for it replaces many: for many jobs, and while the
// gateway limits the rate of requests. They are none if the gateway has no list.
func (c *Client) KnownJobs(ctx context.Context, many bool) ([]Job, error) {
	all, known := cache.Get[List[Job]](c.responses, jobListKey)
	if known || !many && !c.limit.isLimited() {
		return all.Items, nil
	}
	all, err := c.ListJobs(ctx)
	if err != nil && many && !errors.Is(err, transport.ErrNotFound) {
		return nil, c.Explain(err)
	}
	return all.Items, nil
}

// ListFiles returns the gateway's files in no particular order.
func (c *Client) ListFiles(ctx context.Context) (List[File], error) {
	return through(ctx, c, filesPath, func(ctx context.Context) (cache.Loaded[List[File]], error) {
		files, err := list(ctx, c, filesPath, MaxFiles, parseFile)
		return cache.Loaded[List[File]]{Value: files, Bytes: memoryOf(files.Items), TTL: c.listTTL()}, err
	})
}

// retrieve retrieves one job without the cache.
func (c *Client) retrieve(ctx context.Context, id string) (Job, error) {
	var job Job
	err := c.get(ctx, jobPath(id), nil, func(body io.Reader) error {
		r, err := readRecord(body)
		// The specification guarantees these two members only.
		if job = parseJob(r); err == nil && job.ID == "" && job.Status == "" {
			err = errMalformed
		}
		return c.explainBody(err, r, "a job")
	})
	if err != nil {
		return Job{}, err
	}
	job.ID = cmp.Or(job.ID, id)
	c.retrieved.Store(&job.ID)
	return job, nil
}

// loadCheckpoints loads the checkpoints of a job.
func (c *Client) loadCheckpoints(ctx context.Context, job Job) (cache.Loaded[List[Checkpoint]], error) {
	return loadDetails(ctx, c, "checkpoints", job, MaxCheckpoints, parseCheckpoint)
}

// loadEvents loads the events of a job.
func (c *Client) loadEvents(ctx context.Context, job Job) (cache.Loaded[List[Event]], error) {
	return loadDetails(ctx, c, "events", job, MaxEvents, parseEvent)
}

func loadDetails[T interface{ memory() int }](ctx context.Context, c *Client, name string, job Job, limit int, parse func(record) T) (cache.Loaded[List[T]], error) {
	found, err := list(ctx, c, jobPath(job.ID, name), limit, parse)
	return cache.Loaded[List[T]]{Value: found, Bytes: memoryOf(found.Items), TTL: c.detailsTTL(job)}, err
}

// loadSamples loads the training metrics of a job.
func (c *Client) loadSamples(ctx context.Context, job Job) (cache.Loaded[[]Sample], error) {
	var samples []Sample
	err := c.get(ctx, jobPath(job.ID, "metrics"), nil, func(body io.Reader) (err error) {
		samples, err = c.readSamples(body)
		return err
	})
	return cache.Loaded[[]Sample]{Value: samples, Bytes: memoryOf(samples), TTL: c.detailsTTL(job)}, err
}

// loadDetail takes a 404 as evidence only if another request succeeds, because a gateway with an outage may respond with 404
// to every request. That other request is for the job, or else that of a health check.
func loadDetail[T any](ctx context.Context, c *Client, from *endpoint, job Job, load func(context.Context, Job) (cache.Loaded[T], error)) (none cache.Loaded[detail[T]], err error) {
	got, err := load(ctx, job)
	if errors.Is(err, transport.ErrNotFound) {
		_, missing := c.retrieve(ctx, job.ID)
		if errors.Is(missing, transport.ErrNotFound) {
			_, missing = c.Check(ctx)
		}
		if missing != nil {
			return none, missing
		}
		// The gateway may have recovered between the two requests.
		got, err = load(ctx, job)
	}
	switch {
	case err == nil:
		from.recordServed()
		return cache.Loaded[detail[T]]{Value: detail[T]{value: got.Value}, Bytes: got.Bytes, TTL: got.TTL}, nil
	case errors.Is(err, transport.ErrNotFound):
		from.recordNotFound(c.Now())
		return cache.Loaded[detail[T]]{Value: detail[T]{notServed: true}, TTL: min(c.detailsTTL(job), notServedTTL)}, nil
	}
	return none, err
}

// ListModels returns the gateway's models.
func (c *Client) ListModels(ctx context.Context) ([]Model, error) {
	return through(ctx, c, "models", func(ctx context.Context) (cache.Loaded[[]Model], error) {
		models, bytes := []Model{}, 0
		_, err := c.getPage(ctx, modelsPath, nil, func(_ string, r record, length int) (more bool, err error) {
			if model := parseModel(r); model.ID != "" {
				models = append(models, model)
				bytes += length
			}
			return len(models) < MaxModels && bytes < maxListBytes, nil
		})
		return cache.Loaded[[]Model]{Value: models, Bytes: bytes, TTL: modelsTTL}, err
	})
}

// unknownJobID is the id of a job that no gateway has.
const unknownJobID = "ftjob-none"

// Check makes one small request to the gateway without the cache, and describes it: the first job of the list, or the models
// if there is no list. On a gateway without any list it requests the job that the gateway last served by its id. If the path
// of jobs only accepts POST (405), it requests a job that doesn't exist, because a 404 for it shows that the key is valid.
// Errors are *transport.Error.
func (c *Client) Check(ctx context.Context) (requested string, err error) {
	requested, onlyCreates, err := c.checkLists(ctx)
	if !errors.Is(err, transport.ErrNotFound) {
		return requested, err
	}
	if id := c.retrieved.Load(); id != nil {
		_, err = c.retrieve(ctx, *id)
		return "a job by its id", err
	}
	if onlyCreates {
		_, err = c.retrieve(ctx, unknownJobID)
		if errors.Is(err, transport.ErrBadRequest) || errors.Is(err, transport.ErrNotFound) && !isMethodNotAllowed(err) {
			err = nil
		}
		return "a request for a job", err
	}
	return requested, err
}

// checkLists requests the jobs, or the models if the gateway has no list of jobs. onlyCreates reports that the path of jobs
// accepts POST only.
func (c *Client) checkLists(ctx context.Context) (requested string, onlyCreates bool, err error) {
	first := func(string, record, int) (more bool, err error) { return true, nil }
	_, err = c.getPage(ctx, jobsPath, url.Values{"limit": {"1"}}, first)
	requested = "the list of jobs"
	onlyCreates = isMethodNotAllowed(err)
	if errors.Is(err, transport.ErrNotFound) {
		requested = "the list of models"
		_, err = c.getPage(ctx, modelsPath, nil, first)
	}
	return requested, onlyCreates, err
}

func isMethodNotAllowed(err error) bool {
	var explained *transport.Error
	return errors.As(err, &explained) && explained.Status == http.StatusMethodNotAllowed
}
