package runs

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

// The kinds of sources of runs.
const (
	sourceFineTuning = "fineTuning"
	sourceSeries     = "series"
	sourceManual     = "manual"
)

// sourceModel is where runs come from, as it is saved. Which options count depends on the kind.
type sourceModel struct {
	Kind     string        `json:"kind"`
	Statuses query.Choices `json:"statuses"`
	Models   query.Choices `json:"models"`
	JobIDs   query.Choices `json:"jobIds"`
	// Expr is a PromQL selector. Each set of values of the labels By in its result is a run, and a gap longer than MaxGap ends
	// one and begins another.
	Expr   string        `json:"expr"`
	By     query.Choices `json:"by"`
	MaxGap string        `json:"maxGap"`
	Runs   []manualRun   `json:"runs"`
}

// details are what is read of fine-tuning jobs.
type details struct {
	checkpoints, samples, bySteps bool
	metrics                       []string
}

// find finds the runs of the query, newest first, with their GPUs.
func (c *Client) find(ctx context.Context, q *parsedQuery, with details) ([]*Run, error) {
	var runs []*Run
	var err error
	switch q.Source.Kind {
	case "", sourceFineTuning:
		runs, err = c.jobRuns(ctx, q, with)
	case sourceSeries:
		runs, err = c.seriesRuns(ctx, q)
	case sourceManual:
		runs, err = q.manualRuns()
	default:
		err = &query.Error{Field: "Runs from", Message: fmt.Sprintf("%q is not known. Use fineTuning, series or manual.", q.Source.Kind)}
	}
	if err != nil {
		return nil, err
	}
	newestFirst(runs)
	q.distinguish(runs)
	runs = q.choose(runs)
	q.attribute(runs)
	return runs, nil
}

// jobRuns are the fine-tuning jobs that have started.
func (c *Client) jobRuns(ctx context.Context, q *parsedQuery, with details) ([]*Run, error) {
	if c.JobsErr != nil {
		return nil, c.JobsErr
	}
	ids := q.Source.JobIDs
	if ids.All() && !q.Runs.All() && !q.Runs.Blank {
		ids = q.Runs // of any time, and nothing else is read
	}
	jobs, notices, err := c.Jobs.Runs(ctx, tuning.RunFilters{
		JobIDs: ids, Statuses: q.Source.Statuses, Models: q.Source.Models, From: q.from, To: q.end(),
		Checkpoints: with.checkpoints, Samples: with.samples, BySteps: with.bySteps, Metrics: with.metrics, Complete: q.alerting,
	})
	if err != nil {
		return nil, err
	}
	q.notices.Append(notices)
	var runs []*Run
	var unknown []string
	for i := range jobs {
		run := jobRun(&jobs[i], q.now)
		if run == nil {
			unknown = append(unknown, jobs[i].ID)
			continue
		}
		runs = append(runs, run)
	}
	if len(unknown) > 0 {
		q.notices.Warn("The gateway does not report when %s started and ended; left out.", query.List(unknown))
	}
	return runs, nil
}

// jobRun is nil for a job whose start or end is unknown.
func jobRun(job *tuning.Run, now time.Time) *Run {
	run := &Run{ID: job.ID, Name: job.Name(), Status: job.Status, Running: !job.Ended, End: now.UTC(), job: job, Labels: map[string]string{}}
	if job.Start == nil || job.Ended && (job.End == nil || job.End.Before(*job.Start)) || run.Running && now.Before(*job.Start) {
		return nil
	}
	run.Start = job.Start.UTC()
	if job.Ended {
		run.End = job.End.UTC()
	}
	maps.Copy(run.Labels, job.Metadata)
	maps.Copy(run.Labels, query.KnownLabels(data.Labels{
		"job_id": job.ID, "model": job.Model, "suffix": job.Suffix, "node_pool": job.NodePool, "nodepool_name": job.NodePool,
	}))
	return run
}

// manualRun is a run given by hand.
type manualRun struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
}

const maxManualRuns = 1000

func (q *parsedQuery) manualRuns() ([]*Run, error) {
	if len(q.Source.Runs) > maxManualRuns {
		return nil, &query.Error{Field: "Runs", Message: fmt.Sprintf("there are %d, and the limit is %d.", len(q.Source.Runs), maxManualRuns)}
	}
	var runs []*Run
	named := map[string]int{}
	for i, given := range q.Source.Runs {
		name := strings.TrimSpace(given.Name)
		if name == "" {
			name = fmt.Sprintf("Run %d", i+1)
		}
		id := strings.ReplaceAll(name, ",", ";") // lists of ids are separated by commas
		if named[id]++; named[id] > 1 {
			id = fmt.Sprintf("%s (%d)", id, named[id])
		}
		run := &Run{ID: id, Name: name, Status: statusEnded, Labels: map[string]string{"name": name}}
		var err error
		if run.Start, err = q.parseTime("start", name, given.From); err != nil {
			return nil, err
		}
		if run.End = q.now.UTC(); strings.TrimSpace(given.To) == "" {
			run.Running, run.Status = true, statusRunning
		} else if run.End, err = q.parseTime("end", name, given.To); err != nil {
			return nil, err
		}
		if !run.End.After(run.Start) {
			return nil, &query.Error{Field: "Runs", Message: fmt.Sprintf("%s ends before it starts.", query.Shorten(name))}
		}
		if run.End.After(q.now) {
			run.End, run.Running, run.Status = q.now.UTC(), true, statusRunning
			if !run.End.After(run.Start) {
				q.notices.Info("%s has not started yet.", query.Shorten(name))
				continue
			}
		}
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		q.notices.Info("No run is given. Add one with a name, a start and an end.")
	}
	return runs, nil
}

// parseTime reads a time as dashboards write it: RFC 3339, a date, milliseconds since 1970, now or now-6h.
func (q *parsedQuery) parseTime(which, name, text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	if since, isRelative := strings.CutPrefix(text, "now"); isRelative {
		if since == "" {
			return q.now.UTC(), nil
		}
		if ago, err := gtime.ParseDuration(strings.TrimPrefix(since, "-")); err == nil && strings.HasPrefix(since, "-") {
			return q.now.Add(-ago).UTC(), nil
		}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	var ms query.Number
	if err := ms.UnmarshalJSON([]byte(`"` + text + `"`)); err == nil && ms > 0 && ms < 1e15 {
		return time.UnixMilli(int64(ms)).UTC(), nil
	}
	return time.Time{}, &query.Error{Field: "Runs", Message: fmt.Sprintf(
		"the %s of %s, %q, is not a time. Write for example 2026-03-01T08:00:00Z, 2026-03-01 08:00 (UTC) or now-6h.", which, query.Shorten(name), query.Shorten(text))}
}
