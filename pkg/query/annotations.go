package query

import (
	"html"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Annotation is a region from Time to End, or a point if they are equal.
type Annotation struct {
	Time, End time.Time
	ID        string
	// Title and Text are plain texts.
	Title, Text string
	// Tags are separated by commas.
	Tags string
	// Color is a named color of Grafana.
	Color string
}

// AnnotationFrame has the fields by which Grafana draws annotations. Texts are HTML there.
func AnnotationFrame(name string, all []Annotation) *data.Frame {
	text := func(name string, value func(Annotation) string) *data.Field {
		values := make([]string, len(all))
		for i, a := range all {
			values[i] = value(a)
		}
		return data.NewField(name, nil, values)
	}
	times, ends := make([]time.Time, len(all)), make([]time.Time, len(all))
	for i, a := range all {
		times[i], ends[i] = a.Time, a.End
	}
	frame := data.NewFrame(name, data.NewField("time", nil, times), data.NewField("timeEnd", nil, ends),
		text("title", func(a Annotation) string { return html.EscapeString(a.Title) }),
		text("text", func(a Annotation) string { return html.EscapeString(a.Text) }),
		text("tags", func(a Annotation) string { return a.Tags }),
		text("id", func(a Annotation) string { return a.ID }),
		text("color", func(a Annotation) string { return a.Color }),
	)
	frame.Meta = &data.FrameMeta{}
	return frame
}
