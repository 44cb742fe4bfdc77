package tuning

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxLines is how many events are shown at most.
const maxLines = 5000

type eventLine struct {
	job *Job
	Event
}

// queryEvents is the jobs' events within the range as log lines, newest first.
//
// Format: log-lines, https://grafana.com/developers/dataplane/logs
func (c *Client) queryEvents(ctx context.Context, q *query) (data.Frames, error) {
	if q.Levels.Blank {
		q.notices.warn(queries.BlankNotice, "Level")
		return data.Frames{logLines(nil)}, nil
	}
	jobs, err := c.jobsWithin(ctx, q)
	if err != nil {
		return nil, err
	}
	asked := slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return j.ID == "" })
	found := gather(ctx, c, asked, 0, c.events)
	if err := found.complain(q, "events"); err != nil {
		return nil, err
	}
	found.explainAbsent(q, "events")
	q.Levels.Rewrite(levelOf)
	lines := newest[eventLine]{most: maxLines, compare: func(a, b eventLine) int {
		return cmp.Or(compareTimes(b.Created, a.Created), strings.Compare(b.ID, a.ID))
	}}
	undated := 0
	for i, job := range asked {
		if ctx.Err() != nil {
			return nil, c.explain(ctx.Err())
		}
		events := found.of[job.ID]
		if events.cut {
			q.notices.warn("Some jobs have more than %d events; the others are left out.", maxEvents)
		}
		for _, event := range events.items {
			switch {
			case !q.Levels.Has(levelOf(event.Level)):
			case event.Created == nil:
				undated++
			case q.holds(*event.Created):
				lines.add(eventLine{&asked[i], event})
			}
		}
	}
	if undated > 0 {
		q.notices.warn("%s without a time left out.", counted(undated, "event"))
	}
	shown := lines.sorted()
	if lines.total > maxLines {
		q.notices.warn("Only the newest %d of %d events are shown.", maxLines, lines.total)
	}
	return data.Frames{logLines(shown)}, nil
}

func logLines(lines []eventLine) *data.Frame {
	times, bodies := make([]time.Time, len(lines)), make([]string, len(lines))
	severities, ids := make([]string, len(lines)), make([]string, len(lines))
	labels := make([]json.RawMessage, len(lines))
	jobs, names := make([]string, len(lines)), make([]string, len(lines))
	for i, line := range lines {
		times[i], bodies[i], severities[i] = *line.Created, line.Message, levelOf(line.Level)
		// An id of its own even where the gateway has none: Explore drops lines that share one.
		ids[i] = line.job.ID + "/" + cmp.Or(line.ID, line.Created.Format(time.RFC3339Nano)+" "+line.Message)
		labels[i] = line.labels()
		jobs[i], names[i] = line.job.ID, line.job.Name()
	}
	frame := data.NewFrame("Fine-tuning events",
		data.NewField("timestamp", nil, times),
		data.NewField("body", nil, bodies),
		data.NewField("severity", nil, severities),
		data.NewField("id", nil, ids),
		data.NewField("labels", nil, labels),
		// For tables: the labels are one field.
		data.NewField("job_id", nil, jobs),
		data.NewField("name", nil, names),
	)
	frame.Meta = &data.FrameMeta{
		Type: data.FrameTypeLogLines, TypeVersion: data.FrameTypeVersion{0, 0}, PreferredVisualization: data.VisTypeLogs,
	}
	return frame
}

func (l eventLine) labels() json.RawMessage {
	labels := map[string]string{}
	for name, value := range map[string]string{"job": l.job.ID, "model": l.job.Model, "type": l.Type, "status": l.Status} {
		if value != "" {
			labels[name] = value
		}
	}
	if name := l.job.Name(); name != l.job.ID {
		labels["name"] = name
	}
	raw, err := json.Marshal(labels)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

// levelOf writes a level as Grafana's logs do.
func levelOf(level string) string {
	switch level = strings.ToLower(level); level {
	case "warning":
		return "warn"
	case "err", "fatal", "critical":
		return "error"
	}
	return level
}
