package jobs

import (
	"context"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// need is what a result needs of details.
type need int

const (
	// prompt is for results that are useful without details, and don't wait long for them.
	prompt need = iota
	// patient is for results that are of no use without any.
	patient
	// about is for results that consist of details: a notice says if the gateway has none.
	about
)

// details reads a detail of each job, by the job's id, with notices about those that are missing; see [gateway.Fetch]. It is an error
// if the result needs details and there are none at all, or if it must be complete.
func details[T any](
	ctx context.Context, c *Client, q request, jobs []Job, what string, of need, read func(context.Context, Job) (gateway.List[T], error),
) (map[string]gateway.List[T], error) {
	d := gateway.Fetch(ctx, c.Client, jobs, what, gateway.Wait{Since: q.started, Prompt: of == prompt, Complete: q.complete}, read)
	if ctx.Err() != nil {
		return nil, c.Transport.Explain(ctx.Err())
	}
	if d.Err != nil && (q.complete || of != prompt && len(d.ByJob) == 0) {
		return nil, d.Err
	}
	if d.Failed > 0 {
		q.notices.Warn("The %s of %s can't be read. %s", what, query.Plural(d.Failed, "job"), d.Err)
	}
	for _, one := range d.ByJob {
		switch {
		case one.Cut == "":
		case one.LacksOlder && of != about: // what a job does now is known
			q.notices.Warn("%s", one.Cut)
		default:
			q.notices.Cut("%s", one.Cut)
		}
	}
	switch {
	case d.Pending == 0:
	case d.Limited:
		q.notices.Warn("The %s of %s are still being read, because the tuning gateway limits the rate of requests. Refresh to see more.", what, query.Plural(d.Pending, "job"))
	default:
		q.notices.Info("The %s of %s are still being read, and will be there after the next refresh.", what, query.Plural(d.Pending, "job"))
	}
	if of == about && d.NotServed > 0 && len(d.ByJob) == 0 {
		q.notices.Info("The tuning gateway has no %s of the chosen jobs.", what)
	}
	return d.ByJob, nil
}

// startedJobs are the jobs without those that can't have details yet.
func startedJobs(jobs []Job) []Job {
	return slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return waits(j.Status) })
}

// newestJobs are the first jobs, with a notice that details are of these only.
func (q request) newestJobs(jobs []Job, most int, what string) []Job {
	if len(jobs) <= most {
		return jobs
	}
	q.notices.Cut("Only %s of the newest %d of %d jobs are shown. Choose statuses, models or jobs to see others.", what, most, len(jobs))
	return jobs[:most]
}
