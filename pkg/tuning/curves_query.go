package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxCurveJobs bounds the jobs whose curves are drawn.
const maxCurveJobs = 50

// The x axes of curves.
const (
	axisTime = "time"
	axisStep = "step"
)

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
func (c *Client) queryCurves(ctx context.Context, q *parsedQuery) (data.Frames, error) {
	if q.XAxis == "" {
		q.XAxis = axisTime
	}
	if q.XAxis != axisTime && q.XAxis != axisStep {
		return nil, &query.Error{Field: "X axis", Message: fmt.Sprintf("%q is not known. Use time or step.", q.XAxis)}
	}
	if q.Metrics.Blank {
		q.notices.Warn(query.BlankNotice, "Metric")
		return nil, nil
	}
	jobs, err := c.jobsWithin(ctx, q)
	if err != nil {
		return nil, err
	}
	jobs = startedJobs(jobs)
	if len(jobs) > maxCurveJobs {
		q.notices.Warn("Only the curves of the newest %d of %d jobs are shown. Choose jobs to see others.", maxCurveJobs, len(jobs))
		jobs = jobs[:maxCurveJobs]
	}
	q.Metrics.Rewrite(metricKey)
	found := fetchDetails(ctx, c, q, jobs, "training metrics", patient, func(r *reader, job Job) ([]Sample, error) { return r.curvePoints(job, q) })
	if err := found.addNotices(q); err != nil {
		return nil, err
	}
	found.explainNotServed(q)
	var curves []curve
	names := displayNames(jobs)
	for i, job := range jobs {
		if ctx.Err() != nil {
			return nil, c.explain(ctx.Err())
		}
		curves = append(curves, q.curves(job, names[i], found.byJob[job.ID])...)
	}
	q.explainMetrics(found, curves)
	if q.XAxis == axisStep {
		return data.Frames{overSteps(q.withinCellLimit(curves))}, nil
	}
	return overTime(curves), nil
}

// curvePoints are the samples of a job: from its metrics if the gateway serves them with a value for the axis, otherwise from
// its checkpoints and metrics events. It also reads the latter if the query names a metric that the former lack.
func (r *reader) curvePoints(job Job, q *parsedQuery) ([]Sample, error) {
	samples, err := r.samples(job)
	if err != nil && !errors.Is(err, errNotServed) {
		return nil, err
	}
	if !q.unfiltered {
		samples = slices.DeleteFunc(slices.Clone(samples), Sample.isNoPoint)
	}
	onAxis := map[string]bool{}
	for _, sample := range samples {
		if sample.on(q.XAxis) && sample.Metric != totalSteps {
			onAxis[sample.Metric] = true
		}
	}
	missing := slices.ContainsFunc(q.Metrics.Values, func(metric string) bool { return !onAxis[metric] })
	if len(onAxis) > 0 && !missing {
		return samples, nil
	}
	others, err := r.reportedPoints(job)
	if err != nil && (len(onAxis) == 0 || !errors.Is(err, errNotServed)) {
		return nil, err
	}
	// A curve has samples of one source only, because sources may measure differently.
	others = slices.DeleteFunc(others, func(s Sample) bool { return onAxis[s.Metric] })
	samples = slices.DeleteFunc(slices.Clone(samples), func(s Sample) bool { return !onAxis[s.Metric] && s.Metric != totalSteps })
	return append(samples, others...), nil
}

// isNoPoint reports whether no curve has the sample.
func (s Sample) isNoPoint() bool {
	return s.Metric == totalSteps || math.IsNaN(s.Value) || math.IsInf(s.Value, 0)
}

// reportedPoints are the samples in the checkpoints and metrics events of a job. Both endpoints are optional.
func (r *reader) reportedPoints(job Job) ([]Sample, error) {
	checkpoints, err := r.checkpoints(job)
	notServed := errors.Is(err, errNotServed)
	if err != nil && !notServed {
		return nil, err
	}
	events, err := r.events(job)
	if err != nil && (notServed || !errors.Is(err, errNotServed)) {
		return nil, err
	}
	var all []Sample
	for _, e := range events.items {
		all = append(all, samplesOf(e.Metrics, e.Step, e.Created)...)
	}
	for _, checkpoint := range checkpoints.items {
		all = append(all, samplesOf(checkpoint.Metrics, checkpoint.Step, checkpoint.Created)...)
	}
	return all, nil
}

func samplesOf(metrics map[string]float64, step *float64, at *time.Time) []Sample {
	samples := make([]Sample, 0, len(metrics))
	for name, value := range metrics {
		samples = append(samples, Sample{Metric: name, Step: step, At: at, Value: value})
	}
	return samples
}

// on reports whether the sample has a value for the axis.
func (s Sample) on(axis string) bool {
	if axis == axisStep {
		return s.Step != nil
	}
	return s.At != nil
}

// curves are the curves of a job's samples, one for each metric, sorted by name. Of samples at the same point of the axis
// the first counts.
func (q *parsedQuery) curves(job Job, name string, samples []Sample) []curve {
	byMetric := map[string]*curve{}
	var metrics []string
	withoutAxis := 0
	for _, sample := range samples {
		if !q.Metrics.Has(sample.Metric) {
			continue
		}
		if !sample.on(q.XAxis) {
			withoutAxis++
			continue
		}
		if q.XAxis == axisTime && !q.contains(*sample.At) {
			continue
		}
		if byMetric[sample.Metric] == nil {
			byMetric[sample.Metric] = &curve{job: job, name: name, metric: sample.Metric}
			metrics = append(metrics, sample.Metric)
		}
		byMetric[sample.Metric].points = append(byMetric[sample.Metric].points, sample)
	}
	if withoutAxis > 0 {
		q.notices.Warn("Job %s: %s without a %s left out.", job.ID, query.Plural(withoutAxis, "point"), q.XAxis)
	}
	slices.Sort(metrics)
	var curves []curve
	for _, metric := range metrics {
		one := byMetric[metric]
		slices.SortStableFunc(one.points, func(a, b Sample) int { return a.compare(b, q.XAxis) })
		one.points = slices.CompactFunc(one.points, func(a, b Sample) bool { return a.compare(b, q.XAxis) == 0 })
		curves = append(curves, *one)
	}
	return curves
}

func (s Sample) compare(other Sample, axis string) int {
	if axis == axisStep {
		return compareNumbers(s.Step, other.Step)
	}
	return compareTimes(s.At, other.At)
}

func (c curve) field(values any) *data.Field {
	labels := query.KnownLabels(data.Labels{"job": c.job.ID, "metric": c.metric, "job_name": c.job.givenName(), "model": c.job.Model})
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

// maxCells bounds a table of curves, which has a row for each step of any curve and a column for each curve.
const maxCells = 1_000_000

// withinCellLimit are the first curves whose table has at most maxCells.
func (q *parsedQuery) withinCellLimit(curves []curve) []curve {
	steps := map[float64]bool{}
	for i, one := range curves {
		for _, point := range one.points {
			steps[*point.Step] = true
		}
		if i > 0 && len(steps)*(i+1) > maxCells {
			q.notices.Warn("Only %d of %d curves are shown over their steps. Choose jobs or metrics to see others.", i, len(curves))
			return curves[:i]
		}
	}
	return curves
}

func overSteps(curves []curve) *data.Frame {
	var steps []float64
	for _, one := range curves {
		for _, point := range one.points {
			steps = append(steps, *point.Step)
		}
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	row := make(map[float64]int, len(steps))
	for i, step := range steps {
		row[step] = i
	}
	fields := []*data.Field{data.NewField("step", nil, steps)}
	for _, one := range curves {
		values := make([]*float64, len(steps))
		for _, point := range one.points {
			values[row[*point.Step]] = &point.Value
		}
		fields = append(fields, one.field(values))
	}
	frame := data.NewFrame("Training metrics", fields...)
	frame.Meta = &data.FrameMeta{Type: data.FrameTypeTable, TypeVersion: data.FrameTypeVersion{0, 1}}
	return frame
}
