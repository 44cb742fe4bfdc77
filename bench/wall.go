package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
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

// wall compares the wall display with and without the cache.
func wall(_ context.Context, o options, r *report.Report) error {
	group := r.Group("Wall display: %d viewers × %d panels (%s at %s) × %d refreshes every %s, compared with no cache",
		wallViewers, len(wallPanels), short(wallSpan), short(wallStep), wallRefreshes, short(wallPause))
	both, err := newComparison(o.latency)
	if err != nil {
		return err
	}
	defer both.close()
	for range wallRefreshes {
		err := both.each(func(s *side) error {
			defer s.pass(wallPause)
			return everyone(wallViewers, func(_ int, expr string) error {
				return s.time(func() error { return query(s.client, s.panel(expr, wallSpan, wallStep)) })
			})
		})
		if err != nil {
			return err
		}
	}
	both.compare(group, goals{
		requests: report.AtMost(1.0 / 40), bytes: report.AtMost(1.0 / 40), median: report.AtMost(1.0 / 5), arithmetic: wallArithmetic(),
	})
	return nil
}

// wallArithmetic says why there are as many requests as there are: without a cache one for each query, with one a request for
// each panel and step that the scene covers.
func wallArithmetic() string {
	steps := 1 + int((wallRefreshes-1)*wallPause/wallStep)
	return fmt.Sprintf(", by arithmetic: %d × %d of %d × %d × %d", len(wallPanels), steps, wallViewers, len(wallPanels), wallRefreshes)
}

// everyone does one refresh at once: each viewer queries all panels, as many at a time as a browser does.
func everyone(viewers int, run func(viewer int, expr string) error) error {
	var all errgroup.Group
	for viewer := range viewers {
		all.Go(func() error {
			var browser errgroup.Group
			browser.SetLimit(wallConnections)
			for _, expr := range wallPanels {
				browser.Go(func() error { return run(viewer, expr) })
			}
			return browser.Wait()
		})
	}
	return all.Wait()
}
