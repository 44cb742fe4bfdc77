package query

import (
	"context"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Table makes a frame of the type table.
//
// Format: https://grafana.com/developers/dataplane/tabular
func Table(name string, fields ...*data.Field) *data.Frame {
	frame := data.NewFrame(name, fields...)
	frame.Meta = &data.FrameMeta{Type: data.FrameTypeTable, TypeVersion: data.FrameTypeVersion{0, 1}, PreferredVisualization: data.VisTypeTable}
	return frame
}

// TimeSeriesMulti makes a frame of the type timeseries-multi. Without fields it stands for no series.
//
// Format: https://grafana.com/developers/dataplane/timeseries
func TimeSeriesMulti(fields ...*data.Field) *data.Frame {
	frame := data.NewFrame("", fields...)
	frame.Meta = &data.FrameMeta{Type: data.FrameTypeTimeSeriesMulti, TypeVersion: data.FrameTypeVersion{0, 1}}
	return frame
}

// numericMulti makes a frame of the type numeric-multi, which alert rules evaluate without a reduce expression. Without a
// field it stands for no numbers. Explore draws it as bars: in its table, all frames would be under the name of the first.
//
// Format: https://grafana.com/developers/dataplane/numeric
func numericMulti(fields ...*data.Field) *data.Frame {
	frame := data.NewFrame("", fields...)
	frame.Meta = &data.FrameMeta{
		Type: data.FrameTypeNumericMulti, TypeVersion: data.FrameTypeVersion{0, 1}, PreferredVisualizationPluginID: "bargauge",
	}
	return frame
}

// Numbers makes a numeric-multi frame of each field, or one that stands for no numbers.
func Numbers(fields []*data.Field) data.Frames {
	if len(fields) == 0 {
		return data.Frames{numericMulti()}
	}
	frames := make(data.Frames, len(fields))
	for i, field := range fields {
		frames[i] = numericMulti(field)
	}
	return frames
}

// Finish makes the result of a query: it sets the refID of all frames and adds the notices to the first one, and an empty frame if
// there is none. Of an expression, columns of tables have no labels.
//
// With alerting set, for alert rules and server-side expressions, its error is that of [Notices.Incomplete].
func Finish(ctx context.Context, frames data.Frames, refID string, alerting bool, notices Notices) (data.Frames, error) {
	if err := notices.Incomplete(); alerting && err != nil {
		return nil, err
	}
	if len(frames) == 0 {
		frames = data.Frames{data.NewFrame("")}
	}
	for i, frame := range frames {
		if isOfExpression(ctx) {
			frames[i] = long(frame)
		}
		frames[i].RefID = refID
	}
	for _, notice := range notices {
		if notice.Severity == cutSeverity {
			notice.Severity = data.NoticeSeverityWarning
		}
		frames[0].AppendNotices(notice)
	}
	return frames, nil
}
