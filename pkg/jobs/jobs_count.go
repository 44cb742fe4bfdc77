package jobs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// group is the label set of a count. The job is empty where jobs are counted by status and model.
type group struct{ status, model, job, name string }

// jobCount is the number of jobs for each status and model, as numeric-multi frames with the labels status and model, without
// the latter if the model is unknown.
//
// Of the range are jobs that ended within it, and jobs that were created before its end and have not ended. So "failed, the
// last 15 minutes" is the jobs that failed within these. A terminal job whose end is unknown is not counted, and a notice has
// their number. A status in the query has a count of 0 if no job has it, so that an alert rule always has a value: for each
// model in the query, or else for each model of the jobs. Without models it has the label status only.
//
// By job, it is 1 for each job that is counted, with the labels job and job_name besides, so that an alert has its job's labels.
func (c *Client) jobCount(ctx context.Context, q request, o jobsOptions, s selected) (data.Frames, error) {
	jobs, err := c.countable(ctx, q, o, s.chosen)
	if err != nil {
		return nil, err
	}
	counts, isByJob, nameless := map[group]float64{}, o.Format == formatCountByJob, 0
	if !isByJob {
		if counts, err = o.expected(s.all); err != nil {
			return nil, err
		}
	}
	for _, job := range jobs {
		g := group{status: o.spelling(job.Status), model: job.Model}
		if isByJob && job.ID == "" {
			nameless++
			continue
		} else if isByJob {
			g.job, g.name = job.ID, givenName(job)
		}
		counts[g]++
	}
	if nameless > 0 {
		q.notices.Warn("The gateway gives no id for %s; not counted.", query.Plural(nameless, "job"))
	}
	var fields []*data.Field
	for _, g := range slices.SortedFunc(maps.Keys(counts), func(a, b group) int {
		return cmp.Or(strings.Compare(a.job, b.job), strings.Compare(a.status, b.status), strings.Compare(a.model, b.model))
	}) {
		labels := query.KnownLabels(data.Labels{"status": g.status, "model": g.model, "job": g.job, "job_name": g.name})
		field := data.NewField("jobs", labels, []float64{counts[g]})
		field.Config = &data.FieldConfig{
			Unit: "short", DisplayNameFromDS: cmp.Or(g.name, g.job, joinFacts(g.status, g.model)), Color: map[string]any{"mode": "fixed", "fixedColor": Color(g.status)},
		}
		fields = append(fields, field)
	}
	return query.Numbers(fields), nil
}

// spelling is the status in the query's spelling, so that a label does not depend on the gateway's letter case, nor on its word.
func (o jobsOptions) spelling(status string) string {
	return cmp.Or(o.Statuses.Spelling(status), o.Statuses.Spelling(gateway.Usual(status)), status)
}

// countable are the jobs that ended within the range, or that exist at its end, unless the query is for jobs of any time.
func (c *Client) countable(ctx context.Context, q request, o jobsOptions, jobs []Job) ([]Job, error) {
	if !o.onlyInRange() {
		return jobs, nil
	}
	var withoutEnd, overlapping []Job
	for _, job := range jobs {
		switch {
		case job.Created.After(q.to):
		case !job.IsOver():
			overlapping = append(overlapping, job)
		case !job.Finished.IsZero():
			if q.contains(job.Finished) {
				overlapping = append(overlapping, job)
			}
		default:
			withoutEnd = append(withoutEnd, job)
		}
	}
	if len(withoutEnd) == 0 {
		return overlapping, nil
	}
	events, err := details(ctx, c, q, withoutEnd, "events", patient, c.Events)
	if err != nil {
		return nil, err
	}
	unknown := 0
	for _, job := range withoutEnd {
		end := endTime(job, events[job.ID].Items)
		switch {
		case end.IsZero():
			unknown++
		case q.contains(end):
			overlapping = append(overlapping, job)
		}
	}
	if unknown > 0 {
		q.notices.Warn("The gateway does not report when %s ended; not counted.", query.Plural(unknown, "job"))
	}
	return overlapping, nil
}

// maxExpected bounds the counts for the statuses and models of a query.
const maxExpected = 1000

// expected are the groups that have a count even if no job is in them.
func (o jobsOptions) expected(all []Job) (map[group]float64, error) {
	models := o.Models.Values
	if len(models) == 0 {
		models = slices.Sorted(maps.Keys(countBy(all, func(j Job) string { return j.Model })))
	}
	if len(models) == 0 {
		models = []string{""}
	}
	if n := len(o.Statuses.Values) * len(models); n > maxExpected {
		return nil, &query.Error{Field: "Status", Message: fmt.Sprintf("a count has at most %d numbers, and these statuses and models are %d. Choose fewer statuses or models.", maxExpected, n)}
	}
	counts := map[group]float64{}
	for _, status := range o.Statuses.Values {
		for _, model := range models {
			counts[group{status: status, model: model}] = 0
		}
	}
	return counts, nil
}
