package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// maxRetrieved bounds the jobs that are retrieved one by one for a query.
const maxRetrieved = 100

// jobs returns the selected jobs, newest first, of any time, and the models of all jobs that were read, of every status, sorted.
func (c *Client) jobs(ctx context.Context, q request, s selection) (chosen []Job, models []string, err error) {
	for name, option := range map[string]query.Choices{"Job": s.JobIDs, "Status": s.Statuses, "Model": s.Models} {
		if option.Blank {
			q.notices.Warn(query.BlankNotice, name)
			return nil, nil, nil
		}
	}
	var found []Job
	if s.JobIDs.All() {
		found, err = c.allJobs(ctx, q)
	} else {
		found, err = c.jobsByID(ctx, q, s.JobIDs.Values)
	}
	if err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	for _, job := range found {
		if job.Model != "" {
			known[job.Model] = true
		}
	}
	chosen = slices.DeleteFunc(slices.Clone(found), func(j Job) bool { return !s.Statuses.Has(j.Status) || !s.Models.Has(j.Model) })
	q.explainUnmatched(s, found, chosen)
	newestFirst(chosen)
	return chosen, slices.Sorted(maps.Keys(known)), nil
}

// jobsWithin are the selected jobs. If they are not chosen by id, these are the ones that overlap the range.
func (c *Client) jobsWithin(ctx context.Context, q request, s selection) ([]Job, error) {
	jobs, _, err := c.jobs(ctx, q, s)
	if err != nil || len(s.JobIDs.Values) > 0 {
		return jobs, err
	}
	return q.inRange(jobs), nil
}

func (c *Client) allJobs(ctx context.Context, q request) ([]Job, error) {
	list, err := c.ListJobs(ctx)
	if err != nil {
		return nil, c.jobListError(err)
	}
	if list.Truncated {
		q.notices.Cut("The gateway has more than %d jobs. Only the first %d it lists are looked at; choose jobs by id to see others.", gateway.MaxJobs, gateway.MaxJobs)
	}
	if list.NextMissing {
		q.notices.Info("The gateway says that it has more jobs than it lists.")
	}
	if list.Unreadable > 0 {
		q.notices.Warn("%s of the gateway's list can't be read.", query.Plural(list.Unreadable, "record"))
	}
	return list.Items, nil
}

func (c *Client) jobListError(err error) error {
	var explained *transport.Error
	if errors.As(err, &explained) && explained.Status == http.StatusMethodNotAllowed {
		return &transport.Error{Kind: transport.ErrNotFound, Status: http.StatusMethodNotAllowed,
			Message: "The tuning gateway takes new jobs and does not list them (405). Choose jobs by id."}
	}
	if errors.As(err, &explained) && errors.Is(explained, transport.ErrNotFound) {
		return &transport.Error{Kind: transport.ErrNotFound, Status: explained.Status, Message: "The tuning gateway has no list of jobs at its address. " +
			"Check the address in the data source's settings, section Fine-tuning, or choose jobs by id."}
	}
	return c.Transport.Explain(err)
}

// jobsByID are those of the list, and others one by one, also from a gateway without a list.
func (c *Client) jobsByID(ctx context.Context, q request, ids []string) ([]Job, error) {
	listed, err := c.ListJobs(ctx)
	if err != nil && !errors.Is(err, transport.ErrNotFound) {
		return nil, c.Transport.Explain(err)
	}
	known := make(map[string]*Job, len(listed.Items))
	for i := range listed.Items {
		known[listed.Items[i].ID] = &listed.Items[i]
	}
	found := c.retrieve(ctx, q, slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return known[id] != nil }))
	maps.Copy(found.ByJob, known)
	if err := addNotices(q, found); err != nil {
		return nil, err
	}
	var jobs []Job
	var unknown []string
	for _, id := range ids {
		switch job, read := found.ByJob[id]; {
		case job != nil:
			jobs = append(jobs, *job)
		case read:
			unknown = append(unknown, id)
		}
	}
	return jobs, q.explainUnknown(unknown, len(jobs))
}

// retrieve retrieves jobs one by one. Those that the gateway does not know are nil.
func (c *Client) retrieve(ctx context.Context, q request, ids []string) gateway.Details[*Job] {
	most := 0
	for most < min(len(ids), maxRetrieved) && transport.Take(ctx) == nil {
		most++
	}
	if most < len(ids) {
		text := fmt.Sprintf("only %d of %d chosen jobs that are not in the gateway's list are looked up. Choose fewer.", most, len(ids))
		if q.complete {
			return gateway.Details[*Job]{Err: &query.Error{Field: "Jobs", Message: text}}
		}
		q.notices.Warn("Jobs: %s", text)
		ids = ids[:most]
	}
	jobs := make([]Job, len(ids))
	for i, id := range ids {
		jobs[i].ID = id
	}
	return fetchDetails(ctx, c, q, jobs, "records", patient, func(ctx context.Context, job Job) (*Job, error) { return c.Job(ctx, job.ID) })
}

// explainUnknown adds a notice about ids that the gateway does not know. It is an error if it knows none of the chosen ones.
func (q request) explainUnknown(ids []string, known int) error {
	if len(ids) == 0 {
		return nil
	}
	if known == 0 {
		return &transport.Error{Kind: transport.ErrNotFound, Status: http.StatusNotFound,
			Message: "The tuning gateway knows no job named " + query.List(ids) + ". Check the id, and the gateway address in the data source's settings."}
	}
	q.notices.Warn("The tuning gateway knows no job named %s.", query.List(ids))
	return nil
}

// inRange are the jobs that overlap the range.
func (q request) inRange(jobs []Job) []Job {
	overlapping := slices.DeleteFunc(slices.Clone(jobs), func(job Job) bool { return !job.Overlaps(q.from, q.to) })
	q.explainEmptyRange(jobs, overlapping)
	return overlapping
}

// explainEmptyRange adds a notice about the newest job if no job overlaps the range, with a link to the range of that job on the
// page that shows the notice.
func (q request) explainEmptyRange(jobs, overlapping []Job) {
	if len(jobs) == 0 || len(overlapping) > 0 {
		return
	}
	newest := jobs[0]
	start, end, what := newest.Created, newest.Finished, "finished"
	if end == nil {
		end, what = start, "was created"
	}
	if end == nil {
		return
	}
	if start == nil {
		start = end
	}
	margin := max(end.Sub(*start)/10, 5*time.Minute)
	link := fmt.Sprintf("?from=%d&to=%d", start.Add(-margin).UnixMilli(), end.Add(margin).UnixMilli())
	q.notices.Link(link, "No jobs overlap this range. The newest, %s, %s %s.", query.Shorten(newest.Name()), what, query.Ago(*end, q.now))
}
