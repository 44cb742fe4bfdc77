package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
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
func (c *Client) jobTimeline(ctx context.Context, q request, _ jobsOptions, s selected) (data.Frames, error) {
	drawn := q.withTimes(s.chosen)
	events, err := details(ctx, c, q, startedJobs(drawn), "status changes", prompt, c.Events)
	if err != nil {
		return nil, err
	}
	histories, times := q.histories(drawn, events)
	drawn = drawn[:len(histories)]
	var rows []*data.Field
	names := timelineNames(drawn)
	for i, job := range drawn {
		field := data.NewField(job.ID, data.Labels{"job": job.ID}, statesAt(times, job, histories[i]))
		field.Config = statusConfig(job.Status)
		field.Config.Links = c.Links.console(jobIDOfSeries, "")
		field.Config.DisplayNameFromDS = names[i]
		rows = append(rows, field)
	}
	return timeline(times, rows), nil
}

// timeline has a row without states where there is no other: without any, Grafana's state timeline shows "Data does not have a time field".
func timeline(times []time.Time, rows []*data.Field) data.Frames {
	if len(rows) == 0 {
		rows = []*data.Field{data.NewField("none", nil, make([]*string, len(times)))}
		rows[0].Config = &data.FieldConfig{DisplayNameFromDS: "No job here"}
	}
	frame := data.NewFrame("Fine-tuning jobs", append([]*data.Field{data.NewField("Time", nil, times)}, rows...)...)
	frame.Meta = &data.FrameMeta{PreferredVisualizationPluginID: "state-timeline"}
	return data.Frames{frame}
}

// WithoutGateway is the result of a query of a dashboard where no gateway is set up: nothing, or an empty timeline.
func WithoutGateway(q backend.DataQuery) data.Frames {
	if o, err := query.Parse[jobsOptions](q); err != nil || o.Format != formatTimeline {
		return nil
	}
	return timeline([]time.Time{q.TimeRange.From, q.TimeRange.To}, nil)
}

// withTimes are the newest jobs with a known time.
func (q request) withTimes(jobs []Job) []Job {
	known := slices.DeleteFunc(slices.Clone(jobs), func(job Job) bool { return job.Created.IsZero() && job.Finished.IsZero() })
	if unknown := len(jobs) - len(known); unknown > 0 {
		q.notices.Warn("The gateway does not report the times of %s; left out.", query.Plural(unknown, "job"))
	}
	return q.newestJobs(known, maxTimelineJobs, "status changes")
}

// histories are the states of the first jobs, whose changes are at most maxTimelineTimes, and the times of the changes in the
// range with both ends of it, sorted.
func (q request) histories(jobs []Job, events map[string]gateway.List[gateway.Event]) (histories [][]statusChange, times []time.Time) {
	times = []time.Time{q.from, q.end()}
	for i, job := range jobs {
		one := history(job, events[job.ID].Items)
		for _, change := range one {
			if change.At.After(q.from) && change.At.Before(q.end()) {
				times = append(times, change.At)
			}
		}
		if i > 0 && len(times) > maxTimelineTimes {
			q.notices.Cut("Only the newest %d of %d jobs are shown, because their status changes too often. Choose statuses, models or jobs to see others.", i, len(jobs))
			break
		}
		histories = append(histories, one)
	}
	slices.SortFunc(times, time.Time.Compare)
	if q.end().Before(q.from) {
		return histories, nil
	}
	return histories, slices.CompactFunc(times, time.Time.Equal)
}

// statesAt are the states of a job from each time on, nil before its first one and from its end on. The last time ends every
// state.
func statesAt(times []time.Time, job Job, history []statusChange) []*string {
	states := make([]*string, len(times))
	at := 0
	for row := range len(times) - 1 {
		for at < len(history) && !history[at].At.After(times[row]) {
			at++
		}
		if at > 0 && !isEnd(job, history[at-1]) {
			states[row] = &history[at-1].Status
		}
	}
	return states
}

// isEnd reports whether a job ended with a change of its status.
func isEnd(job Job, change statusChange) bool {
	return gateway.IsTerminal(change.Status) || job.IsOver() && change.At.Equal(job.Finished)
}

// history is the states of a job since its creation, sorted by time. If the job has not ended, the status of its record is the
// state since the last known time.
func history(job Job, events []gateway.Event) []statusChange {
	known := changes(job, events)
	if at := lastKnown(job, events); job.Finished.IsZero() && job.Status != "" && !at.IsZero() {
		known = slices.CompactFunc(append(known, statusChange{at, job.Status}), isSame)
	}
	if job.Created.IsZero() || len(known) > 0 && !known[0].At.After(job.Created) {
		return known
	}
	first := stateWaiting
	if len(known) == 0 || isEnd(job, known[0]) {
		first = stateInProgress
	}
	return append([]statusChange{{job.Created, first}}, known...)
}

// timelineNames are the names of jobs with their final statuses.
func timelineNames(jobs []Job) []string {
	names := displayNames(jobs)
	for i, job := range jobs {
		if job.IsOver() {
			names[i] += ": " + job.Status
		}
	}
	return names
}

// givenName is the suffix of a job, or the fine-tuned model, or empty.
func givenName(j Job) string { return cmp.Or(j.Suffix, j.FineTunedModel) }

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
