package runs

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// ofSteps are the kinds that are about the steps of a run and not about its curves.
var ofSteps = []health.Kind{health.Stalled, health.Late}

// numbers are 1 or 0 for each run that goes on and each kind of finding, with the labels of the run and finding, and the seconds until it
// finishes, as numeric-multi frames. There is none of a kind that can't be evaluated, because there are too few points.
func (q *examination) numbers(t *task, runs []examined) data.Frames {
	var fields []*data.Field
	add := func(r *examined, name, finding string, value float64, unit string) {
		labels := maps.Clone(r.names())
		labels["finding"] = finding
		field := data.NewField(name, labels, []float64{value})
		field.Config = &data.FieldConfig{Unit: unit, DisplayNameFromDS: r.name + " " + finding}
		fields = append(fields, field)
	}
	few := 0
	for i := range runs {
		r := &runs[i]
		if !r.goesOn {
			continue
		}
		if !r.HasEnough {
			few++
		}
		for _, kind := range health.Kinds {
			if !q.Findings.Has(string(kind)) || !r.HasEnough && !slices.Contains(ofSteps, kind) {
				continue
			}
			value := 0.0
			if slices.ContainsFunc(r.Findings, func(f health.Finding) bool { return f.Kind == kind }) {
				value = 1
			}
			add(r, "finding", string(kind), value, "")
		}
		if left := r.secondsLeft(t.end()); !math.IsNaN(left) && q.Findings.Has(eta) {
			add(r, eta, eta, left, "s")
		}
	}
	if few > 0 {
		t.notices.Info("%d of the runs that go on have too few points.", few)
	}
	return query.Numbers(fields)
}

// healthColors are the colors of severities, which Grafana has for states of alerts, too; events without such a color have that of the annotation.
var healthColors = map[string]string{critical: "red", warning: "yellow"}

// annotations are points where findings began, within the range. Regions would cover the curves that they are about.
func (q *examination) annotations(t *task, runs []examined) data.Frames {
	var all []query.Annotation
	for _, r := range runs {
		for _, f := range r.Findings {
			if !f.IsWrong() || !q.Findings.Has(string(f.Kind)) {
				continue
			}
			at, kind := f.Since.At, kinds[f.Kind]
			all = append(all, query.Annotation{
				Time: at, End: at, ID: strings.Join([]string{string(f.Kind), f.Metric, r.names().String()}, ":"), Title: kind.title + " from here on: " + r.name,
				Text: strings.TrimSpace(f.Metric + " " + f.Evidence), Tags: []string{kind.severity, r.name}, Color: healthColors[kind.severity],
			})
		}
	}
	return t.drawn("Training health", all)
}
