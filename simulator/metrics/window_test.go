package metrics_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb/chunkenc"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

func TestSample_SameInEveryWindow(t *testing.T) {
	store := metrics.New(scenario.New(scenario.Config{Nodes: 2, GPUsPerNode: 2, Now: now}), clock)
	for _, name := range []string{
		"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "vendor_elb_bytes_in", "vendor_ib_port_packets_tx",
		"vendor_vm_disk_read_latency_seconds_bucket", "vendor_node:node_gpu_power:p95_1m",
	} {
		t.Run(name, func(t *testing.T) {
			at := now.Add(-20 * time.Minute)
			alone := read(t, store, name, at.Add(-5*time.Minute), at)
			among := read(t, store, name, at.Add(-25*time.Hour), now)
			if len(alone) == 0 {
				t.Fatal("no samples")
			}
			for key, value := range alone {
				if among[key] != value {
					t.Errorf("%v: %v alone, %v among others", key, value, among[key])
				}
			}
		})
	}
}

type sample struct {
	series string
	at     int64
}

// read reads each sample twice, as the query engine does.
func read(t *testing.T, store *metrics.Store, name string, from, to time.Time) map[sample]float64 {
	t.Helper()
	q, err := store.Querier(from.UnixMilli(), to.UnixMilli())
	if err != nil {
		t.Fatal(err)
	}
	samples := map[sample]float64{}
	set := q.Select(context.Background(), false, nil, labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, name))
	var it chunkenc.Iterator
	for set.Next() {
		it = set.At().Iterator(it)
		for it.Next() != chunkenc.ValNone {
			at, value := it.At()
			if _, again := it.At(); math.Float64bits(again) != math.Float64bits(value) {
				t.Errorf("%s at %d: %v, then %v", set.At().Labels(), at, value, again)
			}
			samples[sample{set.At().Labels().String(), at}] = value
		}
	}
	return samples
}
