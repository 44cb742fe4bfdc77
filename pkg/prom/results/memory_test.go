package results_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/memorytest"
)

// metric is the sum of the series of a metric of this process, which has none before the first count.
func metric(t *testing.T, name string) (sum float64) {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			for _, m := range family.GetMetric() {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

func fleet(n int) []fakeSeries {
	var series []fakeSeries
	for i := range n {
		series = append(series, minutes(data.Labels{"__name__": "DCGM_FI_DEV_GPU_UTIL", "UUID": fmt.Sprintf("GPU-%036d", i), "vm_name": fmt.Sprint("node-", i/8)}))
	}
	return series
}

func TestMemory_WithinLimit(t *testing.T) {
	const limit = 2 << 20
	p := newPlatform(fleet(50)...)
	before, evicted := metric(t, "gpucloud_cache_bytes"), metric(t, "gpucloud_cache_evictions_total")
	c := newCacheWith(t, p, limit)
	offered := 0.0
	for i := 0; offered < 4*limit; i++ {
		q := last(6*time.Hour, p.now())
		q.Expr = fmt.Sprint("up", i)
		_, _, err := ask(context.Background(), c, q)
		require.NoError(t, err)
		cached := metric(t, "gpucloud_cache_bytes") - before
		require.LessOrEqual(t, cached, 1.1*limit)
		if i == 0 {
			require.Greater(t, cached, 50*361*8.0)
		}
		offered += 50 * 361 * 8
	}
	require.Greater(t, metric(t, "gpucloud_cache_bytes")-before, 0.8*limit)
	require.Greater(t, metric(t, "gpucloud_cache_evictions_total"), evicted)
	c.Close()
	require.Equal(t, before, metric(t, "gpucloud_cache_bytes"), "a closed cache has no entries")
}

func TestMemory_LargeResultNotCached(t *testing.T) {
	p := newPlatform(fleet(50)...)
	c := newCacheWith(t, p, 256<<10)
	for range 2 {
		require.Equal(t, 361, query(t, c, p, last(6*time.Hour, p.now())).FetchedSteps)
	}
}

func TestMemory_ExtentIsTrimmed(t *testing.T) {
	p := newPlatform(fleet(5)...)
	before := metric(t, "gpucloud_cache_bytes")
	c := newCache(t, p)
	afterHours := func(hours int) float64 {
		for range hours * 60 {
			_, _, err := ask(context.Background(), c, last(time.Hour, p.now()))
			require.NoError(t, err)
			p.advance(minute)
		}
		return metric(t, "gpucloud_cache_bytes") - before
	}
	require.InEpsilon(t, afterHours(1), afterHours(9), 0.05)
}

// Results about the present, and lists, are deleted when they are of no use any more.
func TestMemory_ExpiredEntriesAreDeleted(t *testing.T) {
	p := newPlatform(fleet(50)...)
	before := metric(t, "gpucloud_cache_bytes")
	c := newCache(t, p)
	one := 0.0
	for i := range 60 {
		_, err := c.Evaluate(context.Background(), promql.New("up").At(p.now()))
		require.NoError(t, err)
		p.list = func() *promql.List { return &promql.List{Names: []string{strings.Repeat("a", 10_000)}} }
		_, err = c.List(context.Background(), promql.ListQuery{Label: fmt.Sprint("labels up to ", p.now())})
		require.NoError(t, err)
		if i == 0 {
			one = metric(t, "gpucloud_cache_bytes") - before
		}
		p.advance(minute)
	}
	require.LessOrEqual(t, metric(t, "gpucloud_cache_bytes")-before, 3*one)
}

// The estimate of the cache is at least the memory that it takes, and at most 1.3 times that. The memory of labels grows in
// leaps; it matters most where series have few samples.
func TestMemory_EstimateIsAccurate(t *testing.T) {
	for _, labels := range []int{3, 8, 9, 14, 15, 28, 29, 40} {
		for name, span := range map[string]time.Duration{"instant": 0, "11 samples": 10 * minute, "361 samples": 6 * time.Hour} {
			if span == 6*time.Hour && labels > 3 {
				continue // labels show where samples are few
			}
			t.Run(fmt.Sprint(labels, " labels, ", name), func(t *testing.T) {
				p := newPlatform()
				counted := metric(t, "gpucloud_cache_bytes")
				c := newCacheWith(t, p, 256<<20)
				heap := memorytest.Held()
				for i := range 15 {
					// Each response has labels of its own.
					p.series = withLabels(64, labels)
					q := last(span, p.now())
					q.Expr = fmt.Sprint("up", i)
					run(t, c, q)
				}
				p.series, p.requests = nil, nil
				used := float64(memorytest.Held() - heap)
				counted = metric(t, "gpucloud_cache_bytes") - counted
				require.InDelta(t, 1.15, counted/used, 0.15, "%.0f counted, %.0f used", counted, used)
				runtime.KeepAlive(c)
			})
		}
	}
}

// run runs a range query, or an instant query if the range has one step.
func run(t *testing.T, c *results.Cache, q rangeQuery) {
	t.Helper()
	if q.Start.Before(q.End) {
		_, _, err := ask(context.Background(), c, q)
		require.NoError(t, err)
		return
	}
	_, err := c.Evaluate(context.Background(), promql.New(q.Expr).At(q.End))
	require.NoError(t, err)
}

// withLabels are series with so many labels, whose strings they share, as in a decoded response.
func withLabels(n, labels int) []fakeSeries {
	var names []string
	for len(names) < labels-1 {
		names = append(names, fmt.Sprint("label_", len(names)))
	}
	var series []fakeSeries
	for i := range n {
		set := data.Labels{"UUID": fmt.Sprintf("GPU-%036d", i)}
		for _, name := range names {
			set[name] = "x"
		}
		series = append(series, minutes(set))
	}
	return series
}

func TestInstrumentation_Counters(t *testing.T) {
	p := newPlatform(up)
	c := newCache(t, p)
	requests := metric(t, "gpucloud_cache_requests_total")
	query(t, c, p, last(time.Hour, p.now()))
	query(t, c, p, last(time.Hour, p.now()))
	p.advance(minute)
	query(t, c, p, last(time.Hour, p.now()))
	require.Equal(t, requests+3, metric(t, "gpucloud_cache_requests_total"))
}
