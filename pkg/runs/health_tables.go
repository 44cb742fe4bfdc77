package runs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// The severities of health.
const (
	critical = "critical"
	warning  = "warning"
	fine     = "ok"
	tooFew   = "unknown"
)

var severities = []string{critical, warning, tooFew, fine}

// kinds are the findings in words, how much each matters, and what to do about a run that goes on then. A %s stands for
// the step since which it is the case.
var kinds = map[health.Kind]struct{ title, severity, advice string }{
	health.NotFinite:   {"Not finite", critical, "Stop it, and start again from a checkpoint before that, with a lower learning rate."},
	health.Diverging:   {"Diverging", critical, "Stop it, and start again from a checkpoint before that, with a lower learning rate."},
	health.Stalled:     {"Stalled", critical, "Look at its nodes and its log, and cancel it if no step comes."},
	health.Late:        {"Late", warning, "Look at its throughput, and expect it later."},
	health.Overfitting: {"Overfitting", warning, "Stop it, and use the checkpoint%s or the nearest."},
	health.TooFew:      {"Too few points", tooFew, ""},
	health.Healthy:     {"Healthy", fine, ""},
}

// adviceOf says what to do about a run that goes on.
func adviceOf(f health.Finding) string {
	step := ""
	if !math.IsNaN(f.Since.Step) {
		step = fmt.Sprintf(" of step %g", f.Since.Step)
	}
	return strings.Replace(kinds[f.Kind].advice, "%s", step, 1)
}

// names are the labels by which results tell runs apart: those of a series, and of a job its id, name and model.
func (r *examined) names() data.Labels {
	if r.job == nil {
		return r.labels
	}
	return query.KnownLabels(data.Labels{"job": r.job.ID, "job_name": r.job.Suffix, "model": r.job.Model})
}

// finding is a row of the table.
type finding struct {
	examined
	health.Finding
}

// urgentFirst sorts runs by their first finding: those that go on, then by severity. Others stay newest first.
func urgentFirst(runs []examined) {
	rank := func(r examined) int {
		at := slices.Index(severities, kinds[r.Findings[0].Kind].severity)
		if !r.goesOn {
			at += len(severities)
		}
		return at
	}
	slices.SortStableFunc(runs, func(a, b examined) int { return cmp.Compare(rank(a), rank(b)) })
}

// findingsTable has a row for each finding, and one for each run without any, the most urgent first.
func findingsTable(runs []examined) *data.Frame {
	var rows []finding
	for _, r := range runs {
		for _, f := range r.Findings {
			rows = append(rows, finding{r, f})
		}
	}
	frame := query.Table("Training health",
		query.TextColumn("run", rows, nil, func(f finding) string { return f.name }),
		jobs.StatusColumn(rows, func(f finding) string { return f.status }),
		query.TextColumn("severity", rows, severityConfig(), func(f finding) string { return kinds[f.Kind].severity }),
		query.TextColumn("finding", rows, findingConfig(), func(f finding) string { return string(f.Kind) }),
		query.TextColumn("metric", rows, nil, func(f finding) string { return f.Metric }),
		query.TextColumn("better", rows, &data.FieldConfig{Description: "Which values of the metric are better, by its name."}, func(f finding) string {
			return string(f.Direction)
		}),
		query.TimeColumn("since", rows, nil, func(f finding) time.Time { return f.Since.At }),
		query.NumberColumn("since_step", rows, nil, func(f finding) float64 { return f.Since.Step }),
		query.TextColumn("evidence", rows, nil, func(f finding) string { return f.Evidence }),
		query.TextColumn("certainty", rows, nil, func(f finding) string { return f.Certainty }),
		query.TextColumn("advice", rows, nil, func(f finding) string {
			if !f.goesOn {
				return ""
			}
			return adviceOf(f.Finding)
		}),
	)
	addLabelColumns(frame, rows, func(f finding) data.Labels { return f.names() })
	return frame
}

// etaTable has a row for each run that goes on, the most urgent first.
func etaTable(t *task, all []examined) *data.Frame {
	runs := slices.DeleteFunc(slices.Clone(all), func(r examined) bool { return !r.goesOn })
	none := health.ETA{SecondsPerStep: math.NaN()}
	etaOf := func(r examined) health.ETA { return *cmp.Or(r.ETA, &none) }
	frame := query.Table("Estimated finish",
		query.TextColumn("run", runs, nil, func(r examined) string { return r.name }),
		jobs.StatusColumn(runs, func(r examined) string { return r.status }),
		query.NumberColumn("progress", runs, &data.FieldConfig{Unit: "percentunit"}, func(r examined) float64 { return r.Step / r.history.Progress.Total }),
		query.NumberColumn("step", runs, nil, func(r examined) float64 { return r.Step }),
		query.NumberColumn("total_steps", runs, nil, func(r examined) float64 { return r.history.Progress.Total }),
		query.TimeColumn("eta", runs, nil, func(r examined) time.Time { return etaOf(r).At }),
		query.TimeColumn("earliest", runs, &data.FieldConfig{Description: "Nine of ten runs finish between it and latest; fewer where the first restart or longer steps are ahead."}, func(r examined) time.Time { return etaOf(r).Low }),
		query.TimeColumn("latest", runs, &data.FieldConfig{Description: "There is none once it has passed."}, func(r examined) time.Time { return etaOf(r).High }),
		query.NumberColumn("left", runs, &data.FieldConfig{Unit: "s"}, func(r examined) float64 { return r.secondsLeft(t.end()) }),
		query.TimeColumn("estimated_finish", runs, &data.FieldConfig{Description: "What the gateway says."}, func(r examined) time.Time { return r.history.Estimate }),
		query.NumberColumn("seconds_per_step", runs, &data.FieldConfig{Unit: "s"}, func(r examined) float64 { return etaOf(r).SecondsPerStep }),
		query.TextColumn("from", runs, &data.FieldConfig{Description: "Where the time is from, or why there is none."}, func(r examined) string { return r.etaSource() }),
	)
	addLabelColumns(frame, runs, func(r examined) data.Labels { return r.names() })
	return frame
}

// etaSource says where an ETA is from, or why there is none.
func (r *examined) etaSource() string {
	switch {
	case r.ETA != nil:
		return fmt.Sprintf("%d reported steps", len(r.history.Progress.Points))
	case !r.history.Running:
		return "none: the status is " + r.status
	case math.IsNaN(r.history.Progress.Total):
		return "none: the number of steps is unknown"
	case slices.ContainsFunc(r.Findings, func(f health.Finding) bool { return f.Kind == health.Stalled }):
		return "none: no step comes"
	}
	return fmt.Sprintf("none: too few points: %d", len(r.history.Progress.Points))
}

// secondsLeft is how long a run goes on after a time by its steps, or NaN.
func (r *examined) secondsLeft(now time.Time) float64 {
	if r.ETA == nil {
		return math.NaN()
	}
	return max(0, r.ETA.At.Sub(now).Seconds())
}

// severityConfig colors a column of severities.
func severityConfig() *data.FieldConfig {
	return &data.FieldConfig{Mappings: data.ValueMappings{data.ValueMapper{
		critical: {Color: "red", Index: 0}, warning: {Color: "orange", Index: 1},
		tooFew: {Color: "gray", Index: 2}, fine: {Color: "green", Index: 3},
	}}}
}

// findingConfig shows findings in words.
func findingConfig() *data.FieldConfig {
	words := data.ValueMapper{}
	for i, kind := range append(slices.Clone(health.Kinds), health.TooFew, health.Healthy) {
		words[string(kind)] = data.ValueMappingResult{Text: kinds[kind].title, Index: i}
	}
	return &data.FieldConfig{Mappings: data.ValueMappings{words}}
}
