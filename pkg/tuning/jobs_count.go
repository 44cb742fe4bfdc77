package tuning

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// group is what jobs are counted by.
type group struct{ status, model string }

// jobCount is a number of jobs for each status and model, as numeric-multi: a frame each, with the labels status and model,
// the latter missing where a job's model isn't known. An alert rule uses it as it is.
//
// Within the range counts a job that ended in it, or that has not ended and was there before its end. So "failed, the last
// 15 minutes" is the jobs that failed in these. A job that is over, at a time that neither its record nor its events tell,
// isn't counted then, and a notice says so.
// A status that the query names is there with 0 even if no job has it, for each model the query names, or else for each
// model that any job it chooses has, whatever its status: so a rule that watches for it has a value to look at. If there is no model, it has the label
// status alone.
func (c *Client) jobCount(ctx context.Context, q *query, jobs []Job) (data.Frames, error) {
	jobs, err := c.countable(ctx, q, jobs)
	if err != nil {
		return nil, err
	}
	counts, err := q.expected()
	if err != nil {
		return nil, err
	}
	for _, job := range jobs {
		counts[group{q.spelling(job.Status), job.Model}]++
	}
	var frames data.Frames
	for _, g := range slices.SortedFunc(maps.Keys(counts), func(a, b group) int {
		return strings.Compare(a.status+"\x00"+a.model, b.status+"\x00"+b.model)
	}) {
		labels := data.Labels{}
		if g.status != "" {
			labels["status"] = g.status
		}
		if g.model != "" {
			labels["model"] = g.model
		}
		field := data.NewField("jobs", labels, []float64{counts[g]})
		field.Config = &data.FieldConfig{Unit: "short", DisplayNameFromDS: g.name(), Color: g.color()}
		frames = append(frames, numeric(field))
	}
	if len(frames) == 0 {
		frames = data.Frames{numeric()}
	}
	return frames, nil
}

// jobCountByJob is 1 for each job that jobCount would count, as numeric-multi: a frame each, with the labels job, job_name, model
// and status, those missing that aren't known. An alert rule uses it as it is: an alert names its job.
func (c *Client) jobCountByJob(ctx context.Context, q *query, jobs []Job) (data.Frames, error) {
	jobs, err := c.countable(ctx, q, jobs)
	if err != nil {
		return nil, err
	}
	var frames data.Frames
	nameless := 0
	for _, job := range jobs {
		if job.ID == "" {
			nameless++
			continue
		}
		field := data.NewField("jobs", labelsOf(job, q.spelling(job.Status)), []float64{1})
		field.Config = &data.FieldConfig{Unit: "short", DisplayNameFromDS: job.Name()}
		frames = append(frames, numeric(field))
	}
	if nameless > 0 {
		q.notices.warn("The gateway gives no id for %s; not counted.", counted(nameless, "job"))
	}
	if len(frames) == 0 {
		frames = data.Frames{numeric()}
	}
	return frames, nil
}

// name is short enough to be read beside a number.
func (g group) name() string {
	if g.status == "" || g.model == "" {
		return g.status + g.model
	}
	return g.status + " · " + g.model
}

// color is the status's, or the text's: a status that isn't known would else have that of the panel's lowest threshold,
// which is green.
func (g group) color() map[string]any {
	color, ok := colors[strings.ToLower(g.status)]
	if !ok {
		color = "text"
	}
	return map[string]any{"mode": "fixed", "fixedColor": color}
}

func numeric(fields ...*data.Field) *data.Frame {
	frame := data.NewFrame("", fields...)
	frame.Meta = &data.FrameMeta{Type: data.FrameTypeNumericMulti, TypeVersion: data.FrameTypeVersion{0, 1}}
	return frame
}

// spelling is the status as the query writes it, so that a label does not depend on the gateway's case.
func (q *query) spelling(status string) string { return cmp.Or(q.Statuses.Spelling(status), status) }

// countable leaves the jobs that ended in the range, or that are alive at its end, unless jobs of any time are asked for.
func (c *Client) countable(ctx context.Context, q *query, jobs []Job) ([]Job, error) {
	if !q.onlyInRange() {
		return jobs, nil
	}
	var unclear, lived []Job
	for _, job := range jobs {
		switch {
		case job.Created != nil && job.Created.After(q.to):
		case !job.Terminal():
			lived = append(lived, job)
		case job.Finished != nil:
			if q.holds(*job.Finished) {
				lived = append(lived, job)
			}
		default:
			unclear = append(unclear, job)
		}
	}
	if len(unclear) == 0 {
		return lived, nil
	}
	asked := slices.DeleteFunc(slices.Clone(unclear), func(j Job) bool { return j.ID == "" })
	events := gather(ctx, c, asked, 0, c.events)
	if err := events.incomplete(); err != nil {
		return nil, err
	}
	unknown := 0
	for _, job := range unclear {
		end := ended(job, events.of[job.ID].items)
		switch {
		case end == nil:
			unknown++
		case q.holds(*end):
			lived = append(lived, job)
		}
	}
	if unknown > 0 {
		q.notices.warn("The gateway does not tell when %s ended; not counted.", counted(unknown, "job"))
	}
	return lived, nil
}

// maxExpected is how many groups a query may ask for by naming statuses.
const maxExpected = 1000

// expected are the groups that are there even if no job is in them.
func (q *query) expected() (map[group]float64, error) {
	models := q.Models.Values
	if len(models) == 0 {
		models = q.seenModels
	}
	if len(models) == 0 {
		models = []string{""}
	}
	if n := len(q.Statuses.Values) * len(models); n > maxExpected {
		return nil, &queries.Error{Field: "Status", Message: fmt.Sprintf("a count has at most %d numbers, and these statuses and models are %d. Choose fewer statuses or models.", maxExpected, n)}
	}
	counts := map[group]float64{}
	for _, status := range q.Statuses.Values {
		for _, model := range models {
			counts[group{status, model}] = 0
		}
	}
	return counts, nil
}
