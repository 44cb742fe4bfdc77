package metrics_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

func BenchmarkRangeQuery(b *testing.B) {
	cases := []struct {
		name  string
		nodes int
		query string
		past  time.Duration
		step  time.Duration
	}{
		{"64 GPUs, 30 days by instance", 8, `avg by (instance) (DCGM_FI_DEV_GPU_UTIL)`, 30 * 24 * time.Hour, 30 * time.Minute},
		{"64 GPUs, 6 hours", 8, `DCGM_FI_DEV_GPU_UTIL`, 6 * time.Hour, time.Minute},
		{"10000 GPUs, 6 hours in one line", 1250, `avg(DCGM_FI_DEV_GPU_UTIL)`, 6 * time.Hour, time.Minute},
		{"10000 GPUs, energy of 6 hours", 1250, `sum(rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION[5m]))`, 6 * time.Hour, 5 * time.Minute},
		{"1250 nodes, 30 days of a rollup", 1250, `avg(vendor_node:node_gpu_utilization:ratio_avg_1m)`, 30 * 24 * time.Hour, time.Hour},
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 5e7, Timeout: time.Minute, LookbackDelta: 5 * time.Minute})
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			store := metrics.New(scenario.New(scenario.Config{Nodes: c.nodes, GPUsPerNode: 8, Now: now}), clock)
			b.ReportAllocs()
			for b.Loop() {
				q, err := engine.NewRangeQuery(context.Background(), store, nil, c.query, now.Add(-c.past), now, c.step)
				if err != nil {
					b.Fatal(err)
				}
				if result := q.Exec(context.Background()); result.Err != nil {
					b.Fatal(result.Err)
				}
				q.Close()
			}
		})
	}
}

var now = time.Date(2026, 5, 20, 15, 4, 5, 0, time.UTC)

func clock() time.Time { return now }
