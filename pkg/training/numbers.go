package training

import (
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/training/findings"
)

// ofSteps are the kinds that are about the steps of a run and not about its curves.
var ofSteps = []findings.Kind{findings.Stalled, findings.Late}

// numbers are 1 or 0 for each run that goes on and each kind of finding, with the labels of the run and finding, and the seconds until it
// finishes, as numeric-multi frames. There is none of a kind that can't be evaluated, because there are too few points.
func (q *parsedQuery) numbers(runs []*run) data.Frames {
	var fields []*data.Field
	add := func(r *run, name, finding string, value float64, unit string) {
		labels := r.labels.Copy()
		labels["finding"] = finding
		field := data.NewField(name, labels, []float64{value})
		field.Config = &data.FieldConfig{Unit: unit, DisplayNameFromDS: r.name + " " + finding}
		fields = append(fields, field)
	}
	tooFew := 0
	for _, r := range runs {
		if !r.running {
			continue
		}
		unknown := r.Findings[0].Kind == findings.TooFew
		if unknown {
			tooFew++
		}
		for _, kind := range findings.Kinds {
			if !q.Findings.Has(string(kind)) || unknown && !slices.Contains(ofSteps, kind) {
				continue
			}
			value := 0.0
			if slices.ContainsFunc(r.Findings, func(f findings.OfMetric) bool { return f.Kind == kind && f.Active() }) {
				value = 1
			}
			add(r, "finding", string(kind), value, "")
		}
		if left := r.secondsLeft(q.end); left != nil && q.Findings.Has(eta) {
			add(r, eta, eta, *left, "s")
		}
	}
	if tooFew > 0 {
		q.notices.Info("%d of the runs that go on have too few points.", tooFew)
	}
	return query.Numbers(fields)
}
