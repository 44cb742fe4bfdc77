package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
)

// The alert storm: rules that are evaluated once a minute each, evenly spread over it. Several rules share an expression and
// differ in their threshold, which Grafana applies itself.
const (
	stormRules       = 200
	stormExpressions = 50
	stormMinutes     = 5
	stormSpan        = 10 * time.Minute
	stormParallel    = 10
)

// alertStorm compares evaluating alert rules with and without the cache.
func alertStorm(_ context.Context, o options, r *report.Report) error {
	group := r.Group("Alert rules: %d with %d expressions (%s at %s), once a minute for %d minutes, compared with no cache",
		stormRules, stormExpressions, short(stormSpan), short(time.Minute), stormMinutes)
	ours, err := storm(o.latency, cacheLimit)
	if err != nil {
		return err
	}
	without, err := storm(o.latency, 0)
	if err != nil {
		return err
	}
	group.Compare("upstream requests", report.Number(ours.requests), report.Number(without.requests), report.Goal{})
	group.Compare("upstream bytes", report.Size(ours.bytes), report.Size(without.bytes), report.Goal{})
	group.Compare("query, p50", report.Took(median(ours.times)), report.Took(median(without.times)), report.Goal{})
	group.Compare("query, p95", report.Took(percentile(ours.times, 95)), report.Took(percentile(without.times, 95)), report.Goal{})
	return nil
}

func storm(latency time.Duration, cacheBytes int) (load, error) {
	s := newStage(64, latency)
	defer s.close()
	client, err := s.client(cacheBytes)
	if err != nil {
		return load{}, err
	}
	defer client.Close()
	var l load
	var mu sync.Mutex
	for range stormMinutes {
		// A batch is what is under way at a time; time passes between batches.
		for first := 0; first < stormRules; first += stormParallel {
			var batch errgroup.Group
			for rule := first; rule < first+stormParallel; rule++ {
				q := s.panel(ruleExpression(rule%stormExpressions), stormSpan, time.Minute)
				batch.Go(func() error {
					took, err := timed(func() error { return ask(client, q) })
					mu.Lock()
					defer mu.Unlock()
					l.times = append(l.times, took)
					return err
				})
			}
			if err := batch.Wait(); err != nil {
				return l, err
			}
			s.pass(time.Minute * stormParallel / stormRules)
		}
	}
	l.requests, l.bytes = s.requests(), s.Counters().BytesSent
	return l, nil
}

func ruleExpression(n int) string {
	return fmt.Sprintf("avg by (instance) (%s)", selectors(n))
}

// selectors are expressions that are all different.
func selectors(n int) string {
	families := []string{"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_SM_CLOCK"}
	return fmt.Sprintf("%s > -%d", families[n%len(families)], n+1)
}
