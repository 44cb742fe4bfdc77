package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

// The formats of runs.
const (
	formatTable  = "table"
	formatNumber = "number"
)

// customMeasure is a measure of the query's own.
type customMeasure struct {
	Name string `json:"name"`
	// Expr is PromQL with $selector, $run and $duration.
	Expr string `json:"expr"`
	Unit string `json:"unit"`
}

// The bounds of custom measures, each of which is a request for each run.
const (
	maxCustom           = 20
	maxCustomEvaluation = 400
)

// window is the part of a run of which the platform has samples.
type window struct{ start, end time.Time }

func (w window) length() time.Duration { return max(w.end.Sub(w.start), time.Second) }

// row is a run with its measures, by id or custom name.
type row struct {
	*Run
	values map[string]*float64
	results
}

// queryRuns is a table of runs with their measures, newest first, or the measures as numbers.
func (c *Client) queryRuns(ctx context.Context, q *parsedQuery) (data.Frames, error) {
	switch q.Format {
	case "", formatTable, formatNumber:
	default:
		return nil, &query.Error{Field: "Format", Message: fmt.Sprintf("%q is not known. Use table or number.", q.Format)}
	}
	measures, err := q.chosenMeasures()
	if err != nil {
		return nil, err
	}
	if len(q.Custom) > maxCustom {
		return nil, &query.Error{Field: "Custom measures", Message: fmt.Sprintf("there are %d, and the limit is %d.", len(q.Custom), maxCustom)}
	}
	runs, err := c.find(ctx, q, details{
		checkpoints: needs(measures, checkpointMeasures), samples: needs(measures, lossMeasures), metrics: []string{trainLoss},
	})
	if err != nil {
		return nil, err
	}
	most := maxTableRuns
	if len(q.Custom) > 0 {
		most = min(most, maxCustomEvaluation/len(q.Custom))
	}
	runs = q.limit(runs, most)
	rows, err := c.measure(ctx, q, runs, measures)
	if err != nil {
		return nil, err
	}
	if q.Format == formatNumber || q.alerting {
		return numberFrames(rows, measures, q.Custom, c.Prices), nil
	}
	return data.Frames{q.table(rows, measures, c.Prices)}, nil
}

// measure computes the measures of runs, several at a time.
func (c *Client) measure(ctx context.Context, q *parsedQuery, runs []*Run, measures []measure) ([]row, error) {
	var parts []string
	for _, m := range measures {
		parts = append(parts, m.parts...)
	}
	if len(parts) > 0 || len(q.Custom) > 0 {
		switch {
		case c.MetricsErr == nil:
			q.explainAttribution(runs)
		case q.Measures != nil || len(q.Custom) > 0 || q.alerting || q.Format == formatNumber:
			// An alert rule must not take a missing measure for a run without one.
			return nil, c.MetricsErr
		default:
			q.notices.Info("Measures of GPUs are left out. %s", c.MetricsErr.Error())
			parts = nil
		}
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	q.setWindows(runs, c.oldest(q.now))
	rows := make([]row, len(runs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallelRuns)
	notices := make([]query.Notices, len(runs))
	for i, run := range runs {
		group.Go(func() error {
			rows[i] = row{Run: run, values: map[string]*float64{}, results: results{prices: c.Prices}}
			if run.window.end.Before(run.window.start) || len(parts) == 0 && len(q.Custom) == 0 {
				return nil
			}
			var err error
			if rows[i].results, err = c.evaluate(ctx, q, run, parts, &notices[i]); err != nil {
				return err
			}
			return c.evaluateCustom(ctx, q, &rows[i], &notices[i])
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if slices.Contains(parts, "gpu_time") {
		q.explainNoGPUs(rows)
	}
	all := make([]results, len(rows))
	for i, row := range rows {
		all[i] = row.results
		q.notices.Append(notices[i])
		for _, m := range measures {
			row.values[m.id] = m.compute(row.Run, row.results)
		}
	}
	if needs(measures, []string{"cost"}) {
		c.explainPrices(&q.notices, all)
		if !c.Prices.known() && c.PricesErr == nil && q.Measures != nil {
			q.notices.Info("No prices are set, so there is no cost. Set them in the data source's settings, section Prices.")
		}
	}
	return rows, nil
}

// explainNoGPUs names the runs whose selector matches nothing.
func (q *parsedQuery) explainNoGPUs(rows []row) {
	var without []string
	for _, row := range rows {
		if len(row.gpuTime) == 0 && !row.window.end.Before(row.window.start) {
			without = append(without, row.Name)
		}
	}
	if len(without) > 0 {
		q.notices.Warn("No GPU metrics match the selector during %s.", query.List(without))
	}
}

// oldest is the time before which there are no metrics, zero if that is not known.
func (c *Client) oldest(now time.Time) time.Time {
	if c.Metrics == nil {
		return time.Time{}
	}
	return c.Metrics.Oldest(now)
}

// setWindows limits runs to the time since the oldest samples that are stored.
func (q *parsedQuery) setWindows(runs []*Run, oldest time.Time) {
	var partly, wholly []string
	for _, run := range runs {
		run.window = window{query.Later(run.Start, oldest), run.End}
		switch {
		case run.End.Before(oldest):
			wholly = append(wholly, run.Name)
		case run.Start.Before(oldest):
			partly = append(partly, run.Name)
		}
	}
	days := int(q.now.Sub(oldest).Round(time.Hour).Hours() / 24)
	if len(partly) > 0 {
		q.notices.Warn("The platform stores metrics for %d days. The numbers of %s are about the time since then.", days, query.List(partly))
	}
	if len(wholly) > 0 {
		q.notices.Warn("The platform stores metrics for %d days, and has none of %s.", days, query.List(wholly))
	}
}

// evaluate evaluates the parts of a run in one query.
func (c *Client) evaluate(ctx context.Context, q *parsedQuery, run *Run, parts []string, notices *query.Notices) (results, error) {
	r := results{parts: map[string]float64{}, gpuTime: map[string]float64{}, prices: c.Prices}
	resolution := c.Metrics.Step(0, 1)
	at := run.evaluatedAt(resolution)
	known := run.partsOf(q.Source, resolution, q.now)
	var exprs []string
	for _, part := range parts {
		if known[part] != "" {
			exprs = append(exprs, fmt.Sprintf(`label_replace(%s, "measure", "%s", "", "")`, known[part], part))
		}
	}
	if len(exprs) == 0 {
		return r, nil
	}
	result, err := c.Metrics.Instant(ctx, strings.Join(exprs, " or "), at)
	if err != nil {
		return r, err
	}
	for _, text := range result.Warnings {
		notices.Warn("%s", text)
	}
	for _, frame := range result.Frames {
		values, ok := numbers(frame)
		if !ok || len(values.values) != 1 {
			continue
		}
		if part := values.labels["measure"]; part == "gpu_time" {
			r.gpuTime[values.labels["modelName"]] = values.values[0]
		} else {
			r.parts[part] = values.values[0]
		}
	}
	return r, nil
}

// evaluatedAt is the end of the run's window. That of a running run is the start of the scrape interval, so that queries within
// it are the same.
func (r *Run) evaluatedAt(resolution time.Duration) time.Time {
	if r.Running {
		if at := r.window.end.Truncate(resolution); at.After(r.window.start) {
			r.window.end = at
		}
	}
	return r.window.end
}

// evaluateCustom evaluates the custom measures of a run.
func (c *Client) evaluateCustom(ctx context.Context, q *parsedQuery, to *row, notices *query.Notices) error {
	for _, custom := range q.Custom {
		if strings.TrimSpace(custom.Expr) == "" || len(custom.Expr) > maxText {
			return &query.Error{Field: "Custom measures", Message: fmt.Sprintf("%s has no expression, or one longer than %d bytes.", query.Shorten(custom.Name), maxText)}
		}
		at := to.evaluatedAt(c.Metrics.Step(0, 1))
		expr := c.Metrics.Interpolate(to.expression(custom.Expr), to.window.length(), c.Metrics.Step(to.window.length(), 0))
		result, err := c.Metrics.Instant(ctx, expr, at)
		if err != nil {
			return err
		}
		if len(result.Frames) > 1 {
			notices.Warn("Custom measure %s: the result has %d series where a number is needed. Use sum() or avg(), for example.", query.Shorten(custom.Name), len(result.Frames))
			continue
		}
		for _, frame := range result.Frames {
			if values, ok := numbers(frame); ok && len(values.values) == 1 {
				to.values[custom.Name] = &values.values[0]
			}
		}
	}
	return nil
}

// columnOf is what a column of a measure is called and how it is shown.
type columnOf struct {
	name   string
	config *data.FieldConfig
}

func columnsOf(measures []measure, custom []customMeasure, prices Prices) []columnOf {
	var columns []columnOf
	for _, m := range measures {
		unit := m.unit
		if m.id == "cost" {
			unit = prices.unit()
		}
		columns = append(columns, columnOf{m.id, &data.FieldConfig{Unit: unit, Description: m.description}})
	}
	for _, m := range custom {
		columns = append(columns, columnOf{m.Name, &data.FieldConfig{Unit: m.Unit, Description: m.Expr}})
	}
	return columns
}

// table has a row for each run. Measures without any value have no column, unless the query names them.
func (q *parsedQuery) table(rows []row, measures []measure, prices Prices) *data.Frame {
	frame := query.Table("Runs",
		query.TextColumn("run_id", rows, nil, func(r row) string { return r.ID }),
		query.TextColumn("run", rows, nil, func(r row) string { return r.Name }),
		query.TextColumn("status", rows, tuning.StatusConfig(), func(r row) string { return r.Status }),
		query.Column("start", rows, nil, func(r row) *time.Time { return &r.Start }),
		query.Column("end", rows, nil, func(r row) *time.Time {
			if r.Running {
				return nil
			}
			return &r.End
		}),
		query.Column("length", rows, &data.FieldConfig{Unit: "s"}, func(r row) *float64 {
			length := r.length().Seconds()
			return &length
		}),
		query.TextColumn("attribution", rows, &data.FieldConfig{
			Description: "How the GPUs of the run are known: labels of the run, the same selector for all runs, or time: all GPUs that reported meanwhile.",
		}, func(r row) string { return string(r.attribution) }),
	)
	baseline := q.baselineRow(rows)
	for _, column := range columnsOf(measures, q.Custom, prices) {
		value := func(r row) *float64 { return r.values[column.name] }
		if q.Measures == nil && !slices.ContainsFunc(rows, func(r row) bool { return value(r) != nil }) {
			continue
		}
		frame.Fields = append(frame.Fields, query.Column(column.name, rows, column.config, value))
		if baseline != nil {
			frame.Fields = append(frame.Fields, query.Column(column.name+"_difference", rows,
				&data.FieldConfig{Unit: "percentunit", Description: "Difference to the baseline " + baseline.Name + ", as a share of it."},
				func(r row) *float64 { return relative(value(r), value(*baseline)) }))
		}
	}
	query.AddLabelColumns(frame, rows, func(r row) data.Labels { return r.Labels })
	return frame
}

func (q *parsedQuery) baselineRow(rows []row) *row {
	if strings.TrimSpace(q.Baseline) == "" {
		return nil
	}
	i := slices.IndexFunc(rows, func(r row) bool { return r.is(q.Baseline) })
	if i < 0 {
		q.notices.Warn("The baseline %s is not among the runs.", query.Shorten(q.Baseline))
		return nil
	}
	return &rows[i]
}

// relative is the difference to a baseline as a share of it, or nil if one is unknown or the baseline is 0.
func relative(value, baseline *float64) *float64 {
	if value == nil || baseline == nil || *baseline == 0 {
		return nil
	}
	difference := (*value - *baseline) / *baseline
	return &difference
}

// numberFrames has a number for each run and measure that is known, for alert rules.
func numberFrames(rows []row, measures []measure, custom []customMeasure, prices Prices) data.Frames {
	var fields []*data.Field
	for _, column := range columnsOf(measures, custom, prices) {
		for _, r := range rows {
			value := r.values[column.name]
			if value == nil {
				continue
			}
			field := data.NewField(column.name, data.Labels{"run_id": r.ID, "run": r.Name, "status": r.Status}, []float64{*value})
			field.Config = &data.FieldConfig{Unit: column.config.Unit, DisplayNameFromDS: r.Name + " " + column.name}
			fields = append(fields, field)
		}
	}
	return query.Numbers(fields)
}
