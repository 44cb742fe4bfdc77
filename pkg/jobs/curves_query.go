package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// axis is the x axis of curves.
type axis string

const (
	axisTime axis = "time"
	axisStep axis = "step"
)

// has reports whether a sample has a value for the axis.
func (x axis) has(s Sample) bool {
	if x == axisStep {
		return s.Step != nil
	}
	return s.At != nil
}

// compare sorts samples along the axis.
func (x axis) compare(a, b Sample) int {
	if x == axisStep {
		return compareNumbers(a.Step, b.Step)
	}
	return compareTimes(a.At, b.At)
}

// newestFirst sorts samples along the axis, and those at the same point by time.
func (x axis) newestFirst(a, b Sample) int { return cmp.Or(x.compare(a, b), compareTimes(b.At, a.At)) }

// curvesOptions are those of curves.
type curvesOptions struct {
	selection
	Metrics query.Choices `json:"metrics"`
	XAxis   axis          `json:"xAxis"`
}

func (o curvesOptions) Parsed(bool) (curvesOptions, error) {
	o.XAxis = cmp.Or(o.XAxis, axisTime)
	if o.XAxis != axisTime && o.XAxis != axisStep {
		return o, &query.Error{Field: "X axis", Message: fmt.Sprintf("%q is not known. Use time or step.", o.XAxis)}
	}
	o.Metrics.Rewrite(gateway.MetricKey)
	return o, nil
}

func (o curvesOptions) choices() map[string]query.Choices {
	choices := o.selection.choices()
	choices["Metric"] = o.Metrics
	return choices
}

// curve is a metric of a job, sorted by its axis.
type curve struct {
	job    Job
	name   string
	metric string
	points []Sample
}

// queryCurves is the training metrics of jobs, with the labels job, job_name, model and metric.
//
// Over time they are timeseries-multi frames of the samples within the range. Over steps they are one table with a column
// for the step and one for each curve, for Grafana's trend and XY panels.
func (c *Client) queryCurves(ctx context.Context, q request, o curvesOptions, s selected) (data.Frames, error) {
	jobs := q.newestJobs(startedJobs(s.chosen), maxCurveJobs, "curves")
	found, err := details(ctx, c, q, jobs, "training metrics", about, func(ctx context.Context, job Job) (gateway.List[Sample], error) {
		return c.curvePoints(ctx, job, o.XAxis, o.Metrics)
	})
	if err != nil {
		return nil, err
	}
	var curves []curve
	metrics := map[string]int{}
	names := displayNames(jobs)
	for i, job := range jobs {
		curves = append(curves, q.curves(o, job, names[i], found[job.ID].Items)...)
		for _, sample := range found[job.ID].Items {
			metrics[sample.Metric]++
		}
	}
	if len(curves) == 0 && len(found) == len(jobs) {
		q.explainValues("metric", o.Metrics.Values, metrics)
	}
	return q.curveFrames(o, curves), nil
}

func (q request) curveFrames(o curvesOptions, curves []curve) data.Frames {
	if o.XAxis == axisStep {
		return data.Frames{q.overSteps(curves)}
	}
	if all := len(curves); all > maxCurves {
		q.notices.Cut("Only %d of %d curves are shown. Choose jobs or metrics to see others.", maxCurves, all)
		curves = curves[:maxCurves]
	}
	return overTime(curves)
}

// curvePoints are the samples of a job: from its metrics if the gateway serves them with a value for the axis, otherwise from
// its checkpoints and metrics events. It also reads the latter if a metric is named that the former lack. Some are no points of curves.
func (c *Client) curvePoints(ctx context.Context, job Job, x axis, metrics query.Choices) (none gateway.List[Sample], err error) {
	samples, err := c.Samples(ctx, job)
	if err != nil && !errors.Is(err, gateway.ErrNotServed) {
		return none, err
	}
	onAxis := map[string]bool{}
	for _, sample := range samples {
		if x.has(sample) && !gateway.IsProgress(sample.Metric) {
			onAxis[sample.Metric] = true
		}
	}
	missing := slices.ContainsFunc(metrics.Values, func(metric string) bool { return !onAxis[metric] })
	if len(onAxis) > 0 && !missing {
		return gateway.List[Sample]{Items: samples}, nil
	}
	others, err := c.reportedPoints(ctx, job, x)
	if err != nil && (len(onAxis) == 0 || !errors.Is(err, gateway.ErrNotServed)) {
		return none, err
	}
	// A curve has samples of one source only, because sources may measure differently.
	others.Items = slices.DeleteFunc(others.Items, func(s Sample) bool { return onAxis[s.Metric] })
	samples = slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return !onAxis[s.Metric] && !gateway.IsProgress(s.Metric) })
	others.Items = append(samples, others.Items...)
	return others, nil
}

// isNoPoint reports whether no curve has the sample.
func isNoPoint(s Sample) bool {
	return gateway.IsProgress(s.Metric) || math.IsNaN(s.Value) || math.IsInf(s.Value, 0)
}

// reportedPoints are the samples in the metrics events and checkpoints of a job. Both endpoints are optional. A metric that both have is of the
// one that has more of it on the axis.
func (c *Client) reportedPoints(ctx context.Context, job Job, x axis) (none gateway.List[Sample], err error) {
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
	count := func(metrics map[string]float64, step *float64, at *time.Time, by int) {
		size += len(metrics) + 1
		if x.has(Sample{Step: step, At: at}) {
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
	add := func(metrics map[string]float64, step *float64, at *time.Time, fromEvents bool) {
		if len(metrics) == 0 && step != nil { // the run goes on, whatever its metrics are
			samples = append(samples, Sample{Metric: gateway.CurrentStep, Step: step, At: at, Value: *step})
		}
		for name, value := range metrics {
			if s := (Sample{Metric: name, Step: step, At: at, Value: value}); !x.has(s) || (more[name] >= 0) == fromEvents {
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
	return gateway.List[Sample]{Items: samples, Cut: cmp.Or(events.Cut, checkpoints.Cut)}, nil
}

// curves are the curves of a job's samples, one for each metric, sorted by name. Of samples at the same point of the axis
// the newest counts: a job that went on from a checkpoint repeats steps.
func (q request) curves(o curvesOptions, job Job, name string, samples []Sample) []curve {
	byMetric := map[string]*curve{}
	var metrics []string
	withoutAxis := 0
	for _, sample := range samples {
		if !o.Metrics.Has(sample.Metric) || isNoPoint(sample) {
			continue
		}
		if !o.XAxis.has(sample) {
			withoutAxis++
			continue
		}
		if o.XAxis == axisTime && !q.contains(*sample.At) {
			continue
		}
		if byMetric[sample.Metric] == nil {
			byMetric[sample.Metric] = &curve{job: job, name: name, metric: sample.Metric}
			metrics = append(metrics, sample.Metric)
		}
		byMetric[sample.Metric].points = append(byMetric[sample.Metric].points, sample)
	}
	if withoutAxis > 0 {
		q.notices.Warn("Job %s: %s without a %s left out.", name, query.Plural(withoutAxis, "point"), o.XAxis)
	}
	slices.Sort(metrics)
	var curves []curve
	for _, metric := range metrics {
		one := byMetric[metric]
		if o.XAxis == axisStep {
			one.points = withoutVoid(one.points)
		}
		slices.SortStableFunc(one.points, o.XAxis.newestFirst)
		one.points = slices.CompactFunc(one.points, func(a, b Sample) bool { return o.XAxis.compare(a, b) == 0 })
		curves = append(curves, *one)
	}
	return curves
}

// withoutVoid leaves out the samples of steps that a job did not keep, because it went on from a checkpoint before them: from one report on, it
// reports steps again. A single one of a step before the newest is late.
func withoutVoid(points []Sample) []Sample {
	if slices.ContainsFunc(points, func(s Sample) bool { return s.At == nil }) {
		return points
	}
	slices.SortStableFunc(points, func(a, b Sample) int { return cmp.Or(axisTime.compare(a, b), axisStep.compare(a, b)) })
	kept := make([]Sample, 0, len(points))
	highest := math.Inf(-1)
	for i, p := range points {
		if i+1 < len(points) && *p.Step < highest && *points[i+1].Step > *p.Step && *points[i+1].Step <= highest {
			for highest = *p.Step; len(kept) > 0 && *kept[len(kept)-1].Step >= *p.Step; {
				kept = kept[:len(kept)-1]
			}
		}
		kept, highest = append(kept, p), max(highest, *p.Step)
	}
	return kept
}

func (c curve) field(values any) *data.Field {
	labels := query.KnownLabels(data.Labels{"job": c.job.ID, "metric": c.metric, "job_name": c.job.GivenName(), "model": c.job.Model})
	field := data.NewField(c.metric, labels, values)
	field.Config = cmp.Or(metricConfig(c.metric), &data.FieldConfig{})
	field.Config.DisplayNameFromDS = c.name + " " + c.metric
	return field
}

func overTime(curves []curve) data.Frames {
	frames := make(data.Frames, 0, len(curves))
	for _, one := range curves {
		times, values := make([]time.Time, len(one.points)), make([]float64, len(one.points))
		for i, point := range one.points {
			times[i], values[i] = *point.At, point.Value
		}
		frames = append(frames, query.TimeSeriesMulti(data.NewField("Time", nil, times), one.field(values)))
	}
	if len(frames) == 0 {
		frames = append(frames, query.TimeSeriesMulti())
	}
	return frames
}

// overSteps is one table of the curves.
func (q request) overSteps(curves []curve) *data.Frame {
	over := make([]query.Curve, len(curves))
	for i, one := range curves {
		for _, point := range one.points {
			over[i].X, over[i].Y = append(over[i].X, *point.Step), append(over[i].Y, point.Value)
		}
	}
	table, shown := query.CurveTable("Training metrics", over,
		func(steps []float64) *data.Field { return data.NewField("step", nil, steps) },
		func(i int, values []*float64) *data.Field { return curves[i].field(values) })
	if shown < len(curves) {
		q.notices.Cut("Only %d of %d curves are shown over their steps. Choose jobs or metrics to see others.", shown, len(curves))
	}
	return table
}
