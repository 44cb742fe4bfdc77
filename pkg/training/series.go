package training

import (
	"context"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/training/findings"
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

// seriesRuns are the label sets of an expression. Metrics that differ in their names only are of one run.
func (c *Client) seriesRuns(ctx context.Context, q *parsedQuery) ([]*run, error) {
	length := q.end.Sub(q.from)
	step := c.Metrics.Step(length, seriesPoints)
	start, end := q.from.Truncate(step).Add(step), q.end.Truncate(step)
	if end.Before(start) {
		return nil, &query.Error{Field: "Time range", Message: "it is in the future, or shorter than a step."}
	}
	result, err := c.Metrics.Range(ctx, c.Metrics.Interpolate(q.Expr, length, step), start, end, step, "")
	if err != nil {
		return nil, err
	}
	for _, text := range slices.Sorted(slices.Values(result.Warnings)) {
		q.notices.Warn("%s", text)
	}
	frames := result.Frames
	if len(frames) > maxSeries {
		q.notices.Warn("Only %d of %d series are looked at. Choose fewer by labels.", maxSeries, len(frames))
		frames = frames[:maxSeries]
	}
	var runs []*run
	byLabels := map[string]*run{}
	for _, frame := range frames {
		points, labels, ok := q.pointsOf(frame)
		if !ok {
			continue
		}
		silence := max(silentSteps*step, minSilence)
		points = newestRun(points, silence)
		metric := metricOf(labels, q.Expr)
		if !q.Metrics.Has(metric) {
			continue
		}
		delete(labels, nameLabel)
		key := labels.String()
		r := byLabels[key]
		if r == nil {
			r = &run{name: nameOf(labels, metric), labels: labels}
			r.Progress.Total = math.NaN()
			byLabels[key] = r
			runs = append(runs, r)
		}
		r.addSeries(q, metric, points, silence)
	}
	if len(runs) == 0 {
		q.notices.Info("The expression has no series in this range.")
	} else if q.Format == formatETA {
		q.notices.Info("PromQL does not say how many steps a run makes, so there is no time at which it finishes.")
	}
	return runs, nil
}

func (r *run) addSeries(q *parsedQuery, metric string, points []findings.Point, silence time.Duration) {
	r.status = "ended"
	if last := points[len(points)-1].At; q.end.Sub(last) <= silence {
		r.running, r.Running, r.status = true, true, "running"
	}
	direction := findings.DirectionOf(metric)
	q.explainDirection(metric, direction)
	changed := changes(points)
	r.Curves = append(r.Curves, findings.Curve{Metric: metric, Direction: direction, Points: changed})
	// Of several metrics, the one that changes most often shows best that the run goes on.
	if len(changed) > len(r.Progress.Points) {
		r.Progress.Points = changed
	}
}

// newestRun are the points since the last gap that is longer: a pod that starts again begins again.
func newestRun(points []findings.Point, silence time.Duration) []findings.Point {
	for i := len(points) - 1; i > 0; i-- {
		if points[i].At.Sub(points[i-1].At) > silence {
			return points[i:]
		}
	}
	return points
}

// changes are the points at which the value changed: a gauge is sampled more often than it is set.
func changes(points []findings.Point) []findings.Point {
	same := func(a, b findings.Point) bool {
		return a.Value == b.Value || math.IsNaN(a.Value) && math.IsNaN(b.Value)
	}
	return slices.CompactFunc(points, same)
}

// pointsOf reads a series. It is false for native histograms, texts, and series without a sample.
func (q *parsedQuery) pointsOf(frame *data.Frame) ([]findings.Point, data.Labels, bool) {
	if len(frame.Fields) != 2 || frame.Fields[1].Type() != data.FieldTypeFloat64 || frame.Rows() == 0 {
		return nil, nil, false
	}
	points := make([]findings.Point, frame.Rows())
	for i := range points {
		points[i] = findings.Point{At: *frame.Fields[0].PointerAt(i).(*time.Time), Step: math.NaN(), Value: *frame.Fields[1].PointerAt(i).(*float64)}
	}
	labels := frame.Fields[1].Labels.Copy()
	if labels == nil {
		labels = data.Labels{}
	}
	return points, labels, true
}

var identifier = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*`)

// metricOf is the name of a series, or else the first name in the expression that says which values are better: aggregations have no name.
func metricOf(labels data.Labels, expr string) string {
	if name := labels[nameLabel]; name != "" {
		return name
	}
	for _, name := range identifier.FindAllString(expr, -1) {
		if findings.DirectionOf(name) != findings.UnknownDirection {
			return name
		}
	}
	return query.Cut(expr, maxName)
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
