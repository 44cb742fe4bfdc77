package tuning

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// listFrom is how many named jobs are worth asking for the whole list instead of for each.
const listFrom = 10

// maxRetrieved is how many jobs are looked up one by one for a query.
const maxRetrieved = 100

// jobs returns the jobs that the query's statuses, models and ids choose, newest first, whatever their times.
func (c *Client) jobs(ctx context.Context, q *query) ([]Job, error) {
	for name, option := range map[string]queries.Choices{"Job": q.JobIDs, "Status": q.Statuses, "Model": q.Models} {
		if option.Blank {
			q.notices.warn(queries.BlankNotice, name)
			return nil, nil
		}
	}
	var (
		found []Job
		err   error
	)
	if q.JobIDs.All() {
		found, err = c.everyJob(ctx, q)
	} else {
		found, err = c.namedJobs(ctx, q, q.JobIDs.Values)
	}
	if err != nil {
		return nil, err
	}
	models := map[string]bool{}
	for _, job := range found {
		if job.Model != "" {
			models[job.Model] = true
		}
	}
	q.seenModels = slices.Sorted(maps.Keys(models))
	chosen := slices.DeleteFunc(slices.Clone(found), func(j Job) bool { return !q.Statuses.Has(j.Status) || !q.Models.Has(j.Model) })
	q.explainUnmatched(found, chosen)
	newestFirst(chosen)
	return chosen, nil
}

func (c *Client) everyJob(ctx context.Context, q *query) ([]Job, error) {
	list, err := c.listJobs(ctx)
	if err != nil {
		return nil, c.jobListError(err)
	}
	if list.cut {
		q.notices.warn("The gateway has more than %d jobs. Only the first %d it lists are looked at; choose jobs by id to see others.", maxJobs, maxJobs)
	}
	if list.stuck {
		q.notices.info("The gateway says that it has more jobs than it lists.")
	}
	if list.unreadable > 0 {
		q.notices.warn("%s of the gateway's list can't be read.", counted(list.unreadable, "record"))
	}
	return list.jobs, nil
}

func (c *Client) jobListError(err error) error {
	var explained *transport.Error
	if isMethodNotAllowed(err) {
		return &transport.Error{Kind: transport.ErrNotFound, Status: http.StatusMethodNotAllowed,
			Message: "The tuning gateway takes new jobs and does not list them (405). Choose jobs by id."}
	}
	if errors.As(err, &explained) && errors.Is(explained, transport.ErrNotFound) {
		return &transport.Error{Kind: transport.ErrNotFound, Status: explained.Status, Message: "The tuning gateway has no list of jobs at its address. " +
			"Check the address in the data source's settings, section Fine-tuning, or choose jobs by id."}
	}
	return c.explain(err)
}

// namedJobs retrieves jobs by id, so that it works on a gateway without a list. Many are looked up in the list first.
func (c *Client) namedJobs(ctx context.Context, q *query, ids []string) ([]Job, error) {
	list, known := cache.Get[jobList](c.answers, jobListKey)
	if !known && len(ids) > listFrom {
		var err error
		if list, err = c.listJobs(ctx); err != nil && !errors.Is(err, transport.ErrNotFound) {
			return nil, c.explain(err)
		}
	}
	var asked []Job
	for _, id := range ids {
		if _, listed := list.byID[id]; !listed && strings.Trim(id, ".") != "" {
			asked = append(asked, Job{ID: id})
		}
	}
	if len(asked) > maxRetrieved {
		q.notices.warn("Only %d of %d chosen jobs that are not in the gateway's list are looked up. Choose fewer.", maxRetrieved, len(asked))
		asked = asked[:maxRetrieved]
	}
	got := gather(ctx, c, asked, 0, func(ctx context.Context, named Job) (*Job, error) {
		job, err := c.job(ctx, named.ID)
		if errors.Is(err, transport.ErrNotFound) || errors.Is(err, transport.ErrBadRequest) {
			return nil, nil
		}
		return &job, err
	})
	var jobs []Job
	var unknown []string
	for _, id := range ids {
		job, listed := list.byID[id]
		retrieved, answered := got.of[id]
		switch {
		case listed:
			jobs = append(jobs, job)
		case retrieved != nil:
			jobs = append(jobs, *retrieved)
		case answered, strings.Trim(id, ".") == "":
			unknown = append(unknown, id)
		}
	}
	if err := got.incomplete(); err != nil {
		if len(jobs) == 0 || q.exact() {
			return nil, c.explain(err)
		}
		q.notices.warn("%s can't be read. %s", counted(got.failed+got.late, "chosen job"), reasonOf(err))
	}
	switch {
	case len(unknown) == 0:
	case len(jobs) == 0:
		return nil, &transport.Error{Kind: transport.ErrNotFound, Status: http.StatusNotFound,
			Message: "The tuning gateway knows no job named " + named(unknown) + ". Check the id, and the gateway address in the data source's settings."}
	default:
		q.notices.warn("The tuning gateway knows no job named %s.", named(unknown))
	}
	return jobs, nil
}

// inRange keeps the jobs that lived within the range, if that is asked for.
func (q *query) inRange(jobs []Job) []Job {
	if !q.onlyInRange() {
		return jobs
	}
	lived := make([]Job, 0, len(jobs))
	for _, job := range jobs {
		if job.overlaps(q.from, q.to) {
			lived = append(lived, job)
		}
	}
	q.explainNone(jobs, lived)
	return lived
}

// explainNone says where to look when there are jobs and none of them lived within the range.
func (q *query) explainNone(jobs, lived []Job) {
	if len(jobs) == 0 || len(lived) > 0 {
		return
	}
	newest := jobs[0]
	switch {
	case newest.Finished != nil:
		q.notices.info("No jobs overlap this range. The newest finished at %s.", newest.Finished.Format("2006-01-02 15:04 MST"))
	case newest.Created != nil:
		q.notices.info("No jobs overlap this range. The newest was created at %s.", newest.Created.Format("2006-01-02 15:04 MST"))
	}
}

// explain makes sure that an error is one for users, a caller's own deadline included.
func (c *Client) explain(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return c.Transport.Explain(err)
	}
	return err
}
