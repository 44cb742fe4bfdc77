package runs

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// jobRuns are the fine-tuning jobs that have started.
func (t *task) jobRuns(ctx context.Context) ([]run, error) {
	if t.JobsErr != nil {
		return nil, t.JobsErr
	}
	ids := t.Source.JobIDs
	if chosen := query.NewChoices(t.chosenIDs()); !chosen.All() {
		if !ids.All() {
			chosen = query.NewChoices(slices.DeleteFunc(slices.Clone(chosen.Values), func(id string) bool { return !ids.Has(id) }))
			if len(chosen.Values) == 0 {
				return nil, nil
			}
		}
		ids = chosen // of any time, and nothing else is read
	}
	read := func(ids query.Choices, most int) ([]jobs.Run, error) {
		f := t.needs
		f.JobIDs, f.Statuses, f.Models, f.From, f.To, f.Most = ids, t.Source.Statuses, t.Source.Models, t.from, t.end(), most
		f.Complete = f.Complete || t.alerting
		return t.Jobs.Runs(ctx, f, &t.notices)
	}
	found, err := read(ids, t.needs.Most)
	if err != nil {
		return nil, err
	}
	isBaseline := func(job jobs.Run) bool { return strings.EqualFold(job.ID, strings.TrimSpace(t.Baseline)) }
	if ids.All() && len(found) >= t.needs.Most && strings.TrimSpace(t.Baseline) != "" && !slices.ContainsFunc(found, isBaseline) {
		older, err := read(query.NewChoices([]string{strings.TrimSpace(t.Baseline)}), 1)
		if err != nil && !errors.Is(err, transport.ErrNotFound) { // which baselineOf says
			return nil, err
		}
		if len(older) > 0 {
			found = append(slices.Clip(found[:min(len(found), t.needs.Most-1)]), older...)
		}
	}
	var runs []run
	var unknown []string
	for i := range found {
		r := jobRun(&found[i])
		t.chosen.has(&r)
		timed := r.setTimes(t.now)
		if t.needs.Steps { // a run without times has a history, too
			r.history = t.historyOf(r.job)
		} else if !timed {
			unknown = append(unknown, r.name)
			continue
		}
		runs = append(runs, r)
	}
	if len(found) >= t.needs.Most {
		maps.Copy(t.chosen.seen, t.chosen.whole) // it is not known which are beyond the limit
	}
	if len(unknown) > 0 {
		t.notices.Warn("The gateway does not report when %s started and ended; left out.", query.List(unknown))
	}
	return t.newest(runs), nil
}

// jobRun is the run of a job, without its times.
func jobRun(job *jobs.Run) run {
	labels := map[string]string{}
	maps.Copy(labels, job.Metadata)
	maps.Copy(labels, query.KnownLabels(data.Labels{
		"job_id": job.ID, "model": job.Model, "suffix": job.Suffix, "node_pool": job.NodePool, "nodepool_name": job.NodePool,
	}))
	r := run{id: job.ID, name: query.Cut(job.Name(), maxRunName), label: query.Cut(cmp.Or(job.Suffix, job.ID), maxRunName), status: job.Status, running: !job.IsOver(), job: job}
	r.setLabels(labels)
	return r
}

// setTimes sets the start and the end of the run of a job, which are not in the future: the gateway's clock may be ahead; its checkpoints are
// those since then. It is false if the times are not known.
func (r *run) setTimes(now time.Time) bool {
	job := r.job
	if job.Start.IsZero() || job.IsOver() && job.End.Before(job.Start) {
		return false
	}
	r.start, r.end = query.Earlier(job.Start, now.UTC()), now.UTC()
	if job.IsOver() {
		r.end = query.Earlier(job.End, r.end)
	}
	// A job that goes on from another one may list those of that, too.
	job.Checkpoints = slices.DeleteFunc(job.Checkpoints, func(c jobs.Checkpoint) bool { return !c.Created.IsZero() && c.Created.Before(r.start) })
	return true
}
