package metrics_test

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/tsdb/chunkenc"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

const day = 24 * time.Hour

var now = time.Date(2026, 5, 20, 15, 4, 5, 0, time.UTC)

func clock() time.Time { return now }

func newStore(c metrics.Collection) *metrics.Store {
	return metrics.New(scenario.New(scenario.Config{Nodes: 2, GPUsPerNode: 2, Now: now}), clock).Collected(c)
}

// bySeries are the samples of the past day, by series and time.
func bySeries(t *testing.T, store *metrics.Store, name string) map[string]map[int64]float64 {
	t.Helper()
	all := map[string]map[int64]float64{}
	for key, v := range read(t, store, name, now.Add(-day), now) {
		if all[key.series] == nil {
			all[key.series] = map[int64]float64{}
		}
		all[key.series][key.at] = v
	}
	return all
}

func TestCollection_Jitter(t *testing.T) {
	offsets := map[int64]bool{}
	for series, samples := range bySeries(t, newStore(metrics.Collection{Jitter: 15 * time.Second}), "vendor_vm_memory_used_bytes") {
		low, high := int64(math.MaxInt64), int64(0)
		for at := range samples {
			low, high = min(low, at%60000), max(high, at%60000)
		}
		if len(samples) < 1438 || high >= 15000 || high-low > 1500 || high == low {
			t.Errorf("%s: %d samples, %d to %d ms after the minute", series, len(samples), low, high)
		}
		offsets[low/100] = true
	}
	if len(offsets) < 2 {
		t.Errorf("offsets: %v", offsets)
	}
}

func TestCollection_MissedScrapes(t *testing.T) {
	var missing []map[int64]bool
	for series, samples := range bySeries(t, newStore(metrics.Collection{Missed: 0.02}), `DCGM_FI_DEV_GPU_UTIL`) {
		if n := len(samples); n < 1380 || n > 1430 {
			t.Errorf("%s: %d samples a day", series, n)
		}
		gone := map[int64]bool{}
		for at := now.Add(-day).Truncate(time.Minute).Add(time.Minute); !at.After(now); at = at.Add(time.Minute) {
			if _, is := samples[at.UnixMilli()]; !is {
				gone[at.UnixMilli()] = true
			}
		}
		missing = append(missing, gone)
	}
	same := 0
	for _, other := range missing[1:] {
		if len(other) == len(missing[0]) {
			same++
		}
	}
	if same != 1 {
		t.Errorf("%d other GPUs miss as many scrapes as the first, want the one on its node", same)
	}
}

func TestCollection_Restart(t *testing.T) {
	c := metrics.Collection{Restarts: 6 * time.Hour, Jitter: 15 * time.Second}
	for _, name := range []string{"vendor_vm_cpu_seconds_total", "vendor_vm_disk_read_latency_seconds_bucket"} {
		for series, samples := range bySeries(t, newStore(c), name) {
			markers, falls, last := 0, 0, 0.0
			for _, at := range slices.Sorted(maps.Keys(samples)) {
				v := samples[at]
				if value.IsStaleNaN(v) {
					markers++
					continue
				}
				if v < last {
					falls++
				}
				last = v
			}
			if markers != 4 || falls > 4 || falls < 3 && last > 100 {
				t.Errorf("%s: %d stale markers, falls %d times, to %g", series, markers, falls, last)
			}
		}
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
