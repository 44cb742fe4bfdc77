package main

import (
	"context"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
)

// insights compare what the plugin concludes with what is true of simulated platforms: where GPU time goes, who slows a job, how a
// training fares, where there is room.
var insights = []scene{
	{"gpu-time", gpuTimeAndTruth},
	{"stragglers", stragglersAndTruth},
	{"training", trainingInsight},
	{"placement", placementAndTruth},
}

// insight measures all of them.
func insight(ctx context.Context, o options, r *report.Report) error {
	for _, one := range insights {
		if err := one.measure(ctx, o, r); err != nil {
			return err
		}
	}
	return nil
}
