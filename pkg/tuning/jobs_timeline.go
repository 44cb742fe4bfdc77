package tuning

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// The bounds of a timeline, which has a value for each job and each time at which any job changed.
const (
	maxTimelineJobs  = 100
	maxTimelineTimes = 10_000
)

// jobTimeline is the state of each job over time, for Grafana's state timeline: one frame with the times at which any job
// changed, and a text field for each job. A job has no state before its creation, after its end and after now, so that the
// length of its row is its duration; the name of the row has the final status. Before its first known status the state is
// "waiting"; that of an ended job without events is "in progress" until its end.
func (c *Client) jobTimeline(ctx context.Context, q *parsedQuery, jobs []Job) (data.Frames, error) {
	jobs = q.inRange(jobs)
	var drawn []Job
	unknown := 0
	for _, job := range jobs {
		if job.Created == nil && job.Finished == nil {
			unknown++
			continue
		}
		drawn = append(drawn, job)
	}
	if unknown > 0 {
		q.notices.Warn("The gateway does not report the times of %s; left out.", query.Plural(unknown, "job"))
	}
	if len(drawn) > maxTimelineJobs {
		q.notices.Warn("Only the newest %d of %d jobs are shown. Choose statuses, models or jobs to see others.", maxTimelineJobs, len(drawn))
		drawn = drawn[:maxTimelineJobs]
	}
	events := fetchDetails(ctx, c, q, startedJobs(drawn), "status changes", prompt, (*reader).events)
	if err := events.addNotices(q); err != nil {
		q.notices.Warn("Status changes can't be read. %s", messageOf(err))
	}
	histories := make([][]Change, len(drawn))
	times := []time.Time{q.from, q.end()}
	for i, job := range drawn {
		if ctx.Err() != nil {
			return nil, c.explain(ctx.Err())
		}
		histories[i] = history(job, events.byJob[job.ID].items)
		for _, change := range histories[i] {
			if change.At.After(q.from) && change.At.Before(q.end()) {
				times = append(times, change.At)
			}
		}
		if i > 0 && len(times) > maxTimelineTimes {
			q.notices.Warn("Only the newest %d of %d jobs are shown, because their status changes too often. Choose statuses, models or jobs to see others.", i, len(drawn))
			drawn = drawn[:i]
			break
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	if q.end().Before(q.from) {
		times = nil
	}

	timeField := data.NewField("Time", nil, times)
	fields := []*data.Field{timeField}
	names := timelineNames(drawn)
	for i, job := range drawn {
		states := make([]*string, len(times))
		at := 0
		for row := range len(times) - 1 { // the last row ends every state
			for at < len(histories[i]) && !histories[i][at].At.After(times[row]) {
				at++
			}
			if at > 0 && !isTerminal(histories[i][at-1].Status) {
				states[row] = &histories[i][at-1].Status
			}
		}
		field := data.NewField(job.ID, data.Labels{"job": job.ID}, states)
		field.Config = statusConfig()
		field.Config.Links = c.Links.consoleOf(jobIDOfSeries, "")
		field.Config.DisplayNameFromDS = names[i]
		fields = append(fields, field)
	}
	if len(drawn) == 0 {
		fields = append(fields, emptyRow(len(times)))
	}
	frame := data.NewFrame("Fine-tuning jobs", fields...)
	frame.Meta = &data.FrameMeta{}
	return data.Frames{frame}, nil
}

// emptyRow is a row without states. Without any row, Grafana's state timeline shows "Data does not have a time field".
func emptyRow(times int) *data.Field {
	field := data.NewField("none", nil, make([]*string, times))
	field.Config = &data.FieldConfig{DisplayNameFromDS: "No job here"}
	return field
}

// history is the states of a job since its creation, sorted by time. If the job has not ended, the status of its record is the
// state since the last known time.
func history(job Job, events []Event) []Change {
	known := changes(job, events)
	if at := lastKnown(job, events); job.Finished == nil && job.Status != "" && at != nil {
		if len(known) == 0 || known[len(known)-1].Status != job.Status {
			known = append(known, Change{*at, job.Status})
		}
	}
	if job.Created == nil || len(known) > 0 && !known[0].At.After(*job.Created) {
		return known
	}
	first := stateWaiting
	if len(known) == 0 || isTerminal(known[0].Status) {
		first = stateInProgress
	}
	return append([]Change{{*job.Created, first}}, known...)
}

// timelineNames are the names of jobs with their final statuses.
func timelineNames(jobs []Job) []string {
	names := displayNames(jobs)
	for i, job := range jobs {
		if job.isOver() {
			names[i] += ": " + job.Status
		}
	}
	return names
}

// displayNames are the names of jobs, with the id if several have the same name.
func displayNames(jobs []Job) []string {
	times := map[string]int{}
	for _, job := range jobs {
		times[job.Name()]++
	}
	names := make([]string, len(jobs))
	for i, job := range jobs {
		names[i] = job.Name()
		if times[names[i]] > 1 {
			names[i] = fmt.Sprintf("%s (%s)", names[i], job.ID)
		}
	}
	return names
}
