package runs

import (
	"context"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// maxAnnotations bounds what is drawn over a panel.
	maxAnnotations = 100
	// maxOverlap is how many regions may lie over each other. Where there are more, their tints cover the panel.
	maxOverlap = 3
)

// annotations is a query of the type runAnnotations.
type annotations struct{ options }

func (q *annotations) check(bool) error { return nil }

func (q *annotations) needs() jobs.RunFilters { return jobs.RunFilters{Most: maxAnnotations} }

// frames are a region for each run, or where too many overlap, their starts.
func (q *annotations) frames(_ context.Context, t *task, runs []run) (data.Frames, error) {
	all := make([]query.Annotation, len(runs))
	for i := range runs {
		all[i] = runs[i].annotation()
	}
	if query.Overlap(all) > maxOverlap {
		t.notices.Info("More than %d runs overlap, so their starts are drawn instead of regions.", maxOverlap)
		for i := range all {
			all[i].End = all[i].Time
		}
	}
	return t.drawn("Runs", all), nil
}

// drawn is the frame of the first annotations within the range.
func (t *task) drawn(name string, all []query.Annotation) data.Frames {
	all = slices.DeleteFunc(all, func(a query.Annotation) bool { return a.End.Before(t.from) || a.Time.After(t.to) })
	if len(all) > maxAnnotations {
		t.notices.Cut("Only %d of %d annotations are drawn. Choose fewer runs.", maxAnnotations, len(all))
		all = all[:maxAnnotations]
	}
	return data.Frames{query.AnnotationFrame(name, all)}
}

func (r *run) annotation() query.Annotation {
	return query.Annotation{
		Time: r.start, End: r.end, ID: "run:" + r.id, Title: "Run " + r.name,
		Text: strings.Join([]string{r.status, r.length().String(), r.id}, " · "), Tags: []string{r.status, r.name}, Color: jobs.Color(r.status),
	}
}
