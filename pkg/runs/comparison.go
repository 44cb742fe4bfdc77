package runs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// The x axes of a comparison.
const (
	// axisElapsed is the time since the start of each run, in hours.
	axisElapsed = "elapsed"
	// axisRebased is time, with all runs starting at the left edge of the range.
	axisRebased = "rebased"
	axisStep    = "step"
	// axisShare is the share of each run's length.
	axisShare = "share"
)

const (
	formatCurves = "curves"
	// formatDivergence is where runs part from the baseline.
	formatDivergence = "divergence"
)

// The bounds of a comparison.
const (
	maxCurves      = 1000
	maxCurvePoints = 2_000_000
)

// shareSteps are the points of a run by its share.
const shareSteps = 200

// curve is a series of a run over an axis, ascending.
type curve struct {
	run    *Run
	labels data.Labels
	x, y   []float64
}

// queryComparison lays an expression or a training metric of several runs over one axis.
//
// Over elapsed hours, steps and shares the result is one frame with the axis and a nullable field for each series of each
// run, for Grafana's trend and XY panels. Re-based, it is timeseries-multi frames. Points are at multiples of the step after
// the start of a run, and have the values of a range query.
func (c *Client) queryComparison(ctx context.Context, q *parsedQuery) (data.Frames, error) {
	if err := q.checkComparison(); err != nil {
		return nil, err
	}
	with := details{}
	if q.Metric != "" {
		with = details{samples: true, bySteps: q.Axis == axisStep, metrics: []string{q.Metric}}
	}
	runs, err := c.find(ctx, q, with)
	if err != nil {
		return nil, err
	}
	baseline := q.baseline(runs)
	if runs = q.limit(runs, q.mostRuns()); baseline != nil && !slices.Contains(runs, baseline) {
		runs = append(runs[:len(runs)-1:len(runs)-1], baseline)
	}
	q.setWindows(runs, c.oldest(q.now))
	step := c.commonStep(q, runs)
	curves, err := c.curves(ctx, q, runs, step)
	if err != nil {
		return nil, err
	}
	q.explainEmpty(runs, curves)
	if baseline != nil && (q.Difference || q.Format == formatDivergence) {
		curves = q.differences(curves, baseline)
	}
	switch {
	case q.Format == formatDivergence:
		frames := data.Frames{q.divergence(curves)}
		query.DropEmptyFields(frames)
		return frames, nil
	case q.Axis == axisRebased:
		return q.rebased(curves, step), nil
	}
	return data.Frames{q.overAxis(curves)}, nil
}

func (q *parsedQuery) checkComparison() error {
	if q.Axis == "" {
		q.Axis = axisElapsed
	}
	isSeries := q.Source.Kind == sourceSeries
	switch {
	case q.Axis != axisElapsed && q.Axis != axisRebased && q.Axis != axisStep && q.Axis != axisShare:
		return &query.Error{Field: "X axis", Message: fmt.Sprintf("%q is not known. Use elapsed, rebased, step or share.", q.Axis)}
	case q.Format != "" && q.Format != formatCurves && q.Format != formatDivergence:
		return &query.Error{Field: "Format", Message: fmt.Sprintf("%q is not known. Use curves or divergence.", q.Format)}
	case q.Metric != "" && isSeries || q.Metric != "" && q.Source.Kind == sourceManual:
		return &query.Error{Field: "Metric", Message: "only fine-tuning jobs have training metrics. Write a PromQL expression instead."}
	case q.Metric == "" && strings.TrimSpace(q.Expr) == "" && !isSeries:
		return &query.Error{Field: "PromQL", Message: "it is empty. Write an expression, for example avg(DCGM_FI_DEV_GPU_UTIL{$selector}), or choose a training metric."}
	case q.Axis == axisStep && q.Metric == "" && strings.TrimSpace(q.StepExpr) == "":
		return &query.Error{Field: "Step", Message: "write a PromQL expression with the training step of a run, for example max(training_step{$run})."}
	case (q.Difference || q.Format == formatDivergence) && strings.TrimSpace(q.Baseline) == "":
		return &query.Error{Field: "Baseline", Message: "a difference needs a baseline. Choose a run."}
	case q.Axis == axisRebased && (q.Format == formatDivergence):
		return &query.Error{Field: "X axis", Message: "where runs part can be shown over elapsed time, step or share."}
	}
	return nil
}

func (q *parsedQuery) mostRuns() int {
	if q.MaxRuns >= 1 {
		return int(min(q.MaxRuns, maxTableRuns))
	}
	return defaultMaxRuns
}

func (q *parsedQuery) baseline(runs []*Run) *Run {
	if strings.TrimSpace(q.Baseline) == "" {
		return nil
	}
	for _, run := range runs {
		if run.is(q.Baseline) {
			return run
		}
	}
	q.notices.Warn("The baseline %s is not among the runs.", query.Shorten(q.Baseline))
	return nil
}

// commonStep is the step by which the longest run has as many points as the panel. All runs have it, so that their points are at
// the same elapsed times.
func (c *Client) commonStep(q *parsedQuery, runs []*Run) time.Duration {
	if c.Metrics == nil {
		return time.Minute
	}
	longest := time.Duration(0)
	for _, run := range runs {
		longest = max(longest, run.window.length())
	}
	return c.Metrics.Step(longest, q.maxPoints)
}

// curves are those of all runs, in their order.
func (c *Client) curves(ctx context.Context, q *parsedQuery, runs []*Run, step time.Duration) ([]curve, error) {
	if q.Metric != "" {
		var all []curve
		for _, run := range runs {
			if one := q.metricCurve(run); len(one.x) > 0 {
				all = append(all, one)
			}
		}
		return all, nil
	}
	if c.MetricsErr != nil {
		return nil, c.MetricsErr
	}
	if strings.Contains(q.Expr, "$selector") || strings.Contains(q.Expr, "${selector}") {
		q.explainAttribution(runs)
	}
	byRun := make([][]curve, len(runs))
	notices := make([]query.Notices, len(runs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallelRuns)
	for i, run := range runs {
		if run.window.end.Before(run.window.start) {
			continue
		}
		group.Go(func() (err error) {
			byRun[i], err = c.promCurves(ctx, q, run, step, &notices[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []curve
	found, points := 0, 0
	for i, some := range byRun {
		q.notices.Append(notices[i])
		found += len(some)
		for _, one := range some[:min(len(some), maxCurves-len(all))] {
			points += len(one.x)
			all = append(all, one)
		}
	}
	if points > maxCurvePoints {
		return nil, &query.Error{Field: "PromQL", Message: fmt.Sprintf("the curves have %d points, and the limit is %d. Choose fewer runs, or aggregate the expression.", points, maxCurvePoints)}
	}
	if found > len(all) {
		q.notices.Warn("Only %d of %d curves are shown. Choose fewer runs, or aggregate the expression, for example with avg().", len(all), found)
	}
	return all, nil
}

// metricCurve is a training metric of a job.
func (q *parsedQuery) metricCurve(run *Run) curve {
	one := curve{run: run, labels: data.Labels{"metric": q.Metric}}
	if run.job == nil {
		return one
	}
	for _, sample := range run.job.Samples {
		var x float64
		switch {
		case q.Axis == axisStep && sample.Step != nil:
			x = *sample.Step
		case q.Axis != axisStep && sample.At != nil:
			if x = sample.At.Sub(run.Start).Seconds(); q.Axis == axisShare {
				x /= run.length().Seconds()
			}
		default:
			continue
		}
		one.add(x, sample.Value)
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
func (c *Client) promCurves(ctx context.Context, q *parsedQuery, run *Run, step time.Duration, notices *query.Notices) ([]curve, error) {
	expr, err := q.runExpr(run)
	if err != nil {
		return nil, err
	}
	if q.Axis == axisShare {
		step = c.Metrics.Step(run.window.length(), shareSteps)
	}
	found, start, err := c.evaluateRange(ctx, run, expr, step, notices)
	if err != nil {
		return nil, err
	}
	var stepAt map[int64]float64
	if q.Axis == axisStep {
		if stepAt, err = c.trainingSteps(ctx, q, run, step, notices); err != nil {
			return nil, err
		}
	}
	var curves []curve
	for _, s := range found {
		one := curve{run: run, labels: s.labels, x: make([]float64, 0, len(s.times)), y: make([]float64, 0, len(s.times))}
		for i, at := range s.times {
			elapsed := at.Sub(start).Seconds()
			switch q.Axis {
			case axisStep:
				if x, ok := stepAt[at.UnixMilli()]; ok {
					one.add(x, s.values[i])
				}
			case axisShare:
				// The points of runs of different lengths meet at the same shares.
				one.add(math.Round(elapsed/run.window.length().Seconds()*shareSteps)/shareSteps, s.values[i])
			default:
				one.add(elapsed, s.values[i])
			}
		}
		if len(one.x) > 0 {
			curves = append(curves, one)
		}
	}
	return curves, nil
}

// runExpr is the expression of a run. A source of series without an expression compares its own series.
func (q *parsedQuery) runExpr(run *Run) (string, error) {
	if strings.TrimSpace(q.Expr) == "" {
		return promclient.WithLabels(q.Source.Expr, run.own)
	}
	return run.expression(q.Expr), nil
}

// evaluateRange evaluates PromQL over a run, from the first multiple of the step that is not before its start.
func (c *Client) evaluateRange(ctx context.Context, run *Run, expr string, step time.Duration, notices *query.Notices) ([]series, time.Time, error) {
	start, end := run.window.start.Truncate(step), run.window.end.Truncate(step)
	if start.Before(run.window.start) {
		start = start.Add(step)
	}
	if end.Before(start) {
		end = start
	}
	expr = c.Metrics.Interpolate(expr, run.window.length(), step)
	result, err := c.Metrics.Range(ctx, expr, start, end, step, run.ID)
	if err != nil {
		return nil, start, err
	}
	for _, text := range result.Warnings {
		notices.Warn("%s", text)
	}
	var found []series
	for _, frame := range result.Frames {
		if values, ok := numbers(frame); ok {
			found = append(found, values)
		}
	}
	return found, start, nil
}

// trainingSteps are the training steps of a run, by the milliseconds of their points.
func (c *Client) trainingSteps(ctx context.Context, q *parsedQuery, run *Run, step time.Duration, notices *query.Notices) (map[int64]float64, error) {
	found, _, err := c.evaluateRange(ctx, run, run.expression(q.StepExpr), step, notices)
	if err != nil {
		return nil, err
	}
	if len(found) > 1 {
		return nil, &query.Error{Field: "Step", Message: fmt.Sprintf("the result has %d series for %s where one is needed. Use max(), for example.", len(found), query.Shorten(run.Name))}
	}
	steps := map[int64]float64{}
	for _, s := range found {
		for i, at := range s.times {
			steps[at.UnixMilli()] = s.values[i]
		}
	}
	return steps, nil
}

// explainEmpty names runs without a curve.
func (q *parsedQuery) explainEmpty(runs []*Run, curves []curve) {
	drawn := map[*Run]bool{}
	for _, one := range curves {
		drawn[one.run] = true
	}
	var empty []string
	for _, run := range runs {
		if !drawn[run] {
			empty = append(empty, run.Name)
		}
	}
	if len(empty) > 0 {
		q.notices.Info("There are no values of %s.", query.List(empty))
	}
}
