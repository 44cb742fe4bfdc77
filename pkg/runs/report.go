package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// The formats of runs.
const (
	formatTable  = "table"
	formatNumber = "number"
)

// report is a query of the type runs.
type report struct {
	options
	// Measures are ids of measures; nil means all, and an empty list none.
	Measures *query.Texts    `json:"measures"`
	Custom   []customMeasure `json:"custom"`
	Format   string          `json:"format"`

	// measures and customs are those of the options.
	measures []measure
	customs  []custom
}

func (q *report) check(alerting bool) error {
	if err := oneOf("Format", q.Format, "", formatTable, formatNumber); err != nil {
		return err
	}
	if err := q.chooseMeasures(); err != nil {
		return err
	}
	if n := len(q.measures) + len(q.customs); alerting && n != 1 {
		return &query.Error{Field: "Measures", Message: fmt.Sprintf(
			"an alert rule is about one measure, and this query has %d. Choose one: the numbers of a rule are told apart by the labels of the runs.", n)}
	}
	return nil
}

func (q *report) needs() (int, details) {
	return maxTableRuns, details{checkpoints: q.has(checkpointMeasures), samples: q.has(lossMeasures), metrics: query.NewChoices([]string{trainLoss})}
}

// frames are a table of runs with their measures, newest first, or the measures as numbers.
func (q *report) frames(ctx context.Context, t *task, runs []run) (data.Frames, error) {
	parts := q.parts()
	if t.MetricsErr != nil && len(parts)+len(q.customs) > 0 {
		// An alert rule must not take a missing measure for a run without one.
		if q.Measures != nil || len(q.customs) > 0 || t.alerting || q.Format == formatNumber {
			return nil, t.MetricsErr
		}
		t.notices.Info("Measures of GPUs are left out. %s", t.MetricsErr.Error())
		parts = nil
	}
	about := need{samples: len(parts)+len(q.customs) > 0, labels: slices.ContainsFunc(parts, func(name string) bool { return !strings.HasSuffix(name, "_loss") })}
	about.gpus = about.labels || slices.ContainsFunc(runs, func(r run) bool {
		return slices.ContainsFunc(q.customs, func(m custom) bool { return m.expr.needsGPUs(&r) })
	})
	placed, f, err := t.place(ctx, runs, about)
	if err != nil {
		return nil, err
	}
	rows, err := q.evaluate(ctx, t, placed, f, parts)
	if err != nil {
		return nil, err
	}
	t.explainCoverage(rows)
	if q.has([]string{"cost"}) {
		q.explainPrices(t, rows)
	}
	if q.Format == formatNumber || t.alerting {
		return q.numberFrames(t, rows), nil
	}
	return data.Frames{q.table(ctx, t, rows)}, nil
}

// columnOf is a measure as a column.
type columnOf struct {
	name   string
	config *data.FieldConfig
	value  func(row) *float64
}

func (q *report) columns(t *task) []columnOf {
	var columns []columnOf
	for _, m := range q.measures {
		unit := m.unit
		if m.id == "cost" {
			unit = t.Prices.unit()
		}
		columns = append(columns, columnOf{m.id, &data.FieldConfig{Unit: unit, Description: m.description}, func(r row) *float64 { return m.compute(r, t.Prices) }})
	}
	for i, m := range q.customs {
		columns = append(columns, columnOf{m.Name, &data.FieldConfig{Unit: m.Unit, Description: m.Expr}, func(r row) *float64 {
			if value, ok := r.customs[i]; ok {
				return &value
			}
			return nil
		}})
	}
	return columns
}

// table has a row for each run. Measures without any value have no column, unless the query names them.
func (q *report) table(ctx context.Context, t *task, rows []row) *data.Frame {
	frame := query.Table("Runs",
		query.TextColumn("run_id", rows, nil, func(r row) string { return r.id }),
		query.TextColumn("run", rows, nil, func(r row) string { return r.name }),
		query.TextColumn("status", rows, jobs.StatusConfig(), func(r row) string { return r.status }),
		query.Column("start", rows, nil, func(r row) *time.Time { return &r.start }),
		query.Column("end", rows, nil, func(r row) *time.Time {
			if r.running {
				return nil
			}
			return &r.end
		}),
		query.Column("length", rows, &data.FieldConfig{Unit: "s"}, func(r row) *float64 {
			length := r.length().Seconds()
			return &length
		}),
		query.TextColumn("attribution", rows, &data.FieldConfig{
			Description: "How the GPUs of the run are known: its labels or a selector, all GPUs on purpose, its pod, its Slurm job, its nodes, its node pool, or not at all.",
		}, func(r row) string { return string(r.attribution) }),
	)
	baseline := -1
	if runs := make([]run, len(rows)); len(rows) > 0 {
		for i, r := range rows {
			runs[i] = r.run
		}
		baseline = t.baselineOf(ctx, runs)
	}
	for _, column := range q.columns(t) {
		if q.Measures == nil && !slices.ContainsFunc(rows, func(r row) bool { return column.value(r) != nil }) {
			continue
		}
		frame.Fields = append(frame.Fields, query.Column(column.name, rows, column.config, column.value))
		if baseline >= 0 {
			base := rows[baseline]
			frame.Fields = append(frame.Fields, query.Column(column.name+differenceSuffix, rows,
				&data.FieldConfig{Unit: "percentunit", Description: "Difference to the baseline " + base.name + ", as a share of it."},
				func(r row) *float64 { return relative(column.value(r), column.value(base)) }))
		}
	}
	query.AddLabelColumns(frame, rows, func(r row) data.Labels { return r.labels })
	return frame
}

// relative is the difference to a baseline as a share of it, or nil if one is unknown or the baseline is 0.
func relative(value, baseline *float64) *float64 {
	if value == nil || baseline == nil || *baseline == 0 {
		return nil
	}
	difference := (*value - *baseline) / *baseline
	return &difference
}

// numberFrames has a number for each run and measure that is known, for alert rules. The labels stay the same while a run goes on,
// also if there is a second run of its name: with others, an alert instance would begin anew.
func (q *report) numberFrames(t *task, rows []row) data.Frames {
	var fields []*data.Field
	for _, column := range q.columns(t) {
		for _, r := range rows {
			value := column.value(r)
			if value == nil {
				continue
			}
			field := data.NewField(column.name, data.Labels{"run_id": r.id, "run": r.label}, []float64{*value})
			field.Config = &data.FieldConfig{Unit: column.config.Unit, DisplayNameFromDS: r.name + " " + column.name}
			fields = append(fields, field)
		}
	}
	return query.Numbers(fields)
}
