package jobs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// The bounds of a table of checkpoints.
const (
	maxCheckpointRows = 50_000
	maxMetricColumns  = 100
)

// checkpointRow is a checkpoint with its job.
type checkpointRow struct {
	job *Job
	Checkpoint
}

// queryCheckpoints is a table of checkpoints, by job, then step, with a column for each metric.
func (c *Client) queryCheckpoints(ctx context.Context, q request) (data.Frames, error) {
	o, err := query.Parse[selection](q.saved)
	if err != nil {
		return nil, err
	}
	s, err := c.selectJobs(ctx, q, o, o.isInRange(), false)
	if err != nil {
		return nil, err
	}
	found, err := details(ctx, c, q, startedJobs(s.chosen), "checkpoints", about, c.Checkpoints)
	if err != nil {
		return nil, err
	}
	var rows []checkpointRow
	total := 0
	for _, job := range s.chosen {
		total += len(found[job.ID].Items)
		if len(rows) < maxCheckpointRows {
			rows = append(rows, checkpointRows(&job, found[job.ID])...)
		}
	}
	if len(rows) > maxCheckpointRows {
		rows = rows[:maxCheckpointRows]
	}
	if total > len(rows) {
		q.notices.Cut("Only the first %d of %d checkpoints are shown, those of the newest jobs. Choose jobs to see others.", len(rows), total)
	}
	frame := query.Table("Checkpoints",
		query.TextColumn("job_id", rows, linked(c.Links.checkpointsOfJob(), c.Links.console(jobIDOfRow, "")), func(r checkpointRow) string { return r.job.ID }),
		query.TextColumn("checkpoint_id", rows, linked(c.Links.download(), c.Links.console(jobIDOfRow, checkpointIDOfRow)), func(r checkpointRow) string { return r.ID }),
		query.NumberColumn("step", rows, nil, func(r checkpointRow) float64 { return r.Step }),
		query.TimeColumn("created", rows, nil, func(r checkpointRow) time.Time { return r.Created }),
		query.TextColumn("model", rows, nil, func(r checkpointRow) string { return r.job.Model }),
		query.TextColumn("fine_tuned_model_checkpoint", rows, nil, func(r checkpointRow) string { return r.Model }),
	)
	metrics := metricsOf(rows)
	if len(metrics) > maxMetricColumns {
		q.notices.Cut("Only the first %d of %d metrics are shown.", maxMetricColumns, len(metrics))
		metrics = metrics[:maxMetricColumns]
	}
	for _, metric := range metrics {
		frame.Fields = append(frame.Fields, query.Column(metric, rows, metricConfig(metric), func(r checkpointRow) *float64 {
			if value, ok := r.Metrics[metric]; ok {
				return &value
			}
			return nil
		}))
	}
	frame.Fields = append(frame.Fields, query.TextColumn("name", rows, nil, func(r checkpointRow) string { return r.job.Name() }))
	return data.Frames{frame}, nil
}

func checkpointRows(job *Job, found gateway.List[Checkpoint]) []checkpointRow {
	rows := make([]checkpointRow, 0, len(found.Items))
	for _, checkpoint := range found.Items {
		rows = append(rows, checkpointRow{job, checkpoint})
	}
	slices.SortStableFunc(rows, func(a, b checkpointRow) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return rows
}

// reserved are the columns of the table. A metric with such a name is left out.
var reserved = []string{"job_id", "checkpoint_id", "step", "created", "model", "fine_tuned_model_checkpoint", "name"}

// metricsOf are the names of the metrics of all checkpoints, sorted.
func metricsOf(rows []checkpointRow) []string {
	names := map[string]bool{}
	for _, row := range rows {
		for name := range row.Metrics {
			names[name] = true
		}
	}
	for _, name := range reserved {
		delete(names, name)
	}
	return slices.Sorted(maps.Keys(names))
}

// metricConfig is the unit percent for accuracies, which are ratios.
func metricConfig(metric string) *data.FieldConfig {
	if strings.Contains(strings.ToLower(metric), "accuracy") {
		return unit("percentunit")
	}
	return nil
}
