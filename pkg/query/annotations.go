package query

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Annotation is a region from Time to End, or a point if they are equal.
type Annotation struct {
	Time, End time.Time
	ID        string
	// Title and Text are plain texts.
	Title, Text string
	// Links are HTML, which follows the text.
	Links string
	// Tags are separated by commas.
	Tags string
	// Color is a named color of Grafana.
	Color string
}

// AnnotationFrame has the fields by which Grafana draws annotations, sorted by time. Texts are HTML there.
func AnnotationFrame(name string, all []Annotation) *data.Frame {
	slices.SortFunc(all, func(a, b Annotation) int { return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.ID, b.ID)) })
	frame := data.NewFrame(name,
		Column("time", all, nil, func(a Annotation) time.Time { return a.Time }),
		Column("timeEnd", all, nil, func(a Annotation) time.Time { return a.End }),
		Column("title", all, nil, func(a Annotation) string { return html.EscapeString(a.Title) }),
		Column("text", all, nil, Annotation.html),
		Column("tags", all, nil, func(a Annotation) string { return a.Tags }),
		Column("id", all, nil, func(a Annotation) string { return a.ID }),
		Column("color", all, nil, func(a Annotation) string { return a.Color }),
	)
	frame.Meta = &data.FrameMeta{}
	return frame
}

// html is the text with the links.
func (a Annotation) html() string {
	text := html.EscapeString(a.Text)
	if a.Links != "" {
		text += " <br />" + a.Links
	}
	return text
}
