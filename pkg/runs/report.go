package runs

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
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
	Measures *query.Texts `json:"measures"`
	Format   string       `json:"format"`

	// measures are those of the options.
	measures []measure
}

func (q *report) check(numeric bool) error {
	if err := query.OneOf("Format", q.Format, "", formatTable, formatNumber); err != nil {
		return err
	}
	if err := q.chooseMeasures(); err != nil {
		return err
	}
	if n := len(q.measures); numeric && n != 1 {
		return &query.Error{Field: "Measures", Message: fmt.Sprintf(
			"an alert rule is about one measure, and this query has %d. Choose one: the numbers of a rule are told apart by the labels of the runs.", n)}
	}
	if numeric {
		q.Format = formatNumber
	}
	return nil
}

func (q *report) needs() jobs.RunFilters {
	return jobs.RunFilters{Most: maxTableRuns, Checkpoints: q.has(checkpointMeasures), Samples: q.has(lossMeasures), Metrics: query.NewChoices([]string{trainLoss})}
}

// frames are a table of runs with their measures, newest first, or the measures as numbers.
func (q *report) frames(ctx context.Context, t *task, runs []run) (data.Frames, error) {
	parts := q.parts()
	if t.MetricsErr != nil && len(parts) > 0 {
		// An alert rule must not take a missing measure for a run without one.
		if q.Measures != nil || t.alerting || q.Format == formatNumber {
			return nil, t.MetricsErr
		}
		t.notices.Info("Measures of GPUs are left out. %s", t.MetricsErr.Error())
		parts = nil
	}
	ofGPUs := slices.ContainsFunc(parts, isOfGPUs)
	placed, f, err := t.place(ctx, runs, need{samples: len(parts) > 0, gpus: ofGPUs, labels: ofGPUs})
	if err != nil {
		return nil, err
	}
	rows, err := t.evaluate(ctx, placed, f, parts)
	if err != nil {
		return nil, err
	}
	t.explainCoverage(rows)
	if q.has([]string{"cost", "idle_cost"}) {
		q.explainPrices(t, rows)
	}
	if q.Format == formatNumber {
		return q.numberFrames(t, rows), nil
	}
	return data.Frames{q.table(t, rows, t.baselineOf(runs))}, nil
}

// table has a row for each run, compared with that at an index, unless it is -1. Measures without any value have no column, unless the query names them.
func (q *report) table(t *task, rows []row, baseline int) *data.Frame {
	frame := query.Table("Runs",
		query.TextColumn("run_id", rows, nil, func(r row) string { return r.id }),
		query.TextColumn("run", rows, nil, func(r row) string { return r.name }),
		jobs.StatusColumn(rows, func(r row) string { return r.status }),
		query.TimeColumn("start", rows, nil, func(r row) time.Time { return r.start }),
		query.TimeColumn("end", rows, nil, func(r row) time.Time {
			if r.running {
				return time.Time{}
			}
			return r.end
		}),
		query.NumberColumn("length", rows, &data.FieldConfig{Unit: "s"}, func(r row) float64 { return r.length().Seconds() }),
		query.TextColumn("attribution", rows, &data.FieldConfig{
			Description: "How the GPUs of the run are known: its labels or a selector, all GPUs on purpose, its pod, its Slurm job, its nodes, its node pool, or not at all.",
		}, func(r row) string { return string(r.attribution) }),
	)
	for _, m := range q.measures {
		if q.Measures == nil && !slices.ContainsFunc(rows, func(r row) bool { return !math.IsNaN(m.compute(r)) }) {
			continue
		}
		frame.Fields = append(frame.Fields, query.NumberColumn(m.id, rows, &data.FieldConfig{Unit: t.unitOf(m), Description: m.description}, m.compute))
		if baseline >= 0 {
			base := rows[baseline]
			frame.Fields = append(frame.Fields, query.NumberColumn(m.id+differenceSuffix, rows,
				&data.FieldConfig{Unit: "percentunit", Description: "Difference to the baseline " + base.name + ", as a share of it."},
				func(r row) float64 { return ratio(m.compute(r)-m.compute(base), math.Abs(m.compute(base))) }))
		}
	}
	addLabelColumns(frame, rows, func(r row) data.Labels { return r.labels })
	return frame
}

// unitOf is the unit of a measure: that of costs is the currency.
func (t *task) unitOf(m measure) string {
	if m.id == "cost" || m.id == "idle_cost" {
		return t.Prices.unit()
	}
	return m.unit
}

// numberFrames has a number for each run and measure that is known, for alert rules. The labels stay the same while a run goes on,
// also if there is a second run of its name: with others, an alert instance would begin anew.
func (q *report) numberFrames(t *task, rows []row) data.Frames {
	var fields []*data.Field
	for _, m := range q.measures {
		for _, r := range rows {
			value := m.compute(r)
			if math.IsNaN(value) {
				continue
			}
			field := data.NewField(m.id, data.Labels{"run_id": r.id, "run": r.label}, []float64{value})
			field.Config = &data.FieldConfig{Unit: t.unitOf(m), DisplayNameFromDS: r.name + " " + m.id}
			fields = append(fields, field)
		}
	}
	return query.Numbers(fields)
}

// addLabelColumns adds a column for each label of the rows, sorted by name. A label with the name of another column has none.
func addLabelColumns[T any](frame *data.Frame, rows []T, labels func(T) data.Labels) {
	names := map[string]bool{}
	for _, row := range rows {
		for name := range labels(row) {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if field, _ := frame.FieldByName(name); field == nil {
			frame.Fields = append(frame.Fields, query.TextColumn(name, rows, nil, func(row T) string { return labels(row)[name] }))
		}
	}
}
