package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const (
	// soakWorkers send one probe after the other, with a pause of up to soakPause between them.
	soakWorkers = 6
	soakPause   = 80 * time.Millisecond
	// soakTimeout is the data source's, in seconds; soakPatience is the longest wait.
	soakTimeout  = 3
	soakPatience = 15 * time.Second
	// soakResponse is the largest response that is read, in megabytes: less than what the bomb unpacks to.
	soakResponse = 32
	// soakSample is how often memory is read, soakSave how often someone saves the settings anew.
	soakSample = 2 * time.Second
	soakSave   = 25 * time.Second
	// recovered is how long after an outage every probe has to succeed again.
	recovered = 10 * time.Second
	// soakRest is how long connections and data sources that are no longer used may take to go away.
	soakRest = 110 * time.Second
	// strays are goroutines and files that may come and go by themselves.
	strays = 12
)

// soak sends probes of all kinds to the built backend, by the real clock, while the platform fails again and again. Results are
// compared with what the simulator has, up to the newest minute.
func soak(ctx context.Context, o options, r *report.Report) error {
	b, err := startBackend(ctx, o.backend)
	if err != nil {
		return err
	}
	defer b.stop()
	scene, err := newSoakScene(ctx, b, o)
	if err != nil {
		return err
	}
	defer scene.close()
	rest, err := b.leakCheck(ctx)
	if err != nil {
		return err
	}

	length := time.Duration(o.minutes) * time.Minute
	ending, stop := context.WithTimeout(ctx, length)
	defer stop()
	var all sync.WaitGroup
	for range soakWorkers {
		all.Go(func() { scene.work(ending) })
	}
	all.Go(func() { scene.saveSettings(ending) })
	all.Go(func() { scene.outages(ending) })
	memory, err := sampleMemory(ending, b, length)
	all.Wait()
	if err != nil {
		return err
	}

	after, err := b.settle(ctx, rest)
	if err != nil {
		return err
	}
	peak, err := b.peakMemory()
	if err != nil {
		return err
	}
	what := "Mixed load and outages"
	if o.specOnly {
		what += " on the specified operations"
	}
	group := r.Group("%s, for %s", what, short(length))
	scene.report(r, group)
	group.Figure("settings saved anew", report.Number(int(scene.saved.Load())), report.Goal{})
	group.Figure("resident memory in the first third, median", report.Size(timing.Median(memory[0])), report.Goal{})
	group.Compare("in the last third, compared with the second", report.Size(timing.Median(memory[2])), report.Size(timing.Median(memory[1])), report.AtMost(1.1))
	group.Figure("peak", report.Size(peak), report.Goal{})
	group.Figure("goroutines at rest, before", report.Number(rest.goroutines), report.Goal{})
	group.Figure("  after", report.Number(after.goroutines), report.NoMore(report.Number(rest.goroutines+strays)))
	group.Figure("open files at rest, before", report.Number(rest.files), report.Goal{})
	group.Figure("  after", report.Number(after.files), report.NoMore(report.Number(rest.files+strays)))
	return nil
}

// sampleMemory reads the resident memory until the context ends, in thirds of the whole time.
func sampleMemory(ctx context.Context, b *runningBackend, length time.Duration) (thirds [3][]uint64, err error) {
	start := time.Now()
	ticker := time.NewTicker(soakSample)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return thirds, nil
		case <-ticker.C:
			resident, err := b.residentMemory()
			if err != nil {
				return thirds, err
			}
			third := min(int(3*time.Since(start)/length), 2)
			thirds[third] = append(thirds[third], resident)
		}
	}
}

// soakScene is the load, the platform that fails, and what came of it.
type soakScene struct {
	b        *runningBackend
	platform *faultyPlatform
	truth    *truth
	probes   []probe
	source   atomic.Pointer[pluginv2.PluginContext]
	saved    atomic.Int64

	mu     sync.Mutex
	tally  map[string]*soakTally
	slow   time.Duration // the longest time after an outage that a probe failed at
	faults map[string]int
	first  []string // what went wrong that must not, with a few examples
}

// soakTally is what came of the probes to one service.
type soakTally struct{ sent, compared, unknown, failed, partial, wrong, unexcused int }

func newSoakScene(ctx context.Context, b *runningBackend, o options) (*soakScene, error) {
	s := &soakScene{
		b: b, platform: newFaultyPlatform(platform.Config{Latency: o.latency, SpecOnly: o.specOnly}), truth: newTruth(),
		tally: map[string]*soakTally{}, faults: map[string]int{},
	}
	var err error
	if s.probes, err = s.truth.probes(ctx); err != nil {
		s.close()
		return nil, err
	}
	if o.specOnly {
		s.probes = slices.DeleteFunc(s.probes, func(q probe) bool { return !q.documented })
	}
	s.save()
	return s, nil
}

func (s *soakScene) close() {
	s.platform.close()
	s.truth.close()
}

// save hands the backend settings that were saved just now, upon which it makes a new data source and lets go of the old.
func (s *soakScene) save() {
	changes := map[string]any{"timeout": soakTimeout, "maxResponseMegabytes": soakResponse}
	to := pluginContext(s.platform.server.URL, true, changes)
	to.DataSourceInstanceSettings.LastUpdatedMS = time.Now().UnixMilli()
	s.source.Store(to)
}

func (s *soakScene) saveSettings(ctx context.Context) {
	for wait(ctx, soakSave) {
		s.save()
		s.saved.Add(1)
	}
}

// work sends probes until the context ends.
func (s *soakScene) work(ctx context.Context) {
	for wait(ctx, rand.N(soakPause)) { //nolint:gosec // nothing secret depends on it
		s.send(s.probes[rand.N(len(s.probes))]) //nolint:gosec // nothing secret depends on it
	}
}

// send sends one probe and compares the result. It ends by itself, so that none is cut off when the load ends.
func (s *soakScene) send(q probe) {
	ctx, cancel := context.WithTimeout(context.Background(), soakPatience)
	defer cancel()
	begin := time.Now()
	got, err := q.send(ctx, s.b, s.source.Load(), begin)
	sinceOutage := s.platform.healthyFor(begin)
	var difference error
	incomplete := partial(got.frames) && sinceOutage <= recovered
	if err == nil && !incomplete && q.check != nil {
		difference = q.check(ctx, got, begin)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	tally, ok := s.tally[q.service]
	if !ok {
		tally = &soakTally{}
		s.tally[q.service] = tally
	}
	tally.sent++
	switch {
	case err != nil:
		tally.failed++
		if sinceOutage > recovered {
			tally.unexcused++
			s.note("%s failed %.0f s after an outage: %s", q.name, sinceOutage.Seconds(), err)
		} else {
			s.slow = max(s.slow, sinceOutage)
		}
	case incomplete:
		tally.partial++ // it says so itself
	case q.check != nil:
		tally.compared++
		switch {
		case errors.Is(difference, errWrong):
			tally.wrong++
			s.note("%s, %.0f s after an outage: %s", q.name, sinceOutage.Seconds(), difference)
		case difference != nil:
			tally.unknown++
			s.note("%s could not be compared: %s", q.name, difference)
		}
	}
}

// note keeps the first few things that must not happen.
func (s *soakScene) note(format string, args ...any) {
	if len(s.first) < 10 {
		s.first = append(s.first, fmt.Sprintf("%.300s", fmt.Sprintf(format, args...)))
	}
}

// report adds the results of the probes, and notes on what must not happen.
func (s *soakScene) report(r *report.Report, group report.Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, service := range []string{platform.ServiceMetrics, platform.ServiceTuning, platform.ServiceMain, everyService} {
		t := s.tally[service]
		if t == nil {
			continue
		}
		group.Figure(service+": probes", report.Number(t.sent), report.Goal{})
		group.Figure("  failed in an outage, or just after", report.Number(t.failed-t.unexcused), report.Goal{})
		group.Figure("  incomplete, saying so", report.Number(t.partial), report.Goal{})
		group.Figure("  compared with the truth", report.Number(t.compared), report.Goal{})
		group.Figure("  could not be compared", report.Number(t.unknown), report.NoMore(report.Number(0)))
		group.Figure("  wrong results", report.Number(t.wrong), report.NoMore(report.Number(0)))
		group.Figure(fmt.Sprintf("  failures more than %s after an outage", short(recovered)), report.Number(t.unexcused), report.NoMore(report.Number(0)))
	}
	outages := 0
	for _, n := range s.faults {
		outages += n
	}
	group.Figure(fmt.Sprintf("outages, of %d kinds", len(s.faults)), report.Number(outages), report.Goal{})
	group.Figure("longest time after one that a probe still failed", report.Took(s.slow), report.NoMore(report.Took(recovered)))
	r.Notes = append(r.Notes, s.first...)
}

// wait sleeps, and reports whether the context goes on.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
