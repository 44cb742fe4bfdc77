package main

import (
	"context"
	"fmt"
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
	both, err := newComparison(o.latency)
	if err != nil {
		return err
	}
	defer both.close()
	for range stormMinutes {
		// A batch is what is under way at a time; time passes between batches.
		for first := 0; first < stormRules; first += stormParallel {
			if err := both.each(func(s *side) error { return s.evaluate(first, first+stormParallel) }); err != nil {
				return err
			}
		}
	}
	both.compare(group, goals{})
	return nil
}

// evaluate runs the queries of a batch of rules.
func (s *side) evaluate(first, end int) error {
	defer s.pass(time.Minute * stormParallel / stormRules)
	var batch errgroup.Group
	for rule := first; rule < end; rule++ {
		q := s.panel(ruleExpression(rule%stormExpressions), stormSpan, time.Minute)
		batch.Go(func() error { return s.time(func() error { return query(s.client, q) }) })
	}
	return batch.Wait()
}

func ruleExpression(n int) string {
	return fmt.Sprintf("avg by (instance) (%s)", selectors(n))
}

// selectors are expressions that are all different.
func selectors(n int) string {
	families := []string{"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_SM_CLOCK"}
	return fmt.Sprintf("%s > -%d", families[n%len(families)], n+1)
}
