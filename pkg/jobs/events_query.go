package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxLogLines bounds the events of a query.
const maxLogLines = 5000

// eventsOptions are those of events.
type eventsOptions struct {
	selection
	Levels query.Choices `json:"levels"`
}

type eventLine struct {
	job *Job
	*gateway.Event
}

// queryEvents is the events of jobs within the range as log lines, newest first.
//
// Format: log-lines, https://grafana.com/developers/dataplane/logs
func (c *Client) queryEvents(ctx context.Context, q request) (data.Frames, error) {
	o, err := query.Parse[eventsOptions](q.saved)
	if err != nil {
		return nil, err
	}
	o.Levels.Rewrite(levelOf)
	s, err := c.selectJobs(ctx, q, o.selection, o.isInRange(), q.notices.Blank("Level", o.Levels))
	if err != nil {
		return nil, err
	}
	found, err := details(ctx, c, q, s.chosen, "events", about, c.Events)
	if err != nil {
		return nil, err
	}
	var lines []eventLine
	undated := 0
	for i, job := range s.chosen {
		events := found[job.ID].Items
		for k := range events {
			switch event := &events[k]; {
			case !o.Levels.Has(levelOf(event.Level)):
			case event.Created.IsZero():
				undated++
			case q.contains(event.Created):
				lines = append(lines, eventLine{&s.chosen[i], event})
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b eventLine) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(b.ID, a.ID))
	})
	if undated > 0 {
		q.notices.Warn("%s without a time left out.", query.Plural(undated, "event"))
	}
	if len(lines) > maxLogLines {
		q.notices.Cut("Only the newest %d of %d events are shown.", maxLogLines, len(lines))
		lines = lines[:maxLogLines]
	}
	return data.Frames{logLines(lines)}, nil
}

func logLines(lines []eventLine) *data.Frame {
	text := func(name string, value func(eventLine) string) *data.Field {
		return query.Column(name, lines, nil, value)
	}
	frame := data.NewFrame("Fine-tuning events",
		query.Column("timestamp", lines, nil, func(l eventLine) time.Time { return l.Created }),
		text("body", func(l eventLine) string { return l.Message }),
		text("severity", func(l eventLine) string { return levelOf(l.Level) }),
		// The id is unique even if the gateway has none, because Explore drops lines with the same id.
		text("id", func(l eventLine) string {
			return l.job.ID + "/" + cmp.Or(l.ID, l.Created.Format(time.RFC3339Nano)+" "+l.Message)
		}),
		query.Column("labels", lines, nil, sharedLabels()),
		// Columns for tables, because the labels are one field.
		text("job_id", func(l eventLine) string { return l.job.ID }),
		text("name", func(l eventLine) string { return l.job.Name() }),
	)
	frame.Meta = &data.FrameMeta{
		Type: data.FrameTypeLogLines, TypeVersion: data.FrameTypeVersion{0, 0}, PreferredVisualization: data.VisTypeLogs,
	}
	return frame
}

// sharedLabels are the labels of each line, of which those that are equal are made once: a model may have a long name.
func sharedLabels() func(eventLine) json.RawMessage {
	type of struct {
		job          *Job
		kind, status string
	}
	known := map[of]json.RawMessage{}
	return func(l eventLine) json.RawMessage {
		key := of{l.job, l.Type, l.Status}
		if known[key] == nil {
			known[key] = l.labels()
		}
		return known[key]
	}
}

func (l eventLine) labels() json.RawMessage {
	labels := query.KnownLabels(data.Labels{"job": l.job.ID, "model": l.job.Model, "type": l.Type, "status": l.Status})
	if name := l.job.Name(); name != l.job.ID {
		labels["name"] = name
	}
	raw, _ := json.Marshal(labels) // texts can always be encoded
	return raw
}

// levelOf is the level in the spelling of Grafana's logs.
func levelOf(level string) string {
	switch level = strings.ToLower(level); level {
	case "warning":
		return "warn"
	case "err", "fatal", "critical":
		return "error"
	}
	return level
}
