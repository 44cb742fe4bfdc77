package tuning

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// The bounds of lists. A notice says that further records are left out.
const (
	maxJobs        = query.MaxChoices // so that a query can name all jobs of a variable
	maxFiles       = 2000
	maxCheckpoints = 1000 // of a job
	maxEvents      = 2000 // of a job
)

// maxCacheBytes bounds the cache, by the size of the responses.
const maxCacheBytes = 32 << 20

// The TTLs of cache entries.
const (
	// listTTL is just below the usual refresh interval of 10 s, so that each refresh sees the present state and concurrent
	// viewers share requests. It is longer while the gateway limits the rate of requests ([pacer.listTTL]).
	listTTL = 9 * time.Second
	// liveTTL is for details of jobs that may still change.
	liveTTL = 19 * time.Second
	// modelsTTL is longer, because the models of a platform change rarely.
	modelsTTL = 5 * time.Minute
	// settleTime is the time after a job's end in which the gateway may still add its last checkpoint or its model's name.
	settleTime = 5 * time.Minute
	// forever is longer than the lifetime of a data source.
	forever = 10 * 365 * 24 * time.Hour
)

// detailsTTL is the TTL of a job's details. Details of jobs that ended before settleTime don't expire.
func (c *Client) detailsTTL(job Job) time.Duration {
	switch {
	case !job.isOver():
		return liveTTL
	case job.Finished == nil:
		return settleTime
	case c.Now().Sub(*job.Finished) > settleTime:
		return forever
	}
	return liveTTL
}

// jobList is the gateway's list of jobs, up to maxJobs.
type jobList struct {
	jobs                   []Job
	byID                   map[string]Job
	truncated, nextMissing bool
	unreadable             int
	// expired is the time of the load of a list that has expired, else zero.
	expired time.Time
}

const jobListKey = "jobs"

const (
	// expiredListWait is the wait for a new list while the gateway limits the rate of requests, before an expired one is used.
	expiredListWait = 1500 * time.Millisecond
	// maxListLoad bounds the load that continues after that wait.
	maxListLoad = time.Minute
)

// jobList returns the gateway's jobs in no particular order. While the gateway limits the rate of requests, it may be an
// expired list, unless that is older than maxAge. A new one is then loaded in the background.
func (c *Client) jobList(ctx context.Context, maxAge time.Duration) (jobList, error) {
	expired, loaded, ok := cache.Expired[jobList](c.responses, jobListKey, maxAge)
	if !ok || !c.pace.isLimited() {
		return c.listJobs(ctx)
	}
	expired.expired = loaded
	type result struct {
		list jobList
		err  error
	}
	done := make(chan result, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxListLoad)
		defer cancel()
		list, err := c.listJobs(ctx)
		done <- result{list, err}
	}()
	wait := time.NewTimer(expiredListWait)
	defer wait.Stop()
	select {
	case got := <-done:
		if errors.Is(got.err, transport.ErrRateLimited) {
			return expired, nil
		}
		return got.list, got.err
	case <-wait.C:
		return expired, nil
	case <-ctx.Done():
		return expired, ctx.Err()
	}
}

// listJobs returns the gateway's jobs in no particular order.
func (c *Client) listJobs(ctx context.Context) (jobList, error) {
	return cache.Through(ctx, c.responses, jobListKey, func(ctx context.Context) (cache.Loaded[jobList], error) {
		all, err := c.list(ctx, jobsPath, maxJobs)
		if err != nil {
			return cache.Loaded[jobList]{}, err
		}
		list := jobList{byID: map[string]Job{}, truncated: all.truncated, nextMissing: all.nextMissing, unreadable: all.unreadable}
		for _, r := range all.records {
			job := parseJob(r)
			list.jobs = append(list.jobs, job)
			list.byID[job.ID] = job
		}
		return cache.Loaded[jobList]{Value: list, Bytes: all.bytes, TTL: c.pace.listTTL(all.pages)}, nil
	})
}

// job retrieves one job. If the gateway doesn't know it, the error is ErrNotFound, or ErrBadRequest with some gateways.
func (c *Client) job(ctx context.Context, id string) (*Job, error) {
	return cache.Through(ctx, c.responses, "job/"+id, func(ctx context.Context) (cache.Loaded[*Job], error) {
		job, size, err := c.retrieve(ctx, id)
		if err != nil {
			return cache.Loaded[*Job]{}, err
		}
		keep := listTTL
		if job.isOver() && c.detailsTTL(job) == forever {
			keep = forever
		}
		return cache.Loaded[*Job]{Value: &job, Bytes: size, TTL: keep}, nil
	})
}

// retrieve retrieves one job without the cache, and returns the size of the response too.
func (c *Client) retrieve(ctx context.Context, id string) (Job, int, error) {
	body, err := c.get(ctx, jobPath(id), nil)
	if err != nil {
		return Job{}, 0, err
	}
	job := parseJob(parseRecord(body))
	// The specification guarantees these two members only.
	if job.ID == "" && job.Status == "" {
		return Job{}, 0, c.malformed(body, "a job")
	}
	job.ID = cmp.Or(job.ID, id)
	c.retrieved.Store(&job.ID)
	return job, len(body), nil
}

// detailList is a list of details of a job, up to its bound.
type detailList[T any] struct {
	items      []T
	truncated  bool
	unreadable int
}

// checkpoints loads the checkpoints of a job.
func (c *Client) checkpoints(ctx context.Context, job Job) (cache.Loaded[detailList[Checkpoint]], error) {
	return details(ctx, c, "checkpoints", job, maxCheckpoints, parseCheckpoint)
}

// events loads the events of a job.
func (c *Client) events(ctx context.Context, job Job) (cache.Loaded[detailList[Event]], error) {
	return details(ctx, c, "events", job, maxEvents, parseEvent)
}

// details lists details of a job.
func details[T any](ctx context.Context, c *Client, name string, job Job, limit int, parse func(record) T) (loaded cache.Loaded[detailList[T]], err error) {
	all, err := c.list(ctx, jobPath(job.ID, name), limit)
	if err != nil {
		return loaded, err
	}
	found := detailList[T]{truncated: all.truncated, unreadable: all.unreadable}
	for _, r := range all.records {
		found.items = append(found.items, parse(r))
	}
	return cache.Loaded[detailList[T]]{Value: found, Bytes: all.bytes, TTL: c.detailsTTL(job)}, nil
}

// samples loads the training metrics of a job.
func (c *Client) samples(ctx context.Context, job Job) (loaded cache.Loaded[[]Sample], err error) {
	body, err := c.get(ctx, jobPath(job.ID, "metrics"), nil)
	if err != nil {
		return loaded, err
	}
	r := parseRecord(body)
	if _, ok := r["metrics"]; r == nil || !ok && c.Transport.Service().FromErrorBody(body) != nil {
		return loaded, c.malformed(body, "a job's metrics")
	}
	return cache.Loaded[[]Sample]{Value: parseSamples(r), Bytes: len(body), TTL: c.detailsTTL(job)}, nil
}

// loadDetail takes a 404 as evidence only if another request succeeds, because a gateway with an outage may respond with 404
// to every request. That other request is for the job, or else that of a health check.
func loadDetail[T any](ctx context.Context, c *Client, from *endpoint, job Job, load func(context.Context, Job) (cache.Loaded[T], error)) (none cache.Loaded[detail[T]], err error) {
	got, err := load(ctx, job)
	if errors.Is(err, transport.ErrNotFound) {
		_, _, missing := c.retrieve(ctx, job.ID)
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

// fileList is the gateway's list of files, up to maxFiles.
type fileList = detailList[File]

func (c *Client) listFiles(ctx context.Context) (fileList, error) {
	return cache.Through(ctx, c.responses, "files", func(ctx context.Context) (cache.Loaded[fileList], error) {
		all, err := c.list(ctx, filesPath, maxFiles)
		if err != nil {
			return cache.Loaded[fileList]{}, err
		}
		found := fileList{truncated: all.truncated, unreadable: all.unreadable}
		for _, r := range all.records {
			found.items = append(found.items, parseFile(r))
		}
		return cache.Loaded[fileList]{Value: found, Bytes: all.bytes, TTL: c.pace.listTTL(all.pages)}, nil
	})
}

func (c *Client) listModels(ctx context.Context) ([]Model, error) {
	return cache.Through(ctx, c.responses, "models", func(ctx context.Context) (cache.Loaded[[]Model], error) {
		body, err := c.get(ctx, modelsPath, nil)
		if err != nil {
			return cache.Loaded[[]Model]{}, err
		}
		p, err := c.parsePage(body)
		if err != nil {
			return cache.Loaded[[]Model]{}, err
		}
		models := []Model{}
		for _, r := range p.records {
			if model := parseModel(r); model.ID != "" {
				models = append(models, model)
			}
		}
		return cache.Loaded[[]Model]{Value: models, Bytes: len(body), TTL: modelsTTL}, nil
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
		_, _, err = c.retrieve(ctx, *id)
		return "a job by its id", err
	}
	if onlyCreates {
		_, _, err = c.retrieve(ctx, unknownJobID)
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
	body, err := c.get(ctx, jobsPath, url.Values{"limit": {"1"}})
	requested = "the list of jobs"
	onlyCreates = isMethodNotAllowed(err)
	if errors.Is(err, transport.ErrNotFound) {
		requested = "the list of models"
		body, err = c.get(ctx, modelsPath, nil)
	}
	if err == nil {
		_, err = c.parsePage(body)
	}
	return requested, onlyCreates, err
}

func isMethodNotAllowed(err error) bool {
	var explained *transport.Error
	return errors.As(err, &explained) && explained.Status == http.StatusMethodNotAllowed
}
