package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/training/findings"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

// The severities of findings.
const (
	critical = "critical"
	warning  = "warning"
	info     = "info"
	fine     = "ok"
	unknown  = "unknown"
)

// severityOf says how much a finding matters: what has ended is for information.
func severityOf(f findings.Finding) string {
	switch {
	case f.Kind == findings.Healthy:
		return fine
	case f.Kind == findings.TooFew:
		return unknown
	case !f.Active() || f.Kind == findings.Plateau:
		return info
	case f.Kind == findings.NotFinite, f.Kind == findings.Stalled, f.Kind == findings.Diverging:
		return critical
	}
	return warning
}

var severities = []string{critical, warning, info, unknown, fine}

// adviceOf says what to do about a run that goes on.
func adviceOf(f findings.Finding) string {
	step := ""
	if !math.IsNaN(f.Since.Step) {
		step = fmt.Sprintf(" of step %g", f.Since.Step)
	}
	switch {
	case !f.Active():
		return ""
	case f.Kind == findings.NotFinite, f.Kind == findings.Diverging:
		return "Stop it, and start again from a checkpoint before that, with a lower learning rate."
	case f.Kind == findings.Stalled:
		return "Look at its nodes and its log, and cancel it if no step comes."
	case f.Kind == findings.Late:
		return "Look at its throughput, and expect it later."
	case f.Kind == findings.Overfitting:
		return "Stop it, and use the checkpoint" + step + " or the nearest."
	case f.Kind == findings.Plateau:
		return "Stop it if the result is good enough: more steps gain little."
	}
	return "Wait: most spikes come back."
}

// finding is a row of the table.
type finding struct {
	*run
	findings.OfMetric
}

// urgentFirst sorts runs by their first finding: those that go on, then by severity. Others stay newest first.
func urgentFirst(runs []*run) {
	rank := func(r *run) int {
		at := slices.Index(severities, severityOf(r.Findings[0].Finding))
		if !r.running {
			at += len(severities)
		}
		return at
	}
	slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(rank(a), rank(b)) })
}

// table has a row for each finding, and one for each run without any, the most urgent first.
func table(runs []*run) *data.Frame {
	var rows []finding
	for _, r := range runs {
		for _, f := range r.Findings {
			rows = append(rows, finding{r, f})
		}
	}
	frame := query.Table("Training health",
		query.TextColumn("run", rows, nil, func(f finding) string { return f.name }),
		query.TextColumn("status", rows, tuning.StatusConfig(), func(f finding) string { return f.status }),
		query.TextColumn("severity", rows, severityConfig(), func(f finding) string { return severityOf(f.Finding) }),
		query.TextColumn("finding", rows, findingConfig(), func(f finding) string { return string(f.Kind) }),
		query.TextColumn("metric", rows, nil, func(f finding) string { return f.Metric }),
		query.TextColumn("better", rows, &data.FieldConfig{Description: "Which values of the metric are better, by its name."}, func(f finding) string {
			return string(f.Direction)
		}),
		query.Column("since", rows, nil, func(f finding) *time.Time {
			if f.Kind == findings.Healthy || f.Kind == findings.TooFew {
				return nil
			}
			return timeOrNull(f.Since.At)
		}),
		query.Column("since_step", rows, nil, func(f finding) *float64 {
			if f.Kind == findings.Healthy || f.Kind == findings.TooFew {
				return nil
			}
			return numberOrNull(f.Since.Step)
		}),
		query.Column("until", rows, &data.FieldConfig{Description: "When it ended. Without it, it still is the case."}, func(f finding) *time.Time {
			if f.Until == nil {
				return nil
			}
			return timeOrNull(f.Until.At)
		}),
		query.Column("value", rows, &data.FieldConfig{Description: "The value of the metric, or the seconds that the run stalls or is late."}, func(f finding) *float64 {
			return numberOrNull(f.Value)
		}),
		query.TextColumn("evidence", rows, nil, func(f finding) string { return f.Evidence }),
		query.TextColumn("certainty", rows, nil, func(f finding) string { return string(f.Certainty) }),
		query.TextColumn("advice", rows, nil, func(f finding) string {
			if !f.running {
				return ""
			}
			return adviceOf(f.Finding)
		}),
	)
	query.AddLabelColumns(frame, rows, func(f finding) data.Labels { return f.labels })
	return frame
}

// etaTable has a row for each run that goes on, the most urgent first.
func (q *parsedQuery) etaTable(all []*run) *data.Frame {
	runs := slices.DeleteFunc(slices.Clone(all), func(r *run) bool { return !r.running })
	ofETA := func(value func(findings.ETA) time.Time) func(*run) *time.Time {
		return func(r *run) *time.Time {
			if r.ETA == nil {
				return nil
			}
			return timeOrNull(value(*r.ETA))
		}
	}
	last := func(r *run) float64 {
		if n := len(r.Progress.Points); n > 0 {
			return r.Progress.Points[n-1].Step
		}
		return math.NaN()
	}
	frame := query.Table("Estimated finish",
		query.TextColumn("run", runs, nil, func(r *run) string { return r.name }),
		query.TextColumn("status", runs, tuning.StatusConfig(), func(r *run) string { return r.status }),
		query.Column("progress", runs, &data.FieldConfig{Unit: "percentunit"}, func(r *run) *float64 { return numberOrNull(last(r) / r.Progress.Total) }),
		query.Column("step", runs, nil, func(r *run) *float64 { return numberOrNull(last(r)) }),
		query.Column("total_steps", runs, nil, func(r *run) *float64 { return numberOrNull(r.Progress.Total) }),
		query.Column("eta", runs, nil, ofETA(func(e findings.ETA) time.Time { return e.At })),
		query.Column("earliest", runs, &data.FieldConfig{Description: "Nine of ten runs finish between it and latest."}, ofETA(func(e findings.ETA) time.Time { return e.Low })),
		query.Column("latest", runs, nil, ofETA(func(e findings.ETA) time.Time { return e.High })),
		query.Column("left", runs, &data.FieldConfig{Unit: "s"}, func(r *run) *float64 { return r.secondsLeft(q.end) }),
		query.Column("estimated_finish", runs, &data.FieldConfig{Description: "What the gateway says."}, func(r *run) *time.Time { return timeOrNull(r.estimate) }),
		query.Column("behind", runs, &data.FieldConfig{Unit: "s", Description: "How much later than the gateway says."}, func(r *run) *float64 {
			if r.ETA == nil || r.estimate.IsZero() {
				return nil
			}
			return numberOrNull(r.ETA.At.Sub(r.estimate).Seconds())
		}),
		query.Column("seconds_per_step", runs, &data.FieldConfig{Unit: "s"}, func(r *run) *float64 {
			if r.ETA == nil {
				return nil
			}
			return &r.ETA.SecondsPerStep
		}),
		query.TextColumn("from", runs, &data.FieldConfig{Description: "Where the time is from, or why there is none."}, func(r *run) string { return r.etaSource() }),
	)
	query.AddLabelColumns(frame, runs, func(r *run) data.Labels { return r.labels })
	return frame
}

// etaSource says where an ETA is from, or why there is none.
func (r *run) etaSource() string {
	switch {
	case r.ETA != nil:
		return fmt.Sprintf("%d reported steps", len(r.Progress.Points))
	case !r.Running:
		return "none: the status is " + r.status
	case math.IsNaN(r.Progress.Total):
		return "none: the number of steps is unknown"
	case slices.ContainsFunc(r.Findings, func(f findings.OfMetric) bool { return f.Kind == findings.Stalled }):
		return "none: no step comes"
	}
	return fmt.Sprintf("none: too few points: %d", len(r.Progress.Points))
}

// secondsLeft is how long a run goes on after a time: by its steps, or else by the gateway's estimate unless that passed or no step comes.
func (r *run) secondsLeft(now time.Time) *float64 {
	if r.ETA == nil {
		return nil
	}
	left := max(0, r.ETA.At.Sub(now).Seconds())
	return &left
}

func timeOrNull(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

func numberOrNull(value float64) *float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	return &value
}

// severityConfig colors a column of severities.
func severityConfig() *data.FieldConfig {
	return &data.FieldConfig{Mappings: data.ValueMappings{data.ValueMapper{
		critical: {Color: "red", Index: 0}, warning: {Color: "orange", Index: 1}, info: {Color: "blue", Index: 2},
		unknown: {Color: "gray", Index: 3}, fine: {Color: "green", Index: 4},
	}}}
}

// titles are the findings in words.
var titles = map[findings.Kind]string{
	findings.NotFinite: "Not finite", findings.Diverging: "Diverging", findings.Stalled: "Stalled", findings.Late: "Late",
	findings.Overfitting: "Overfitting", findings.Plateau: "Plateau", findings.Spike: "Spike",
	findings.TooFew: "Too few points", findings.Healthy: "Healthy",
}

// findingConfig shows findings in words.
func findingConfig() *data.FieldConfig {
	words := data.ValueMapper{}
	for i, kind := range append(slices.Clone(findings.Kinds), findings.TooFew, findings.Healthy) {
		words[string(kind)] = data.ValueMappingResult{Text: titles[kind], Index: i}
	}
	return &data.FieldConfig{Mappings: data.ValueMappings{words}}
}
