package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const (
	// gatewayLatency is what each call of the gateway takes.
	gatewayLatency = 50 * time.Millisecond
	// extraJobs come on top of the few dozen that the simulator has anyway; each has 6 checkpoints.
	extraJobs = 500
	viewers   = 20
	repeats   = 15
)

// annotations measures what fine-tuning annotations over 30 days cost, and what they cost the gateway.
func annotations(_ context.Context, _ options, r *report.Report) error {
	simulated := platform.New(platform.Config{ExtraJobs: extraJobs, Latency: gatewayLatency})
	server := httptest.NewServer(simulated)
	defer server.Close()
	ds, err := newDatasource(server.URL, true, nil)
	if err != nil {
		return err
	}
	defer ds.Dispose()
	group := r.Group("Annotations of %d jobs and more × 6 checkpoints over 30 days, at %s a call of the gateway", extraJobs, gatewayLatency)
	add := func(what string, took time.Duration) {
		group.Figure(what, report.Took(took), report.Goal{})
		group.Figure("  gateway calls", report.Number(simulated.Counters().Count(platform.ServiceTuning, "", -1)), report.Goal{})
	}
	one := func() error { return runQuery(ds, annotationQuery()) }
	took, err := timing.Of(one)
	if err != nil {
		return err
	}
	add("first result", took)
	// What the first response did not wait for is read in the background.
	time.Sleep(5 * time.Second)
	// From here on the list of jobs is fresh, too.
	if err := one(); err != nil {
		return err
	}
	simulated.ResetCounters()
	var repeated []time.Duration
	for range repeats {
		took, err := timing.Of(one)
		if err != nil {
			return err
		}
		repeated = append(repeated, took)
	}
	add(fmt.Sprintf("repeated, median of %d", repeats), timing.Median(repeated))
	// Two refreshes, because what is kept of running jobs lasts for two.
	refreshed := func(name string, run func() error) error {
		simulated.ResetCounters()
		var took time.Duration
		for range 2 {
			time.Sleep(10 * time.Second)
			once, err := timing.Of(run)
			if err != nil {
				return err
			}
			took += once / 2
		}
		add(name, took)
		return nil
	}
	if err := refreshed("one viewer, two refreshes 10 s apart", one); err != nil {
		return err
	}
	return refreshed(fmt.Sprintf("%d viewers at once, likewise", viewers), func() error { return crowdOfViewers(ds) })
}

// crowdOfViewers queries annotations for all viewers at once.
func crowdOfViewers(ds *plugin.Datasource) error {
	var all errgroup.Group
	for range viewers {
		all.Go(func() error { return runQuery(ds, annotationQuery()) })
	}
	return all.Wait()
}

func annotationQuery() backend.DataQuery {
	return savedQuery(map[string]any{"queryType": "fineTuningAnnotations"}, time.Now().Add(-longSpan), time.Now())
}
