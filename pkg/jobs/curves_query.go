package jobs

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	// maxCurveJobs bounds the jobs whose curves are drawn.
	maxCurveJobs = 50
	// maxCurves bounds the curves over time, each of which is a frame.
	maxCurves = 1000
)

// curvesOptions are those of curves.
type curvesOptions struct {
	selection
	Metrics query.Choices `json:"metrics"`
}

// queryCurves is the training metrics of jobs within the range, as timeseries-multi frames with the labels job, job_name, model and
// metric.
func (c *Client) queryCurves(ctx context.Context, q request) (data.Frames, error) {
	o, err := query.Parse[curvesOptions](q.saved)
	if err != nil {
		return nil, err
	}
	o.Metrics.Rewrite(gateway.MetricKey)
	s, err := c.selectJobs(ctx, q, o.selection, o.isInRange(), q.notices.Blank("Metric", o.Metrics))
	if err != nil {
		return nil, err
	}
	jobs := q.newestJobs(startedJobs(s.chosen), maxCurveJobs, "curves")
	found, err := details(ctx, c, q, jobs, "training metrics", about, func(ctx context.Context, job Job) (gateway.List[Sample], error) {
		return c.curvePoints(ctx, job, false, o.Metrics)
	})
	if err != nil {
		return nil, err
	}
	var frames data.Frames
	all, metrics, names := 0, map[string]int{}, displayNames(jobs)
	for i, job := range jobs {
		points := q.pointsOf(o, names[i], found[job.ID].Items)
		for _, metric := range slices.Sorted(maps.Keys(points)) {
			if all++; all <= maxCurves {
				frames = append(frames, curveFrame(job, names[i], metric, points[metric]))
			}
		}
		for _, sample := range found[job.ID].Items {
			metrics[sample.Metric]++
		}
	}
	if all == 0 && len(found) == len(jobs) {
		q.explainValues("metric", o.Metrics.Values, metrics)
	}
	if all > maxCurves {
		q.notices.Cut("Only %d of %d curves are shown. Choose jobs or metrics to see others.", maxCurves, all)
	}
	if all == 0 {
		frames = data.Frames{query.TimeSeriesMulti()}
	}
	return frames, nil
}

// isOnAxis reports whether a sample has a step, or a time.
func isOnAxis(s Sample, bySteps bool) bool {
	if bySteps {
		return !math.IsNaN(s.Step)
	}
	return !s.At.IsZero()
}

// curvePoints are the samples of a job: from its metrics if the gateway serves them with times, or with steps, otherwise from
// its checkpoints and metrics events. It also reads the latter if a metric is named that the former lack. Some are no points of curves.
func (c *Client) curvePoints(ctx context.Context, job Job, bySteps bool, metrics query.Choices) (none gateway.List[Sample], err error) {
	samples, err := c.Samples(ctx, job)
	if err != nil && !errors.Is(err, gateway.ErrNotServed) {
		return none, err
	}
	onAxis := map[string]bool{}
	for _, sample := range samples {
		if isOnAxis(sample, bySteps) && !gateway.IsProgress(sample.Metric) {
			onAxis[sample.Metric] = true
		}
	}
	missing := slices.ContainsFunc(metrics.Values, func(metric string) bool { return !onAxis[metric] })
	if len(onAxis) > 0 && !missing {
		return gateway.List[Sample]{Items: samples}, nil
	}
	others, err := c.reportedPoints(ctx, job, bySteps)
	if err != nil && (len(onAxis) == 0 || !errors.Is(err, gateway.ErrNotServed)) {
		return none, err
	}
	// A curve has samples of one source only, because sources may measure differently.
	others.Items = slices.DeleteFunc(others.Items, func(s Sample) bool { return onAxis[s.Metric] })
	samples = slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return !onAxis[s.Metric] && !gateway.IsProgress(s.Metric) })
	others.Items = append(samples, others.Items...)
	return others, nil
}

// reportedPoints are the samples in the metrics events and checkpoints of a job. Both endpoints are optional. A metric that both have is of the
// one that has more of it on the axis.
func (c *Client) reportedPoints(ctx context.Context, job Job, bySteps bool) (none gateway.List[Sample], err error) {
	checkpoints, err := c.Checkpoints(ctx, job)
	notServed := errors.Is(err, gateway.ErrNotServed)
	if err != nil && !notServed {
		return none, err
	}
	events, err := c.Events(ctx, job)
	if err != nil && (notServed || !errors.Is(err, gateway.ErrNotServed)) {
		return none, err
	}
	more, size := map[string]int{}, 0 // samples of a metric on the axis that events have more than checkpoints
	count := func(metrics map[string]float64, step float64, at time.Time, by int) {
		size += len(metrics) + 1
		if isOnAxis(Sample{Step: step, At: at}, bySteps) {
			for name := range metrics {
				more[name] += by
			}
		}
	}
	for _, e := range events.Items {
		count(e.Metrics, e.Step, e.Created, 1)
	}
	for _, checkpoint := range checkpoints.Items {
		count(checkpoint.Metrics, checkpoint.Step, checkpoint.Created, -1)
	}
	samples := make([]Sample, 0, size)
	add := func(metrics map[string]float64, step float64, at time.Time, fromEvents bool) {
		if len(metrics) == 0 && !math.IsNaN(step) { // the run goes on, whatever its metrics are
			samples = append(samples, Sample{Metric: gateway.CurrentStep, Step: step, At: at, Value: step})
		}
		for name, value := range metrics {
			if s := (Sample{Metric: name, Step: step, At: at, Value: value}); !isOnAxis(s, bySteps) || (more[name] >= 0) == fromEvents {
				samples = append(samples, s)
			}
		}
	}
	for _, e := range events.Items {
		add(e.Metrics, e.Step, e.Created, true)
	}
	for _, checkpoint := range checkpoints.Items {
		add(checkpoint.Metrics, checkpoint.Step, checkpoint.Created, false)
	}
	// The events, which are read besides, say if newer ones are missing.
	return gateway.List[Sample]{Items: samples, Cut: cmp.Or(events.Cut, checkpoints.Cut), LacksOlder: true}, nil
}

// pointsOf are the samples of a job in the range by metric, sorted by time.
func (q request) pointsOf(o curvesOptions, name string, samples []Sample) map[string][]Sample {
	byMetric := map[string][]Sample{}
	undated := 0
	for _, sample := range samples {
		switch {
		case !o.Metrics.Has(sample.Metric) || gateway.IsProgress(sample.Metric) || math.IsNaN(sample.Value) || math.IsInf(sample.Value, 0):
		case sample.At.IsZero():
			undated++
		case q.contains(sample.At):
			byMetric[sample.Metric] = append(byMetric[sample.Metric], sample)
		}
	}
	if undated > 0 {
		q.notices.Warn("Job %s: %s without a time left out.", name, query.Plural(undated, "point"))
	}
	for metric, points := range byMetric {
		slices.SortStableFunc(points, func(a, b Sample) int { return a.At.Compare(b.At) })
		byMetric[metric] = slices.CompactFunc(points, func(a, b Sample) bool { return a.At.Equal(b.At) })
	}
	return byMetric
}

func curveFrame(job Job, name, metric string, points []Sample) *data.Frame {
	times, values := make([]time.Time, len(points)), make([]float64, len(points))
	for i, point := range points {
		times[i], values[i] = point.At, point.Value
	}
	labels := query.KnownLabels(data.Labels{"job": job.ID, "metric": metric, "job_name": givenName(job), "model": job.Model})
	field := data.NewField(metric, labels, values)
	field.Config = cmp.Or(metricConfig(metric), &data.FieldConfig{})
	field.Config.DisplayNameFromDS = name + " " + metric
	return query.TimeSeriesMulti(data.NewField("Time", nil, times), field)
}
