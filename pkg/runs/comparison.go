package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const comparisonType = "runComparison"

// The x axes of a comparison.
const (
	// axisElapsed is the time since the start of each run, in hours.
	axisElapsed = "elapsed"
	// axisRebased is time, with all runs starting at the left edge of the range.
	axisRebased = "rebased"
	axisStep    = "step"
)

// The bounds of a comparison.
const (
	maxCurves      = 1000
	maxCurvePoints = 2_000_000
)

// curve is a series of a run over an axis, ascending.
type curve struct {
	run    *allocated
	labels data.Labels
	x, y   []float64
}

// comparison is a query of the type comparisonType.
type comparison struct {
	options
	Expr       string       `json:"expr"`
	Metric     string       `json:"metric"`
	Axis       string       `json:"axis"`
	Difference bool         `json:"difference"`
	MaxRuns    query.Number `json:"maxRuns"`

	// curve is Expr.
	curve template
}

func (q *comparison) check(bool) (err error) {
	if err := cmp.Or(checkText("PromQL", q.Expr), checkText("Metric", q.Metric)); err != nil {
		return err
	}
	if q.curve, err = parseTemplate("PromQL", q.Expr); err != nil {
		return err
	}
	q.Axis = cmp.Or(q.Axis, axisElapsed)
	switch {
	case q.Metric != "" && !q.Source.isJobs():
		return &query.Error{Field: "Metric", Message: "only fine-tuning jobs have training metrics. Write a PromQL expression instead."}
	case q.Metric == "" && q.curve.isEmpty() && !q.Source.isSeries():
		return &query.Error{Field: "PromQL", Message: "it is empty. Write an expression, for example avg(DCGM_FI_DEV_GPU_UTIL{$selector}), or choose a training metric."}
	case q.Axis == axisStep && q.Metric == "":
		return &query.Error{Field: "X axis", Message: "only training metrics of fine-tuning jobs have steps. Choose time."}
	case q.Difference && strings.TrimSpace(q.Baseline) == "":
		return &query.Error{Field: "Baseline", Message: "a difference needs a baseline. Choose a run."}
	}
	return query.OneOf("X axis", q.Axis, axisElapsed, axisRebased, axisStep)
}

func (q *comparison) needs() jobs.RunFilters {
	if q.Metric == "" {
		return jobs.RunFilters{Most: mostRuns(q.MaxRuns)}
	}
	return jobs.RunFilters{Most: mostRuns(q.MaxRuns), Samples: true, BySteps: q.Axis == axisStep, Metrics: query.NewChoices([]string{q.Metric})}
}

// frames lay an expression or a training metric of several runs over one axis.
//
// Over elapsed hours and steps the result is one frame with the axis and a nullable field for each series of each run, for
// Grafana's trend and XY panels. Re-based, it is timeseries-multi frames. Points are at multiples of the step after the start of
// a run, and have the values of a range query.
func (q *comparison) frames(ctx context.Context, t *task, found []run) (data.Frames, error) {
	baseline := t.baselineOf(found)
	about := need{samples: q.Metric == "", gpus: q.Metric == "" && slices.ContainsFunc(found, func(r run) bool { return q.curve.needsGPUs(&r) })}
	if q.Metric == "" && t.MetricsErr != nil {
		return nil, t.MetricsErr
	}
	runs, _, err := t.place(ctx, found, about)
	if err != nil {
		return nil, err
	}
	step := t.commonStep(runs)
	curves, err := q.curves(ctx, t, runs, step)
	if err != nil {
		return nil, err
	}
	if baseline >= 0 && q.Difference {
		curves = t.differences(curves, &runs[baseline])
	}
	if q.Axis == axisRebased {
		return t.rebased(curves, step), nil
	}
	return data.Frames{q.overAxis(t, curves)}, nil
}

// WithoutRuns is the result of a comparison in a dashboard where their service is not set up: an axis without curves. Of other queries it is
// nothing.
func WithoutRuns(saved backend.DataQuery) data.Frames {
	if saved.QueryType != comparisonType {
		return nil
	}
	q, err := query.Parse[comparison](saved)
	if err != nil || q.Axis == axisRebased {
		return nil
	}
	return data.Frames{q.overAxis(nil, nil)}
}

// commonStep is the step by which the longest run has as many points as the panel. All runs have it, so that their points are at
// the same elapsed times.
func (t *task) commonStep(runs []allocated) time.Duration {
	if t.Metrics == nil {
		return time.Minute
	}
	longest := time.Duration(0)
	for _, r := range runs {
		longest = max(longest, r.window.length())
	}
	return t.Metrics.Step(longest, t.maxPoints)
}

// curves are those of all runs, in their order.
func (q *comparison) curves(ctx context.Context, t *task, runs []allocated, step time.Duration) ([]curve, error) {
	if q.Metric != "" {
		var all []curve
		var empty []string
		for i := range runs {
			if one := q.metricCurve(&runs[i]); len(one.x) > 0 {
				all = append(all, one)
			} else {
				empty = append(empty, runs[i].name)
			}
		}
		t.explainEmpty(empty)
		return all, nil
	}
	requests := 1
	if t.Metrics.Oldest(t.now).IsZero() {
		requests *= 2 // one to each side of an archive's seam
	}
	order := t.baselineFirst(runs)
	order = order[:min(len(order), transport.Left(ctx)/requests)]
	byRun := make([][]curve, len(runs))
	notices := make([]query.Notices, len(runs))
	share := transport.Left(ctx) / max(1, len(order))
	isLeftOut := make([]bool, len(runs))
	var points atomic.Int64 // as they come: the others are not requested then
	group, ctx := panics.NewGroup(ctx)
	group.SetLimit(maxParallel)
	for _, i := range order {
		r := &runs[i]
		if r.window.isEmpty() || r.attribution == unknown && q.curve.needsGPUs(&r.run) {
			continue
		}
		group.Go(func() (err error) {
			if ctx.Err() != nil {
				return nil //nolint:nilerr // another run failed, and its error is the group's
			}
			byRun[i], err = q.promCurves(transport.WithBudget(ctx, share), t, r, step, &notices[i])
			if errors.Is(err, transport.ErrBudget) {
				isLeftOut[i] = true
				return nil
			}
			if err != nil {
				return err
			}
			for _, one := range byRun[i] {
				points.Add(int64(len(one.x)))
			}
			if points.Load() > maxCurvePoints {
				return &query.Error{Field: "PromQL", Message: fmt.Sprintf("the curves have more than %d points. Choose fewer runs, or aggregate the expression.", maxCurvePoints)}
			}
			return nil
		})
	}
	err := group.Wait()
	order = slices.DeleteFunc(order, func(i int) bool { return isLeftOut[i] })
	if err == nil && len(order) < len(runs) {
		err = t.cut("Only %d of %d runs are compared: %s", len(order), len(runs), overRequests)
	}
	if err != nil {
		return nil, err
	}
	var all []curve
	var empty []string
	found := 0
	for i, some := range byRun {
		t.notices.Append(notices[i])
		found += len(some)
		all = append(all, some[:min(len(some), maxCurves-len(all))]...)
		if len(some) == 0 && runs[i].attribution != unknown && slices.Contains(order, i) {
			empty = append(empty, runs[i].name)
		}
	}
	t.explainEmpty(empty)
	if found > len(all) {
		t.notices.Cut("Only %d of %d curves are shown. Choose fewer runs, or aggregate the expression, for example with avg().", len(all), found)
	}
	return all, nil
}

// metricCurve is a training metric of a job.
func (q *comparison) metricCurve(r *allocated) curve {
	one := curve{run: r, labels: data.Labels{"metric": q.Metric}}
	points := make([]health.Point, len(r.job.Samples))
	for i, sample := range r.job.Samples {
		points[i] = pointOf(sample)
	}
	if q.Axis == axisStep {
		points = health.Current(points)
		slices.SortStableFunc(points, func(a, b health.Point) int { return cmp.Or(cmp.Compare(a.Step, b.Step), b.At.Compare(a.At)) })
	}
	for _, p := range points {
		switch {
		case !isFinite(p.Value):
		case q.Axis == axisStep:
			one.add(p.Step, p.Value)
		default:
			one.add(p.At.Sub(r.start).Seconds(), p.Value)
		}
	}
	return one
}

// add adds a point. Of several at the same x, the first counts; earlier ones are left out.
func (c *curve) add(x, y float64) {
	if n := len(c.x); math.IsNaN(x) || n > 0 && x <= c.x[n-1] {
		return
	}
	c.x, c.y = append(c.x, x), append(c.y, y)
}

// promCurves are the series of an expression over a run.
func (q *comparison) promCurves(ctx context.Context, t *task, r *allocated, step time.Duration, notices *query.Notices) ([]curve, error) {
	expr, err := q.runExpr(t, r, step)
	if err != nil {
		return nil, err
	}
	found, start, err := t.evaluateRange(ctx, r, expr, step, notices)
	if err != nil {
		return nil, err
	}
	missing := r.window.start.Sub(r.start).Truncate(step) // of the run's begin there are no samples
	var curves []curve
	for _, s := range found {
		one := curve{run: r, labels: s.Labels, x: make([]float64, 0, len(s.Values)), y: make([]float64, 0, len(s.Values))}
		for i, value := range s.Values {
			one.add(float64(s.Times[i]-start.Add(-missing).UnixMilli())/1000, value)
		}
		// The series of a job or a pod is 1 while it is there.
		isCurve := !q.curve.isEmpty() || slices.ContainsFunc(one.y, func(value float64) bool { return value != 1 })
		if len(one.x) > 0 && isCurve {
			curves = append(curves, one)
		}
	}
	return curves, nil
}

// runExpr is the expression of a run. A source of series without an expression compares its own series.
func (q *comparison) runExpr(t *task, r *allocated, step time.Duration) (string, error) {
	if !q.curve.isEmpty() {
		return t.expand("PromQL", q.curve, r, step)
	}
	expr, err := t.ofRun(t.Metrics.Interpolate(t.Source.Expr, r.window.length(), step), r)
	if err == nil && len(expr) > maxGenerated {
		err = tooLong("Series", r, len(expr))
	}
	return expr, err
}

// evaluateRange evaluates PromQL over a run, from the first multiple of the step that is not before its start.
func (t *task) evaluateRange(ctx context.Context, r *allocated, expr string, step time.Duration, notices *query.Notices) ([]series.Series, time.Time, error) {
	start, end := r.window.start.Truncate(step), r.window.end.Truncate(step)
	if start.Before(r.window.start) {
		start = start.Add(step)
	}
	if end.Before(start) {
		end = start
	}
	q := promql.New(expr).Over(start, end, step)
	q.Scope = r.id
	result, err := t.Metrics.Evaluate(ctx, q)
	if err != nil {
		return nil, start, err
	}
	addWarnings(notices, result)
	samples, _ := result.Matrix.Split()
	return samples.Series, start, nil
}

// explainEmpty names runs without a curve.
func (t *task) explainEmpty(empty []string) {
	if len(empty) > 0 {
		t.notices.Info("There are no values of %s.", query.List(empty))
	}
}
