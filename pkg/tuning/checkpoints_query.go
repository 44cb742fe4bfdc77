package tuning

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// jobsWithin are the jobs of the query. If it does not choose jobs by id, these are the jobs that overlap the range.
func (c *Client) jobsWithin(ctx context.Context, q *query) ([]Job, error) {
	jobs, err := c.jobs(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(q.JobIDs.Values) > 0 && q.OnlyInRange == nil {
		return jobs, nil
	}
	return q.inRange(jobs), nil
}

// The bounds of a table of checkpoints.
const (
	maxCheckpointRows = 50_000
	maxMetricColumns  = 100
)

// checkpointRow is a checkpoint with its job.
type checkpointRow struct {
	job Job
	Checkpoint
}

// queryCheckpoints is a table of checkpoints, by job, then step, with a column for each metric.
func (c *Client) queryCheckpoints(ctx context.Context, q *query) (data.Frames, error) {
	jobs, err := c.jobsWithin(ctx, q)
	if err != nil {
		return nil, err
	}
	found := fetchDetails(ctx, c, startedJobs(jobs), 0, c.checkpoints)
	if err := found.addNotices(q, "checkpoints"); err != nil {
		return nil, err
	}
	found.explainNotServed(q, "checkpoints")
	var rows []checkpointRow
	total := 0
	for _, job := range jobs {
		if ctx.Err() != nil {
			return nil, c.explain(ctx.Err())
		}
		total += len(found.byJob[job.ID].items)
		if len(rows) < maxCheckpointRows {
			rows = append(rows, checkpointRows(q, job, found.byJob[job.ID])...)
		}
	}
	if len(rows) > maxCheckpointRows {
		rows = rows[:maxCheckpointRows]
	}
	if total > len(rows) {
		q.notices.warn("Only the first %d of %d checkpoints are shown, those of the newest jobs. Choose jobs to see others.", len(rows), total)
	}
	frame := queries.Table("Checkpoints",
		texts("job_id", rows, linked(c.Links.checkpointsOfJob(), c.Links.console("")), func(r checkpointRow) string { return r.job.ID }),
		texts("checkpoint_id", rows, linked(c.Links.download(), c.Links.console(checkpointIDOfRow)), func(r checkpointRow) string { return r.ID }),
		column("step", rows, nil, func(r checkpointRow) *float64 { return r.Step }),
		column("created", rows, nil, func(r checkpointRow) *time.Time { return r.Created }),
		texts("model", rows, nil, func(r checkpointRow) string { return r.job.Model }),
		texts("fine_tuned_model_checkpoint", rows, nil, func(r checkpointRow) string { return r.Model }),
	)
	metrics := metricsOf(rows)
	if len(metrics) > maxMetricColumns {
		q.notices.warn("Only the first %d of %d metrics are shown.", maxMetricColumns, len(metrics))
		metrics = metrics[:maxMetricColumns]
	}
	for _, metric := range metrics {
		frame.Fields = append(frame.Fields, column(metric, rows, metricConfig(metric), func(r checkpointRow) *float64 {
			if value, ok := r.Metrics[metric]; ok {
				return &value
			}
			return nil
		}))
	}
	frame.Fields = append(frame.Fields, texts("name", rows, nil, func(r checkpointRow) string { return r.job.Name() }))
	return data.Frames{frame}, nil
}

func checkpointRows(q *query, job Job, found detailList[Checkpoint]) []checkpointRow {
	if found.truncated {
		q.notices.warn("Some jobs have more than %d checkpoints; the others are left out.", maxCheckpoints)
	}
	rows := make([]checkpointRow, 0, len(found.items))
	for _, checkpoint := range found.items {
		rows = append(rows, checkpointRow{job, checkpoint})
	}
	slices.SortStableFunc(rows, func(a, b checkpointRow) int {
		return cmp.Or(compareNumbers(a.Step, b.Step), compareTimes(a.Created, b.Created), strings.Compare(a.ID, b.ID))
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
