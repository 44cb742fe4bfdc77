package tuning

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// listThreshold is the number of chosen jobs above which one request for the list replaces the requests for each of them.
const listThreshold = 10

// maxRetrieved bounds the jobs that are retrieved one by one for a query.
const maxRetrieved = 100

// jobs returns the jobs with the query's statuses, models and ids, newest first, of any time.
func (c *Client) jobs(ctx context.Context, q *parsedQuery) ([]Job, error) {
	for name, option := range map[string]query.Choices{"Job": q.JobIDs, "Status": q.Statuses, "Model": q.Models} {
		if option.Blank {
			q.notices.Warn(query.BlankNotice, name)
			return nil, nil
		}
	}
	var (
		found []Job
		err   error
	)
	if q.JobIDs.All() {
		found, err = c.allJobs(ctx, q)
	} else {
		found, err = c.jobsByID(ctx, q, q.JobIDs.Values)
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
	q.knownModels = slices.Sorted(maps.Keys(models))
	chosen := slices.DeleteFunc(slices.Clone(found), func(j Job) bool { return !q.Statuses.Has(j.Status) || !q.Models.Has(j.Model) })
	q.explainUnmatched(found, chosen)
	newestFirst(chosen)
	return chosen, nil
}

func (c *Client) allJobs(ctx context.Context, q *parsedQuery) ([]Job, error) {
	list, err := c.jobList(ctx, q.maxExpired())
	if err != nil {
		return nil, c.jobListError(err)
	}
	q.explainExpired(list)
	if list.truncated {
		q.notices.Warn("The gateway has more than %d jobs. Only the first %d it lists are looked at; choose jobs by id to see others.", maxJobs, maxJobs)
	}
	if list.nextMissing {
		q.notices.Info("The gateway says that it has more jobs than it lists.")
	}
	if list.unreadable > 0 {
		q.notices.Warn("%s of the gateway's list can't be read.", query.Plural(list.unreadable, "record"))
	}
	return list.jobs, nil
}

// explainExpired adds a notice about the age of a list.
func (q *parsedQuery) explainExpired(list jobList) {
	if !list.expired.IsZero() {
		q.notices.Warn("The list of jobs is from %s, because the tuning gateway limits the rate of requests.", list.expired.UTC().Format("15:04:05 MST"))
	}
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

// jobsByID retrieves jobs by id, also from a gateway without a list. If there are many, it looks them up in the list first, and
// so it does while the gateway limits the rate of requests, if there is a list.
func (c *Client) jobsByID(ctx context.Context, q *parsedQuery, ids []string) ([]Job, error) {
	list, known := cache.Get[jobList](c.responses, jobListKey)
	_, _, wasKnown := cache.Expired[jobList](c.responses, jobListKey, maxExpired)
	if many := len(ids) > listThreshold; !known && (many || wasKnown && c.pace.isLimited()) {
		var err error
		if list, err = c.jobList(ctx, q.maxExpired()); err != nil && many && !errors.Is(err, transport.ErrNotFound) {
			return nil, c.explain(err)
		}
	}
	q.explainExpired(list)
	var requested []Job
	for _, id := range ids {
		if _, listed := list.byID[id]; !listed && strings.Trim(id, ".") != "" {
			requested = append(requested, Job{ID: id})
		}
	}
	if len(requested) > maxRetrieved {
		q.notices.Warn("Only %d of %d chosen jobs that are not in the gateway's list are looked up. Choose fewer.", maxRetrieved, len(requested))
		requested = requested[:maxRetrieved]
	}
	got := fetchDetails(ctx, c, q, requested, "records", patient, func(r *reader, chosen Job) (*Job, error) { return r.job(chosen.ID) })
	var jobs []Job
	var unknown []string
	for _, id := range ids {
		job, listed := list.byID[id]
		retrieved, fetched := got.byJob[id]
		switch {
		case listed:
			jobs = append(jobs, job)
		case retrieved != nil:
			jobs = append(jobs, *retrieved)
		case fetched, strings.Trim(id, ".") == "":
			unknown = append(unknown, id)
		}
	}
	if err := got.incomplete(); err != nil {
		if got.limited && got.failed == 0 && len(jobs) == 0 {
			err = c.pace.lastError()
		}
		if len(jobs) == 0 || q.mustBeComplete() {
			return nil, err
		}
		if got.limited && got.failed == 0 {
			q.notices.Warn("%s are still being read, because the tuning gateway limits the rate of requests. Refresh to see more; reading all of them takes %s or more.",
				query.Plural(got.pending, "chosen job"), roughly(got.left))
		} else {
			q.notices.Warn("%s can't be read. %s", query.Plural(got.failed+got.pending, "chosen job"), messageOf(err))
		}
	}
	switch {
	case len(unknown) == 0:
	case len(jobs) == 0:
		return nil, &transport.Error{Kind: transport.ErrNotFound, Status: http.StatusNotFound,
			Message: "The tuning gateway knows no job named " + query.List(unknown) + ". Check the id, and the gateway address in the data source's settings."}
	default:
		q.notices.Warn("The tuning gateway knows no job named %s.", query.List(unknown))
	}
	return jobs, nil
}

// inRange are the jobs that overlap the range, unless the query is for jobs of any time.
func (q *parsedQuery) inRange(jobs []Job) []Job {
	if !q.onlyInRange() {
		return jobs
	}
	overlapping := slices.DeleteFunc(slices.Clone(jobs), func(job Job) bool { return !job.overlaps(q.from, q.to) })
	q.explainEmptyRange(jobs, overlapping)
	return overlapping
}

// explainEmptyRange adds a notice about the newest job if no job overlaps the range.
func (q *parsedQuery) explainEmptyRange(jobs, overlapping []Job) {
	if len(jobs) == 0 || len(overlapping) > 0 {
		return
	}
	newest := jobs[0]
	switch {
	case newest.Finished != nil:
		q.notices.Info("No jobs overlap this range. The newest finished at %s.", newest.Finished.Format("2006-01-02 15:04 MST"))
	case newest.Created != nil:
		q.notices.Info("No jobs overlap this range. The newest was created at %s.", newest.Created.Format("2006-01-02 15:04 MST"))
	}
}

// explain makes a canceled or expired context a *transport.Error.
func (c *Client) explain(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return c.Transport.Explain(err)
	}
	return err
}
