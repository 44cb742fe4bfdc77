package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// The range of the reports that are compared with the truth. It ends in the past, so that most runs have ended.
const (
	truthSpan = 24 * time.Hour
	truthAgo  = 2 * time.Hour
)

// The prices of the reports.
const gpuHourPrice, kilowattHourPrice = 2.5, 0.3

// sampleInterval is how far from the truth a time is that is known by samples, at most.
const sampleInterval = time.Minute

// truthSource is a source of runs, and how its runs are found among those of the platform.
type truthSource struct {
	name   string
	query  map[string]any
	column string
	id     func(metrics.Run) string
}

var truthSources = []truthSource{
	{"pods", map[string]any{"source": podRuns(".+"), "selector": byPool("nodepool_name")}, "run", func(r metrics.Run) string { return r.Labels["pod_name"] }},
	{"fine-tuning jobs", map[string]any{"source": map[string]any{"kind": "fineTuning"}, "selector": byPool("node_pool")}, "run_id", func(r metrics.Run) string { return r.ID }},
}

// truthErrors are the worst errors of reports of one source, over all seeds.
type truthErrors struct {
	mu         sync.Mutex
	runs       int
	start, end time.Duration // the longest between a run's and the truth
	missing    int           // runs of the platform that no report has
	classes    float64       // how far the classes of GPU time are from the whole
	ofRun      worst         // of a run of at least longRun, with the truth at whole minutes
	ofPlatform worst         // of all runs of a platform together, with the exact truth
}

// longRun is how long a run takes of which a minute more or less is nearly nothing.
const longRun = 3 * time.Hour

// worst are the worst errors by column, and which they were.
type worst struct {
	together bool // of all runs of a platform
	errors   map[string]float64
	cases    map[string]string
}

func newWorst(together bool) worst { return worst{together, map[string]float64{}, map[string]string{}} }

func (w worst) add(m measure, got, want float64, which string) {
	if wrong := m.errorOf(got, want); wrong >= w.errors[m.column] {
		w.errors[m.column] = wrong
		w.cases[m.column] = fmt.Sprintf("%s: %g, not %g", which, got, want)
	}
}

func (w worst) report(group report.Group, r *report.Report) {
	for _, m := range truthMeasures {
		wrong, known := w.errors[m.column]
		if !known {
			continue
		}
		if m.bursts && !w.together {
			group.Figure(m.column, report.Figure{Value: wrong, Unit: m.unit}, report.Goal{})
			continue
		}
		group.Figure(m.column, report.Figure{Value: wrong, Unit: m.unit}, report.NoMore(report.Figure{Value: m.limit, Unit: m.unit}))
		if wrong > m.limit {
			r.Note("%s is wrong in %s", m.column, w.cases[m.column])
		}
	}
}

// runsAndTruth compares reports of runs with what the simulator says is true, for platforms of many seeds.
func runsAndTruth(ctx context.Context, o options, r *report.Report) error {
	found := map[string]*truthErrors{}
	for _, source := range truthSources {
		found[source.name] = &truthErrors{ofRun: newWorst(false), ofPlatform: newWorst(true)}
	}
	err := eachSeed(ctx, o.seeds, func(_ context.Context, seed int) error { return compareSeed(uint64(seed), found) })
	if err != nil {
		return err
	}
	for _, source := range truthSources {
		e := found[source.name]
		if e.runs == 0 {
			return fmt.Errorf("%w: no report has runs of %s", errWrong, source.name)
		}
		e.report(source.name, o.seeds, r)
	}
	return nil
}

// compareSeed compares reports of a platform.
func compareSeed(seed uint64, found map[string]*truthErrors) error {
	p := platform.New(platform.Config{Seed: seed})
	server := httptest.NewServer(p)
	defer server.Close()
	ds, err := newDatasource(server.URL, true, map[string]any{"prices": map[string]any{
		"gpuHour": map[string]float64{"NVIDIA H100 80GB HBM3": gpuHourPrice}, "kilowattHour": kilowattHourPrice, "currency": "USD",
	}})
	if err != nil {
		return err
	}
	defer ds.Dispose()
	to := time.Now().Add(-truthAgo)
	for _, source := range truthSources {
		if err := source.compare(p, ds, seed, to.Add(-truthSpan), to, found[source.name]); err != nil {
			return err
		}
	}
	if failure, ok := gpuFailure(p); ok {
		return truthSources[0].compare(p, ds, seed, failure.Add(-truthSpan/2), failure.Add(truthSpan/2), found[truthSources[0].name])
	}
	return nil
}

// gpuFailure is the end of a run that a GPU's failure ended. There is one in four weeks.
func gpuFailure(p *platform.Platform) (time.Time, bool) {
	for _, run := range p.Runs(time.Now().Add(-28*day), time.Now().Add(-day)) {
		if run.XIDs > 0 && run.Status == "failed" {
			return run.End, true
		}
	}
	return time.Time{}, false
}

// compare compares a report of the runs of a source.
func (s truthSource) compare(p *platform.Platform, ds *plugin.Datasource, seed uint64, from, to time.Time, e *truthErrors) error {
	frame, err := reportOf(ds, maps.Clone(s.query), from, to)
	if err != nil {
		return err
	}
	truth := p.Runs(from, to)
	all := tally{seed: seed, from: from, to: to, matched: map[string]bool{}, got: map[string]float64{}, want: map[string]float64{}, weight: map[string]float64{}}
	for row := range frame.Rows() {
		if run, ok := s.match(truth, frame, row); ok {
			e.add(p, run, frame, row, &all)
		}
	}
	e.finish(truth, all)
	return nil
}

// tally is what the runs of a platform come to, by column.
type tally struct {
	seed              uint64
	from, to          time.Time
	matched           map[string]bool // by id of the run
	got, want, weight map[string]float64
}

// match is the run of the platform that a row is about.
func (s truthSource) match(truth []metrics.Run, frame *data.Frame, row int) (metrics.Run, bool) {
	field, _ := frame.FieldByName(s.column)
	start, end := cellTime(frame, "start", row), cellTime(frame, "end", row)
	for _, run := range truth {
		if field != nil && strings.Contains(cellOf(field, row), s.id(run)) && start.Before(run.End) && end.After(run.Start) {
			return run, true
		}
	}
	return metrics.Run{}, false
}

// cellTime is a time of a report; now if it is null, as the end of a running run is.
func cellTime(frame *data.Frame, column string, row int) time.Time {
	if field, _ := frame.FieldByName(column); field != nil {
		if at, ok := field.ConcreteAt(row); ok {
			return at.(time.Time)
		}
	}
	return time.Now()
}

// add compares a row with the truth: its times with those of the run within the range, and its measures with what is true of the
// run between the row's own times, as what is before the first sample and after the last cannot be known.
func (e *truthErrors) add(p *platform.Platform, run metrics.Run, frame *data.Frame, row int, all *tally) {
	start, end := cellTime(frame, "start", row), cellTime(frame, "end", row)
	part, _ := p.Run(run.ID, start, end)
	last, _ := p.Run(run.ID, start, end.Add(sampleInterval))
	part.XIDs = last.XIDs // the error that ends a run is after its last sample
	which := fmt.Sprintf("seed %d, %s from %s to %s", all.seed, run.ID, start.UTC().Format(time.RFC3339), end.UTC().Format(time.RFC3339))
	all.matched[run.ID] = true
	if field, _ := frame.FieldByName("end"); field != nil && field.NilAt(row) {
		return // it changes all the time
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.runs++
	if run.Start.After(all.from) {
		e.start = max(e.start, start.Sub(run.Start).Abs())
	}
	if run.End.Before(all.to) {
		e.end = max(e.end, end.Sub(run.End).Abs())
	}
	classes, known := 0.0, 0
	for _, m := range truthMeasures {
		got, err := number(frame, m.column, row)
		if err != nil {
			continue // the report says nothing of it
		}
		switch m.column {
		case "busy", "idle", "throttled":
			classes += got
			known++
		}
		if end.Sub(start) >= longRun {
			e.ofRun.add(m, got, m.truth(atWholeMinutes(part)), which)
		}
		weight := 1.0
		if m.weight != nil {
			weight = m.weight(part)
			all.weight[m.column] += weight
		}
		all.got[m.column] += weight * got
		all.want[m.column] += weight * m.truth(part)
	}
	if known > 0 { // a run of one sample has no time
		e.classes = max(e.classes, math.Abs(classes-1))
	}
}

// finish compares the runs of a platform together, and counts those that a report should have and has not.
func (e *truthErrors) finish(truth []metrics.Run, all tally) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range truthMeasures {
		got, known := all.got[m.column]
		if !known || m.unit != report.Share {
			continue
		}
		weight := 1.0
		if m.weight != nil {
			weight = all.weight[m.column]
		}
		e.ofPlatform.add(m, got/weight, all.want[m.column]/weight, fmt.Sprintf("seed %d", all.seed))
	}
	for _, run := range truth {
		if !all.matched[run.ID] && run.End.Sub(all.from) > sampleInterval && all.to.Sub(run.Start) > sampleInterval {
			e.missing++
		}
	}
}

// report adds a row a measure.
func (e *truthErrors) report(source string, seeds int, r *report.Report) {
	group := r.Group("Reports of %d runs of %s of %d platforms", e.runs, source, seeds)
	group.Figure("runs that no report has", report.Number(e.missing), report.NoMore(report.Number(0)))
	group.Figure("start, at most from the truth", report.Took(e.start), report.NoMore(report.Took(sampleInterval)))
	group.Figure("end", report.Took(e.end), report.NoMore(report.Took(sampleInterval)))
	group.Figure("busy, idle and throttled, at most from the whole", report.Figure{Value: e.classes, Unit: report.Share}, report.NoMore(report.Figure{Value: 1e-9, Unit: report.Share}))
	e.ofRun.report(r.Group("  %s, the worst error of a run of %s and more, at whole minutes", source, short(longRun)), r)
	e.ofPlatform.report(r.Group("  %s, the worst error of all runs of a platform together", source), r)
}
