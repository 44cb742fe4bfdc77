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
	// Tags may be empty.
	Tags []string
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
		Column("tags", all, nil, func(a Annotation) string { return joinTags(a.Tags) }),
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

// joinTags joins tags with commas, at which Grafana splits them.
func joinTags(tags []string) string {
	var written []string
	for _, tag := range tags {
		if tag = strings.TrimSpace(strings.ReplaceAll(tag, ",", " ")); tag != "" {
			written = append(written, tag)
		}
	}
	return strings.Join(written, ",")
}

// Overlap is the most regions that lie over each other at a time. One that ends when the next begins does not overlap it.
func Overlap(regions []Annotation) int {
	most := 0
	for _, region := range regions {
		over := 0
		for _, other := range regions {
			if !other.Time.After(region.Time) && other.End.After(region.Time) {
				over++
			}
		}
		most = max(most, over)
	}
	return most
}
