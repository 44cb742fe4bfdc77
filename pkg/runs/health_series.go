package runs

import (
	"context"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

const (
	// seriesPoints is at how many points of the range an expression is evaluated, at most about.
	seriesPoints = 1500
	// maxSeries bounds the series of one query.
	maxSeries = 200
	// silentSteps is after how many steps without a sample a run has ended, and minSilence after how long at least: samples come late.
	silentSteps = 3
	minSilence  = 10 * time.Minute
)

// nameLabel has the name of a metric.
const nameLabel = "__name__"

// maxMetricName bounds the name of a metric in a message, and an expression as one, in characters.
const maxMetricName = 60

// curveRuns are the label sets of an expression, with their curves. Metrics that differ in their names only are of one run.
func (t *task) curveRuns(ctx context.Context) ([]run, error) {
	if t.MetricsErr != nil {
		return nil, t.MetricsErr
	}
	length := t.end().Sub(t.from)
	step := t.Metrics.Step(length, seriesPoints)
	start, end := t.from.Truncate(step).Add(step), t.end().Truncate(step)
	if end.Before(start) {
		return nil, &query.Error{Field: "Time range", Message: "it is in the future, or shorter than a step."}
	}
	expr, err := t.Apply(t.Metrics.Interpolate(t.Source.Expr, length, step))
	if err == nil {
		err = checkGenerated("PromQL", expr)
	}
	if err != nil {
		return nil, err
	}
	result, err := t.Metrics.Evaluate(ctx, promql.New(expr).Over(start, end, step))
	if err != nil {
		return nil, err
	}
	addWarnings(&t.notices, result)
	found := result.Matrix.Series
	if len(found) > maxSeries {
		if err := t.cut("Only %d of %d series are looked at. Choose fewer by labels.", maxSeries, len(found)); err != nil {
			return nil, err
		}
		found = found[:maxSeries]
	}
	silence := max(silentSteps*step, minSilence)
	var runs []run
	index := map[string]int{}
	for _, s := range found {
		points := pointsOf(&s)
		if len(points) == 0 {
			continue
		}
		points = newestRun(points, silence)
		labels := maps.Clone(s.Labels)
		metric, direction := metricOf(labels, t.Source.Expr)
		if !t.needs.Metrics.Has(metric) {
			continue
		}
		delete(labels, nameLabel)
		key := labels.String()
		i, known := index[key]
		if !known {
			i = len(runs)
			index[key] = i
			runs = append(runs, run{id: key, name: nameOf(labels, metric), labels: labels, status: statusEnded, start: points[0].At, history: health.History{Progress: health.Progress{Total: math.NaN()}}})
		}
		t.addCurve(&runs[i], health.Curve{Metric: metric, Direction: direction, Points: points}, silence)
	}
	for _, r := range runs {
		leaveOutVoid(r.history.Curves)
	}
	if len(runs) == 0 {
		t.notices.Info("The expression has no series in this range.")
	}
	return runs, nil
}

func (t *task) addCurve(r *run, c health.Curve, silence time.Duration) {
	r.start, r.end = query.Earlier(r.start, c.Points[0].At), query.Later(r.end, c.Points[len(c.Points)-1].At)
	if t.end().Sub(r.end) <= silence {
		r.running, r.history.Running, r.status = true, true, statusRunning
	}
	t.explainDirection(c.Metric, c.Direction)
	c.Points = changes(c.Points)
	r.history.Curves = append(r.history.Curves, c)
	// Of several metrics, the one that changes most often shows best that the run goes on. One that is as good as it can be changes no more.
	newest := c.Points[len(c.Points)-1].Value
	isPerfect := c.Direction == health.Lower && newest == 0 || c.Direction == health.Higher && (newest == 1 || newest == 100)
	if !isPerfect && len(c.Points) > len(r.history.Progress.Points) {
		r.history.Progress.Points = c.Points
	}
}

// leaveOutVoid leaves out of the curves of a run what its restarts from checkpoints made void, if a curve has its steps.
func leaveOutVoid(curves []health.Curve) {
	of := slices.IndexFunc(curves, areSteps)
	if of < 0 {
		return
	}
	steps := curves[of].Points
	for i := range curves {
		var points []health.Point
		at := 0
		for _, p := range curves[i].Points {
			for at+1 < len(steps) && !steps[at+1].At.After(p.At) {
				at++
			}
			if p.Step = steps[at].Value; p.Step != 0 || at == 0 { // or a process that started again has set no gauge yet
				points = append(points, p)
			}
		}
		curves[i].Points = health.Current(points)
		for n := range curves[i].Points {
			curves[i].Points[n].Step = math.NaN() // a gauge that doesn't change is not missing at later steps
		}
	}
}

// areSteps reports by its name whether a metric has a run's steps, and by its values: a step rises nine times of ten, and seconds per step don't.
func areSteps(c health.Curve) bool {
	falls := 0
	for i := 1; i < len(c.Points); i++ {
		if c.Points[i].Value < c.Points[i-1].Value {
			falls++
		}
	}
	return stepMetric.MatchString(c.Metric) && 10*falls <= len(c.Points)
}

var stepMetric = regexp.MustCompile(`(?i)^(?:.*[_/:-])?(?:steps?|iterations?)(?:_total)?$`)

// newestRun are the points since the last gap that is longer, as a pod that starts again begins again, and whether they begin with the run.
func newestRun(points []health.Point, silence time.Duration) []health.Point {
	for i := len(points) - 1; i > 0; i-- {
		if points[i].At.Sub(points[i-1].At) > silence {
			return points[i:]
		}
	}
	return points
}

// changes are the points at which the value changed: a gauge is sampled more often than it is set.
func changes(points []health.Point) []health.Point {
	same := func(a, b health.Point) bool {
		return a.Value == b.Value || math.IsNaN(a.Value) && math.IsNaN(b.Value)
	}
	return slices.CompactFunc(points, same)
}

// pointsOf are the samples of a series.
func pointsOf(s *series.Series) []health.Point {
	points := make([]health.Point, len(s.Values))
	for i, value := range s.Values {
		points[i] = health.Point{At: time.UnixMilli(s.Times[i]).UTC(), Step: math.NaN(), Value: value}
	}
	return points
}

var (
	// notNames matches texts and the matchers of selectors in an expression, and identifier the words in the rest.
	notNames   = regexp.MustCompile(`\{[^}]*\}|"[^"]*"|'[^']*'`)
	identifier = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*`)
)

// metricOf is the name of a series, or else the first word in the expression that says which values are better: aggregations have no name. Of a
// difference, such as 1 - accuracy, others may be.
func metricOf(labels data.Labels, expr string) (string, health.Direction) {
	if name := labels[nameLabel]; name != "" {
		return name, health.DirectionOf(name)
	}
	rest := notNames.ReplaceAllString(expr, "")
	for _, name := range identifier.FindAllString(rest, -1) {
		if direction := health.DirectionOf(name); direction != health.UnknownDirection && !strings.Contains(rest, "-") {
			return name, direction
		}
	}
	return query.Cut(expr, maxMetricName), health.UnknownDirection
}

// nameOf are the values of labels, or the metric if there are none.
func nameOf(labels data.Labels, metric string) string {
	var values []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		values = append(values, labels[name])
	}
	if len(values) == 0 {
		return metric
	}
	return strings.Join(values, " · ")
}
