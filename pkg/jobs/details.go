package jobs

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// patience is how long a query waits for details.
type patience bool

const (
	// prompt is for results that are useful without details, and patient for those that are about them; see [gateway.Wait].
	prompt  patience = false
	patient patience = true
)

// fetchDetails reads a detail of each job, first of those that overlap the range; see [gateway.Fetch].
func fetchDetails[T any](ctx context.Context, c *Client, q request, jobs []Job, what string, wait patience, read func(context.Context, Job) (T, error)) gateway.Details[T] {
	return gateway.Fetch(ctx, c.Client, q.overlappingFirst(jobs), what, gateway.Wait{Since: q.started, Prompt: wait == prompt, Complete: q.complete}, read)
}

// overlappingFirst are the jobs that overlap the range, followed by the others.
func (q request) overlappingFirst(jobs []Job) []Job {
	var overlapping, others []Job
	for _, job := range jobs {
		if job.Overlaps(q.from, q.to) {
			overlapping = append(overlapping, job)
		} else {
			others = append(others, job)
		}
	}
	return append(overlapping, others...)
}

// startedJobs are the jobs without those that can't have details yet.
func startedJobs(jobs []Job) []Job {
	return slices.DeleteFunc(slices.Clone(jobs), func(job Job) bool { return job.ID == "" || job.Waiting() })
}

// addNotices adds notices about missing details. It returns an error if there are none at all, or if the result must be
// complete.
func addNotices[T any](q request, d gateway.Details[T]) error {
	if d.Err != nil && (len(d.ByJob) == 0 || q.complete) {
		return d.Err
	}
	if d.Failed > 0 {
		q.notices.Warn("The %s of %s can't be read. %s", d.What, query.Plural(d.Failed, "job"), messageOf(d.Err))
	}
	switch {
	case d.Pending == 0:
	case d.Limited:
		q.notices.Warn("The %s of %s are still being read, because the tuning gateway limits the rate of requests. Refresh to see more.", d.What, query.Plural(d.Pending, "job"))
	default:
		q.notices.Info("The %s of %s are still being read, and will be there after the next refresh.", d.What, query.Plural(d.Pending, "job"))
	}
	return nil
}

// explainNotServed adds a notice if the gateway does not serve the detail for any of the jobs.
func explainNotServed[T any](q request, d gateway.Details[T]) {
	if d.NotServed > 0 && len(d.ByJob) == 0 {
		q.notices.Info("The tuning gateway has no %s of the chosen jobs.", d.What)
	}
}

// incomplete is the error if details of some jobs are missing, for numbers of alert rules, which would be wrong without them.
func incomplete[T any](d gateway.Details[T]) error {
	if d.Failed > 0 || d.Pending > 0 {
		return d.Err
	}
	return nil
}

// merged are details of some jobs and of others.
func merged[T any](d, others gateway.Details[T]) gateway.Details[T] {
	maps.Copy(d.ByJob, others.ByJob)
	d.Pending += others.Pending
	d.Failed += others.Failed
	d.NotServed += others.NotServed
	d.Limited = others.Limited
	if d.Err == nil {
		d.Err = others.Err
	}
	return d
}

// messageOf is the message of a *transport.Error.
func messageOf(err error) string {
	var explained *transport.Error
	if errors.As(err, &explained) {
		return explained.Message
	}
	return "Reading from the tuning gateway failed."
}
