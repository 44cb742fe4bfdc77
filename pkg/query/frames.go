package query

import (
	"context"
	"maps"
	"math"
	"time"

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
// there is none. Of an expression, columns of tables have no labels; their names are those that people see.
//
// With alerting set, for alert rules and server-side expressions, its error is that of [Notices.Incomplete].
func Finish(ctx context.Context, frames data.Frames, refID string, alerting bool, notices Notices) (data.Frames, error) {
	if err := notices.Incomplete(); alerting && err != nil {
		return nil, err
	}
	if len(frames) == 0 {
		frames = data.Frames{data.NewFrame("")}
	}
	for _, frame := range frames {
		frame.RefID = refID
		if isTable := frame.Meta != nil && (frame.Meta.Type == "" || frame.Meta.Type == data.FrameTypeTable); isTable && isOfExpression(ctx) {
			for _, field := range frame.Fields {
				field.Labels = nil // SQL expressions read none, and refuse tables with them
			}
		}
	}
	for _, notice := range notices {
		if notice.Severity == cutSeverity {
			notice.Severity = data.NoticeSeverityWarning
		}
		frames[0].AppendNotices(notice)
	}
	return frames, nil
}

// Column is a field of a table with a value for each item. Nil pointers are null.
func Column[T, V any](name string, items []T, config *data.FieldConfig, value func(T) V) *data.Field {
	values := make([]V, len(items))
	for i, item := range items {
		values[i] = value(item)
	}
	field := data.NewField(name, nil, values)
	field.Config = config
	return field
}

// OrNull is nil for the empty text, and for the zero time.
func OrNull[V comparable](value V) *V {
	if value == *new(V) {
		return nil
	}
	return &value
}

// TextColumn is a column of texts. Empty texts are null.
func TextColumn[T any](name string, items []T, config *data.FieldConfig, value func(T) string) *data.Field {
	return Column(name, items, config, func(item T) *string { return OrNull(value(item)) })
}

// TimeColumn is a column of times. The zero time is null.
func TimeColumn[T any](name string, items []T, config *data.FieldConfig, value func(T) time.Time) *data.Field {
	return Column(name, items, config, func(item T) *time.Time { return OrNull(value(item)) })
}

// NumberColumn is a column of numbers. Those that are not finite are null.
func NumberColumn[T any](name string, items []T, config *data.FieldConfig, value func(T) float64) *data.Field {
	return Column(name, items, config, func(item T) *float64 { return Finite(value(item)) })
}

// Finite is nil for a number that is not finite.
func Finite(value float64) *float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	return &value
}

// KnownLabels removes the labels without a value, and returns the others.
func KnownLabels(labels data.Labels) data.Labels {
	maps.DeleteFunc(labels, func(_, value string) bool { return value == "" })
	return labels
}

type expressionKey struct{}

// OfExpression marks a query whose result a panel's server-side expression evaluates.
func OfExpression(ctx context.Context) context.Context {
	return context.WithValue(ctx, expressionKey{}, true)
}

func isOfExpression(ctx context.Context) bool { return ctx.Value(expressionKey{}) != nil }

// IsNumeric reports whether a table has to become numbers, which is so for alert rules. Nothing tells the query of an expression in SQL, which
// reads tables, from one of another expression, which does not: the format of the query decides there.
func IsNumeric(ctx context.Context, alerting bool) bool { return alerting && !isOfExpression(ctx) }
