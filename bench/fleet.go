package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const (
	// rules are evaluated at one instant, each with an expression of its own.
	rules = 1000
	// dashboards are refreshed by a viewer each, all at the same time, with a cache that holds them.
	dashboards      = 100
	dashboardsCache = 128 // megabytes
	// sources is the number of data sources in one process, each of which is offered sourceQueries long panels.
	sources       = 50
	sourceQueries = 24
)

// fleet is the built backend under the load of a large installation, and its platform.
type fleet struct {
	*runningBackend
	platform *replayed
	group    report.Group
	// requests and processor are what it had used when the last row was added.
	requests  int64
	processor time.Duration
}

func newFleet(ctx context.Context, o options, group report.Group) (*fleet, error) {
	b, err := startBackend(ctx, o.backend)
	if err != nil {
		return nil, err
	}
	return &fleet{runningBackend: b, platform: newReplayed(o.latency, platform.Config{}), group: group}, nil
}

func (f *fleet) close() {
	f.stop()
	f.platform.close()
}

// source is one of the data sources of the process, with changes of its settings.
func (f *fleet) source(n int, changes map[string]any) *pluginv2.PluginContext {
	to := pluginContext(f.platform.server.URL, true, changes)
	to.DataSourceInstanceSettings.Uid = fmt.Sprint("bench-", n)
	return to
}

// phase runs a load and adds rows of what it took.
func (f *fleet) phase(name string, requests report.Goal, load func(run func(*pluginv2.PluginContext, backend.DataQuery))) error {
	var mu sync.Mutex
	var times []time.Duration
	var failures []error
	begin := time.Now()
	load(func(to *pluginv2.PluginContext, q backend.DataQuery) {
		took, err := timing.Of(func() error { _, err := f.frames(context.Background(), to, q); return err })
		mu.Lock()
		defer mu.Unlock()
		times = append(times, took)
		if err != nil {
			failures = append(failures, err)
		}
	})
	whole := time.Since(begin)
	f.group.Figure(name+": queries", report.Number(len(times)), report.Goal{})
	f.group.Figure("  errors", report.Number(len(failures)), report.NoMore(report.Number(0)))
	if len(failures) > 0 {
		f.group.Figure(fmt.Sprintf("  ✘ %.100s", failures[0]), report.Number(len(failures)), report.Goal{})
	}
	f.group.Figure("  query, p50", report.Took(timing.Median(times)), report.Goal{})
	f.group.Figure("  until the last", report.Took(whole), report.Goal{})
	sent := f.platform.requests.Load()
	f.group.Figure("  upstream requests", report.Number(sent-f.requests), requests)
	f.requests = sent
	used, err := f.processorTime()
	if err != nil {
		return err
	}
	f.group.Figure("  processor time", report.Took(used-f.processor), report.Goal{})
	f.processor = used
	kept, err := f.metric(context.Background(), "gpucloud_cache_bytes")
	if err != nil {
		return err
	}
	f.group.Figure("  cached by then", report.Size(kept), report.Goal{})
	peak, err := f.peakMemory()
	f.group.Figure("  peak memory of the process by then", report.Size(peak), report.NoMore(report.Size(processLimit+processLimit/10)))
	return err
}

// processLimit is the plugin's memory limit, which is Go's soft limit: the process has its code and stacks besides.
const processLimit = 1 << 30

// manyRules evaluates alert rules at one instant, and again in the same minute.
func manyRules(ctx context.Context, o options, r *report.Report) error {
	f, err := newFleet(ctx, o, r.Group("%d alert rules (%s at %s) at one instant", rules, short(stormSpan), short(time.Minute)))
	if err != nil {
		return err
	}
	defer f.close()
	beginOfMinute()
	at := time.Now()
	evaluate := func(run func(*pluginv2.PluginContext, backend.DataQuery)) {
		var all sync.WaitGroup
		to := f.source(1, nil)
		for n := range rules {
			all.Go(func() {
				run(to, rangeQuery(numbered(wallPanels[n%len(wallPanels)], n), at.Add(-stormSpan), at, time.Minute))
			})
		}
		all.Wait()
	}
	if err := f.phase("first", report.NoMore(report.Number(rules)), evaluate); err != nil {
		return err
	}
	return f.phase("again in the same minute", report.NoMore(report.Number(0)), evaluate)
}

// manyDashboards opens dashboards, and refreshes them in the same minute and in the next.
func manyDashboards(ctx context.Context, o options, r *report.Report) error {
	f, err := newFleet(ctx, o, r.Group("%d dashboards × %d panels (%s at %s), all at the same time; cache of %d MB",
		dashboards, len(wallPanels), short(wallSpan), short(wallStep), dashboardsCache))
	if err != nil {
		return err
	}
	defer f.close()
	look := func(run func(*pluginv2.PluginContext, backend.DataQuery)) {
		end := time.Now()
		to := f.source(1, map[string]any{"cache": map[string]any{"maxMegabytes": dashboardsCache}})
		_ = everyone(dashboards, func(dashboard int, expr string) error {
			run(to, rangeQuery(numbered(expr, dashboard), end.Add(-wallSpan), end, wallStep))
			return nil // run counts the errors
		})
	}
	each := report.NoMore(report.Number(dashboards * len(wallPanels)))
	beginOfMinute()
	if err := f.phase("opened", each, look); err != nil {
		return err
	}
	if err := f.phase("refreshed in the same minute", report.NoMore(report.Number(0)), look); err != nil {
		return err
	}
	beginOfMinute()
	return f.phase("refreshed in the next minute", each, look)
}

// manySources offers the caches of many data sources twice as much as they may take together.
func manySources(ctx context.Context, o options, r *report.Report) error {
	o.latency = 0
	f, err := newFleet(ctx, o, r.Group("%d data sources in one process, each with %d panels of %s × 64 series at %s", sources, sourceQueries, short(longSpan), short(longStep)))
	if err != nil {
		return err
	}
	defer f.close()
	end := time.Now().Truncate(longStep)
	err = f.phase("one short panel each", report.NoMore(report.Number(sources)), func(run func(*pluginv2.PluginContext, backend.DataQuery)) {
		for n := range sources {
			run(f.source(n, nil), rangeQuery(numbered(wallPanels[n%len(wallPanels)], n), end.Add(-stormSpan), end, time.Minute))
		}
	})
	if err != nil {
		return err
	}
	err = f.phase("all", report.Goal{}, func(run func(*pluginv2.PluginContext, backend.DataQuery)) {
		var all errgroup.Group
		all.SetLimit(4)
		for n := range sources * sourceQueries {
			to := f.source(n%sources, nil)
			all.Go(func() error {
				run(to, rangeQuery(numbered(longExpr, n), end.Add(-longSpan), end, longStep))
				return nil
			})
		}
		_ = all.Wait() // run counts the errors
	})
	if err != nil {
		return err
	}
	kept, err := f.metric(ctx, "gpucloud_cache_bytes")
	if err != nil {
		return err
	}
	f.group.Compare("kept, compared with the limit of all caches", report.Size(kept), report.Size(processLimit/2), report.AtMost(1))
	return nil
}

// numbered makes an expression different from others with the same result.
func numbered(expr string, n int) string { return fmt.Sprintf("%s # %d", expr, n) }

// beginOfMinute waits until a minute begins, because what is cached is reused until its end.
func beginOfMinute() {
	now := time.Now()
	time.Sleep(now.Truncate(time.Minute).Add(time.Minute + 200*time.Millisecond).Sub(now))
}
