package runs

import (
	"math"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// maxPoints bounds the points of a curve. The newest count.
const maxPoints = 10_000

// goesOn reports whether a run goes on at a time, which is not in the future.
func (r *run) goesOn(at time.Time) bool {
	if r.job == nil {
		return r.running
	}
	return !r.job.IsOver() || r.job.End.After(at)
}

// estimates reports whether the result has times at which runs finish.
func (q *examination) estimates(runs []run) bool {
	return (q.Format == formatETA || q.Findings.Has(eta) || q.Findings.Has(string(health.Late))) &&
		slices.ContainsFunc(runs, func(r run) bool { return r.history.Running && !math.IsNaN(r.history.Progress.Total) })
}

// historyOf is the course of a job until the end of the range.
func (t *task) historyOf(job *jobs.Run) health.History {
	h := health.History{
		Progress: health.Progress{Points: t.points(job.Steps), Total: math.NaN()}, Curves: t.curvesOf(job.Samples), LacksNewest: job.LacksNewest,
		Start: job.Start, SignOfLife: job.SignOfLife,
	}
	// As jobs with other statuses than running may pause for any time. One that ended after the range ran at its end.
	h.Running = job.IsRunning() || job.IsOver() && job.End.After(t.end())
	if len(h.Progress.Points) > 0 && !h.Start.IsZero() {
		h.Startup = h.Progress.Points[0].At.Sub(h.Start)
	}
	withoutPauses(h.Progress.Points, job.Pauses)
	if reported := t.points(job.Reported); len(reported) > 0 {
		h.Newest = reported[len(reported)-1:]
	}
	if !job.IsOver() {
		h.Estimate = job.EstimatedFinish
	}
	made := h.Progress.Points
	if n := len(made); job.TotalSteps != nil && (n == 0 || made[n-1].Step <= *job.TotalSteps) { // or they are of another kind
		h.Progress.Total = *job.TotalSteps
	}
	return h
}

// withoutPauses moves points before a pause to its end: how long a job is paused says nothing of its pace.
func withoutPauses(points []health.Point, pauses []jobs.Pause) {
	for _, pause := range pauses {
		for i := range points {
			if points[i].At.Before(pause.To) {
				points[i].At = points[i].At.Add(pause.To.Sub(query.Later(pause.From, points[i].At)))
			}
		}
	}
}

// curvesOf are the metrics of a job that were chosen, and without a choice those of which it is known which values are better.
func (t *task) curvesOf(samples []jobs.Sample) []health.Curve {
	byMetric := map[string][]jobs.Sample{}
	var metrics []string
	for _, s := range samples {
		if byMetric[s.Metric] == nil {
			metrics = append(metrics, s.Metric)
		}
		byMetric[s.Metric] = append(byMetric[s.Metric], s)
	}
	slices.Sort(metrics)
	var curves []health.Curve
	for _, metric := range metrics {
		direction := health.DirectionOf(metric)
		if direction == health.UnknownDirection && t.needs.Metrics.All() {
			continue
		}
		t.explainDirection(metric, direction)
		points := t.points(byMetric[metric])
		curves = append(curves, health.Curve{Metric: metric, Direction: direction, Points: points})
	}
	return curves
}

// explainDirection says what is not found about a metric.
func (t *task) explainDirection(metric string, direction health.Direction) {
	if direction == health.UnknownDirection {
		t.notices.Info("The name %s does not say whether lower or higher values are better, so only values that are not finite are looked for, and whether it stalls.", query.Cut(metric, maxMetricName))
	}
}

// points are the newest points until the end of the range.
func (t *task) points(samples []jobs.Sample) []health.Point {
	var points []health.Point
	for _, s := range samples {
		if !s.At.IsZero() && !s.At.After(t.end()) {
			points = append(points, pointOf(s))
		}
	}
	points = slices.CompactFunc(points, func(a, b health.Point) bool { return a.Step == b.Step }) // reported twice
	return points[max(0, len(points)-maxPoints):]
}

// pointOf is a sample as a point.
func pointOf(s jobs.Sample) health.Point {
	return health.Point{At: s.At, Step: s.Step, Value: s.Value}
}
