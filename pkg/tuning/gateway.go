package tuning

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// The most of each that is read. Beyond it a notice says that something is left out.
const (
	maxJobs        = queries.MaxChoices // a variable with all of them can choose them
	maxFiles       = 2000
	maxCheckpoints = 1000 // of a job
	maxEvents      = 2000 // of a job
)

// maxCacheBytes bounds what is kept, counted by the size of the answers it was read from.
const maxCacheBytes = 32 << 20

// How long answers are kept.
const (
	// keepList is just under the usual refresh of 10 s: one viewer sees every state, and further viewers cost nothing.
	keepList = 9 * time.Second
	// keepLive is for details of jobs that may still change.
	keepLive = 19 * time.Second
	// keepModels: the models of a platform change rarely.
	keepModels = 5 * time.Minute
	// settling is how long after its end something may still be added to a job: its last checkpoint, its model's name.
	settling = 5 * time.Minute
	// keepForGood is longer than a data source lives.
	keepForGood = 10 * 365 * 24 * time.Hour
)

// keepDetails is how long a job's details stay true: for good once it has long been over.
func (c *Client) keepDetails(job Job) time.Duration {
	switch {
	case !job.Terminal():
		return keepLive
	case job.Finished == nil:
		return settling
	case c.Now().Sub(*job.Finished) > settling:
		return keepForGood
	}
	return keepLive
}

// jobList is the gateway's list of jobs, as far as it is read.
type jobList struct {
	jobs       []Job
	byID       map[string]Job
	cut, stuck bool
	unreadable int
}

const jobListKey = "jobs"

// listJobs returns the gateway's jobs in no particular order.
func (c *Client) listJobs(ctx context.Context) (jobList, error) {
	return cache.Through(ctx, c.answers, jobListKey, func(ctx context.Context) (cache.Answer[jobList], error) {
		all, err := c.list(ctx, c.get, jobsPath, maxJobs)
		if err != nil {
			return cache.Answer[jobList]{}, err
		}
		list := jobList{byID: map[string]Job{}, cut: all.cut, stuck: all.stuck, unreadable: all.unreadable}
		for _, r := range all.records {
			job := parseJob(r)
			list.jobs = append(list.jobs, job)
			list.byID[job.ID] = job
		}
		return cache.Answer[jobList]{Value: list, Bytes: all.bytes, Keep: keepList}, nil
	})
}

// job retrieves one job. A gateway that doesn't know it answers with ErrNotFound, some with ErrBadRequest.
func (c *Client) job(ctx context.Context, id string) (Job, error) {
	return cache.Through(ctx, c.answers, "job/"+id, func(ctx context.Context) (cache.Answer[Job], error) {
		job, size, err := c.retrieve(ctx, id)
		if err != nil {
			return cache.Answer[Job]{}, err
		}
		keep := keepList
		if job.Terminal() && c.keepDetails(job) == keepForGood {
			keep = keepForGood
		}
		return cache.Answer[Job]{Value: job, Bytes: size, Keep: keep}, nil
	})
}

// retrieve asks for one job, past the cache, and returns the size of the answer too.
func (c *Client) retrieve(ctx context.Context, id string) (Job, int, error) {
	body, err := c.get(ctx, jobPath(id), nil)
	if err != nil {
		return Job{}, 0, err
	}
	job := parseJob(parseRecord(body))
	// Whatever else may be missing, these two are promised.
	if job.ID == "" && job.Status == "" {
		return Job{}, 0, c.malformed(body, "a job")
	}
	job.ID = cmp.Or(job.ID, id)
	c.retrieved.Store(&job.ID)
	return job, len(body), nil
}

// many is what a job has many of, as far as it is read.
type many[T any] struct {
	items      []T
	cut        bool
	unreadable int
}

// checkpoints are a job's, in the order the gateway lists them.
func (c *Client) checkpoints(ctx context.Context, job Job) (many[Checkpoint], error) {
	return details(ctx, c, "checkpoints", &c.checkpointEndpoint, job, maxCheckpoints, parseCheckpoint)
}

// events are a job's, in the order the gateway lists them.
func (c *Client) events(ctx context.Context, job Job) (many[Event], error) {
	return details(ctx, c, "events", &c.eventEndpoint, job, maxEvents, parseEvent)
}

// details lists what a job has many of. A gateway that does not serve it is soon not asked any more.
func details[T any](ctx context.Context, c *Client, name string, from *endpoint, job Job, most int, parse func(record) T) (many[T], error) {
	return optional(ctx, c, name, from, job, func(ctx context.Context) (cache.Answer[many[T]], error) {
		all, err := c.list(ctx, c.getDetail, jobPath(job.ID, name), most)
		if err != nil {
			return cache.Answer[many[T]]{}, err
		}
		found := many[T]{cut: all.cut, unreadable: all.unreadable}
		for _, r := range all.records {
			found.items = append(found.items, parse(r))
		}
		return cache.Answer[many[T]]{Value: found, Bytes: all.bytes, Keep: c.keepDetails(job)}, nil
	})
}

// samples are a job's training metrics, where the gateway has them. Without an error and without samples it has none.
func (c *Client) samples(ctx context.Context, job Job) ([]Sample, error) {
	return optional(ctx, c, "metrics", &c.metricsEndpoint, job, func(ctx context.Context) (cache.Answer[[]Sample], error) {
		body, err := c.getDetail(ctx, jobPath(job.ID, "metrics"), nil)
		if err != nil {
			return cache.Answer[[]Sample]{}, err
		}
		r := parseRecord(body)
		if _, ok := r["metrics"]; r == nil || !ok && c.Transport.Service().FromErrorBody(body) != nil {
			return cache.Answer[[]Sample]{}, c.malformed(body, "a job's metrics")
		}
		return cache.Answer[[]Sample]{Value: parseSamples(r), Bytes: len(body), Keep: c.keepDetails(job)}, nil
	})
}

// errAbsent is a detail that the gateway does not serve, for this job or at all, though it serves others.
var errAbsent = &transport.Error{Kind: transport.ErrNotFound, Message: "The tuning gateway does not serve this."}

// detail is one of a job's, or that the gateway has none.
type detail[T any] struct {
	value  T
	absent bool
}

// optional asks for a detail of a job, unless the gateway is known not to have it. Where it has none the error is
// errAbsent. Any other failure, a 404 among them, tells nothing about what the gateway has.
func optional[T any](ctx context.Context, c *Client, name string, from *endpoint, job Job, load func(context.Context) (cache.Answer[T], error)) (T, error) {
	key := name + "/" + job.ID
	found, ok := cache.Get[detail[T]](c.answers, key)
	if !ok {
		if job.ID == "" || from.absent(c.Now()) {
			return found.value, errAbsent
		}
		var err error
		if found, err = cache.Through(ctx, c.answers, key, func(ctx context.Context) (cache.Answer[detail[T]], error) {
			return loadDetail(ctx, c, from, job, load)
		}); err != nil {
			return found.value, err
		}
	}
	if found.absent {
		return found.value, errAbsent
	}
	return found.value, nil
}

// loadDetail believes a 404 only of a gateway that answers other questions: one that is out of order may answer so to all.
// It retrieves the job, which every gateway serves, or else makes the request of a health check.
func loadDetail[T any](ctx context.Context, c *Client, from *endpoint, job Job, load func(context.Context) (cache.Answer[T], error)) (none cache.Answer[detail[T]], err error) {
	got, err := load(ctx)
	if errors.Is(err, transport.ErrNotFound) {
		_, _, missing := c.retrieve(ctx, job.ID)
		if errors.Is(missing, transport.ErrNotFound) {
			_, missing = c.Check(ctx)
		}
		if missing != nil {
			return none, missing
		}
		// It may have come back in between.
		got, err = load(ctx)
	}
	switch {
	case err == nil:
		from.answered()
		return cache.Answer[detail[T]]{Value: detail[T]{value: got.Value}, Bytes: got.Bytes, Keep: got.Keep}, nil
	case errors.Is(err, transport.ErrNotFound):
		from.notFound(c.Now())
		return cache.Answer[detail[T]]{Value: detail[T]{absent: true}, Keep: min(c.keepDetails(job), absentFor)}, nil
	}
	return none, err
}

// fileList is the gateway's list of files, as far as it is read.
type fileList = many[File]

func (c *Client) listFiles(ctx context.Context) (fileList, error) {
	return cache.Through(ctx, c.answers, "files", func(ctx context.Context) (cache.Answer[fileList], error) {
		all, err := c.list(ctx, c.get, filesPath, maxFiles)
		if err != nil {
			return cache.Answer[fileList]{}, err
		}
		found := fileList{cut: all.cut, unreadable: all.unreadable}
		for _, r := range all.records {
			found.items = append(found.items, parseFile(r))
		}
		return cache.Answer[fileList]{Value: found, Bytes: all.bytes, Keep: keepList}, nil
	})
}

func (c *Client) listModels(ctx context.Context) ([]Model, error) {
	return cache.Through(ctx, c.answers, "models", func(ctx context.Context) (cache.Answer[[]Model], error) {
		body, err := c.get(ctx, modelsPath, nil)
		if err != nil {
			return cache.Answer[[]Model]{}, err
		}
		p, err := c.parsePage(body)
		if err != nil {
			return cache.Answer[[]Model]{}, err
		}
		models := []Model{}
		for _, r := range p.records {
			if model := parseModel(r); model.ID != "" {
				models = append(models, model)
			}
		}
		return cache.Answer[[]Model]{Value: models, Bytes: len(body), Keep: keepModels}, nil
	})
}

// noJob is the id of a job that no gateway has.
const noJob = "ftjob-none"

// Check makes one cheap request to the gateway, past the cache, and says which: the first job of the list, or the models
// where there is no list. A gateway without any list is asked for the job that it was last seen to serve by its id or, where
// the path of jobs only takes new ones (405), for a job that doesn't exist: to say so, it must accept the key. Errors are
// *transport.Error.
func (c *Client) Check(ctx context.Context) (asked string, err error) {
	asked, onlyCreates, err := c.checkLists(ctx)
	if !errors.Is(err, transport.ErrNotFound) {
		return asked, err
	}
	if id := c.retrieved.Load(); id != nil {
		_, _, err = c.retrieve(ctx, *id)
		return "a job by its id", err
	}
	if onlyCreates {
		_, _, err = c.retrieve(ctx, noJob)
		if errors.Is(err, transport.ErrBadRequest) || errors.Is(err, transport.ErrNotFound) && !isMethodNotAllowed(err) {
			err = nil
		}
		return "a request for a job", err
	}
	return asked, err
}

// checkLists requests the jobs, or the models where jobs aren't listed. onlyCreates reports that the path of jobs takes new
// ones and nothing else.
func (c *Client) checkLists(ctx context.Context) (asked string, onlyCreates bool, err error) {
	body, err := c.get(ctx, jobsPath, url.Values{"limit": {"1"}})
	asked = "the list of jobs"
	onlyCreates = isMethodNotAllowed(err)
	if errors.Is(err, transport.ErrNotFound) {
		asked = "the list of models"
		body, err = c.get(ctx, modelsPath, nil)
	}
	if err == nil {
		_, err = c.parsePage(body)
	}
	return asked, onlyCreates, err
}

func isMethodNotAllowed(err error) bool {
	var explained *transport.Error
	return errors.As(err, &explained) && explained.Status == http.StatusMethodNotAllowed
}
