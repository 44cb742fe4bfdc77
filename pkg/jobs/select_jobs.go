package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// maxRetrieved bounds the jobs that are retrieved one by one for a query.
const maxRetrieved = 100

// itemsOf are the items of a list, with notices about others. hint says how to see those that were not read.
func itemsOf[T any](q request, list gateway.List[T], hint string) []T {
	if list.Cut != "" {
		q.notices.Cut("%s%s", list.Cut, hint)
	}
	if list.Unreadable > 0 {
		q.notices.Warn("%s of the gateway's list can't be read.", query.Plural(list.Unreadable, "record"))
	}
	return list.Items
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

// jobsByID are those of the list, and others one by one, also from a gateway without a list. Jobs that the gateway does not know are
// left out.
func (c *Client) jobsByID(ctx context.Context, q request, ids []string, listed []Job, err error) ([]Job, error) {
	if err != nil && !errors.Is(err, transport.ErrNotFound) {
		return nil, c.Transport.Explain(err)
	}
	known := make(map[string]gateway.List[Job], len(listed))
	for i, job := range listed {
		known[job.ID] = gateway.List[Job]{Items: listed[i : i+1]}
	}
	var others []Job
	missing := 0
	for _, id := range ids {
		if len(known[id].Items) > 0 {
			continue
		}
		missing++
		if len(others) < maxRetrieved && transport.Take(ctx) == nil {
			others = append(others, Job{ID: id})
		}
	}
	if missing > len(others) {
		text := fmt.Sprintf("only %d of %d chosen jobs that are not in the gateway's list are looked up. Choose fewer.", len(others), missing)
		if q.complete {
			return nil, &query.Error{Field: "Jobs", Message: text}
		}
		q.notices.Warn("Jobs: %s", text)
	}
	retrieved, err := details(ctx, c, q, others, "records", patient, func(ctx context.Context, job Job) (gateway.List[Job], error) { return c.Job(ctx, job.ID) })
	if err != nil && (q.complete || len(known) == 0) {
		return nil, err
	} else if err != nil {
		q.notices.Warn("The records of %s can't be read. %s", query.Plural(len(others), "job"), err)
	}
	maps.Copy(known, retrieved)
	var jobs []Job
	var unknown []string
	for _, id := range ids {
		found, isRead := known[id]
		jobs = append(jobs, found.Items...)
		if isRead && len(found.Items) == 0 {
			unknown = append(unknown, id)
		}
	}
	return jobs, q.explainUnknown(unknown, len(jobs))
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

// inRange are the jobs that overlap the range. An unknown time does not exclude a job.
func (q request) inRange(jobs []Job) []Job {
	overlapping := slices.DeleteFunc(slices.Clone(jobs), func(job Job) bool {
		return job.Created.After(q.to) || !job.Finished.IsZero() && job.Finished.Before(q.from)
	})
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
	start, end := newest.Created, newest.Finished
	if end.IsZero() { // one without both times overlaps every range
		end = start
	}
	if start.IsZero() {
		start = end
	}
	margin := max(end.Sub(start)/10, 5*time.Minute)
	link := fmt.Sprintf("?from=%d&to=%d", start.Add(-margin).UnixMilli(), end.Add(margin).UnixMilli())
	q.notices.Link(link, "No jobs overlap this range. This link is to that of the newest, %s.", query.Shorten(newest.Name()))
}

// explainUnmatched adds a notice about statuses and models of the query that no job has, if the result is empty because of
// them, to distinguish a misspelling from a lack of jobs. Usual statuses are not misspelled.
func (q request) explainUnmatched(s selection, jobs, chosen []Job) {
	if len(jobs) == 0 || len(chosen) > 0 {
		return
	}
	isUsual := func(status string) bool { _, usual := colors[strings.ToLower(status)]; return usual }
	q.explainValues("status", slices.DeleteFunc(slices.Clone(s.Statuses.Values), isUsual), countBy(jobs, func(j Job) string { return j.Status }))
	q.explainValues("model", s.Models.Values, countBy(jobs, func(j Job) string { return j.Model }))
}

// explainValues adds a notice about the values of an option that no job has.
func (q request) explainValues(noun string, wanted []string, have map[string]int) {
	existing := query.NewChoices(slices.Sorted(maps.Keys(have)))
	if unmatched := slices.DeleteFunc(slices.Clone(wanted), existing.Has); len(unmatched) > 0 {
		q.notices.Warn("No job has the %s %s. Jobs have: %s.", noun, query.List(unmatched), query.List(existing.Values))
	}
}

// newestFirst sorts jobs by creation, then id. Jobs without a time are last.
func newestFirst(jobs []Job) {
	slices.SortStableFunc(jobs, func(a, b Job) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID))
	})
}
