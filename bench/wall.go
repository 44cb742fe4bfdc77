package main

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/metrics"
)

// The wall display: everyone looks at the same dashboard, which refreshes itself.
const (
	wallViewers   = 10
	wallRefreshes = 12
	wallPause     = 10 * time.Second // between refreshes
	wallSpan      = 6 * time.Hour
	wallStep      = time.Minute
	// wallConnections is how many requests a browser has under way at a time.
	wallConnections = 6
)

// wallPanels are the queries of a dashboard on GPUs: a few with a series for each GPU, most with one for each node.
var wallPanels = []string{
	"DCGM_FI_DEV_GPU_UTIL",
	"DCGM_FI_DEV_POWER_USAGE",
	"DCGM_FI_DEV_GPU_TEMP",
	"avg by (instance) (DCGM_FI_DEV_GPU_UTIL)",
	"sum(DCGM_FI_DEV_POWER_USAGE)",
	"max by (instance) (DCGM_FI_DEV_GPU_TEMP)",
	"avg by (instance) (DCGM_FI_DEV_FB_USED)",
	"quantile(0.95, DCGM_FI_DEV_GPU_UTIL)",
	"count(DCGM_FI_DEV_GPU_UTIL < 5)",
	"sum by (instance) (rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))",
	"avg(DCGM_FI_PROF_SM_ACTIVE)",
	"topk(5, DCGM_FI_DEV_GPU_TEMP)",
}

// load is what viewers or rules met with, and what it cost the platform.
type load struct {
	times    []time.Duration
	requests int
	bytes    int64
}

// wall compares the wall display with and without the cache.
func wall(_ context.Context, o options, r *report.Report) error {
	group := r.Group("Wall display: %d viewers × %d panels (%s at %s) × %d refreshes every %s, compared with no cache",
		wallViewers, len(wallPanels), short(wallSpan), short(wallStep), wallRefreshes, short(wallPause))
	ours, err := display(o.latency, cacheLimit)
	if err != nil {
		return err
	}
	without, err := display(o.latency, 0)
	if err != nil {
		return err
	}
	group.Compare("upstream requests", report.Number(ours.requests), report.Number(without.requests), report.AtMost(1.0/40))
	group.Compare("upstream bytes", report.Size(ours.bytes), report.Size(without.bytes), report.AtMost(1.0/40))
	group.Compare("query, p50", report.Took(median(ours.times)), report.Took(median(without.times)), report.AtMost(1.0/5))
	group.Compare("query, p95", report.Took(percentile(ours.times, 95)), report.Took(percentile(without.times, 95)), report.Goal{})
	return nil
}

func display(latency time.Duration, cacheBytes int) (load, error) {
	s := newStage(64, latency)
	defer s.close()
	client, err := s.client(cacheBytes)
	if err != nil {
		return load{}, err
	}
	defer client.Close()
	var l load
	for range wallRefreshes {
		times, err := look(s, client)
		if err != nil {
			return l, err
		}
		l.times = append(l.times, times...)
		s.pass(wallPause)
	}
	l.requests, l.bytes = s.requests(), s.Counters().BytesSent
	return l, nil
}

// look is one refresh of all viewers at once. It returns what each query took.
func look(s *stage, client *metrics.Client) ([]time.Duration, error) {
	var mu sync.Mutex
	var times []time.Duration
	var viewers errgroup.Group
	for range wallViewers {
		viewers.Go(func() error {
			var browser errgroup.Group
			browser.SetLimit(wallConnections)
			for _, expr := range wallPanels {
				browser.Go(func() error {
					took, err := timed(func() error { return ask(client, s.panel(expr, wallSpan, wallStep)) })
					mu.Lock()
					defer mu.Unlock()
					times = append(times, took)
					return err
				})
			}
			return browser.Wait()
		})
	}
	return times, viewers.Wait()
}
