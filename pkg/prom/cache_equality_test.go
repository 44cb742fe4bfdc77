package prom_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	simulated "github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// expressions cover PromQL: selectors, range vectors, offsets, subqueries, aggregations, gaps, series that appear and
// disappear, computed names and labels, infos of the engine, errors, and expressions that can't be cached.
var expressions = []string{
	`DCGM_FI_DEV_GPU_UTIL`,
	`DCGM_FI_DEV_GPU_UTIL > 60`,
	`sum by (vm_name) (DCGM_FI_DEV_POWER_USAGE)`,
	`avg(DCGM_FI_DEV_GPU_TEMP) by (gpu)`,
	`stddev(DCGM_FI_DEV_GPU_UTIL)`,
	`topk(1, DCGM_FI_DEV_GPU_UTIL)`,
	`topk(2, vendor_vm_memory_total_bytes)`,
	`bottomk by (gpu) (1, DCGM_FI_DEV_SM_CLOCK)`,
	`quantile(0.9, DCGM_FI_DEV_GPU_UTIL)`,
	`count_values("degrees", round(DCGM_FI_DEV_GPU_TEMP, 10))`,
	`rate(vendor_vm_network_receive_bytes_total[5m])`,
	`sum(rate(vendor_vm_network_receive_bytes_total[2m])) by (vm_name)`,
	`increase(vendor_vm_cpu_seconds_total[1h])`,
	`irate(vendor_vm_cpu_seconds_total{mode="idle"}[10m])`,
	`avg_over_time(DCGM_FI_DEV_GPU_UTIL[30m])`,
	`max_over_time(DCGM_FI_DEV_GPU_UTIL[10m:1m])`,
	`max_over_time(rate(vendor_vm_disk_read_bytes_total[5m])[15m:])`,
	`quantile_over_time(0.5, DCGM_FI_DEV_GPU_UTIL[20m])`,
	`predict_linear(DCGM_FI_DEV_GPU_TEMP[15m], 600)`,
	`deriv(DCGM_FI_DEV_GPU_TEMP[5m] offset 3m)`,
	`changes(training_loss[10m])`,
	`training_loss`,
	`sum by (pod_name) (training_loss)`,
	`count(training_loss)`,
	`last_over_time(training_loss[1h])`,
	`absent(training_loss)`,
	`absent_over_time(training_loss{pod_name="nobody"}[5m])`,
	`DCGM_FI_DEV_GPU_UTIL offset 1h`,
	`DCGM_FI_DEV_GPU_UTIL - DCGM_FI_DEV_GPU_UTIL offset 1d`,
	`sum_over_time(DCGM_FI_DEV_GPU_UTIL[1d:1h]) / 24`,
	`vendor_ib_port_throughput_tx`,
	`rate(vendor_ib_port_packets_tx[15m])`,
	`histogram_quantile(0.9, sum by (le) (rate(vendor_vm_disk_read_latency_seconds_bucket[5m])))`,
	`label_replace(DCGM_FI_DEV_GPU_UTIL, "where", "$1", "vm_name", "(.*)-.*")`,
	`timestamp(DCGM_FI_DEV_GPU_UTIL)`,
	`vector(time())`,
	`hour()`,
	`42`,
	`scalar(sum(DCGM_FI_DEV_GPU_UTIL)) + vector(1)`,
	`DCGM_FI_DEV_GPU_UTIL{gpu="0"} or DCGM_FI_DEV_GPU_TEMP{gpu="1"} or training_loss`,
	`DCGM_FI_DEV_GPU_UTIL unless DCGM_FI_DEV_GPU_UTIL > 50`,
	`{__name__=~"DCGM_FI_DEV_GPU_(UTIL|TEMP)", gpu="0"}`,
	`nothing_of_that_name`,
	`sort_desc(DCGM_FI_DEV_GPU_UTIL)`,
	`rate(DCGM_FI_DEV_GPU_UTIL[5m])`,
	`rate(training_loss[5m])`,
	`sum(increase(training_loss[10m])) or sum(rate(DCGM_FI_DEV_GPU_TEMP[5m] offset 1h))`,
	`rate({__name__=~"DCGM_FI_DEV_GPU_(UTIL|TEMP)|training_loss", pod_name!="nobody"}[5m])`,
	`DCGM_FI_DEV_GPU_UTIL @ end()`,
	`DCGM_FI_DEV_GPU_UTIL - DCGM_FI_DEV_GPU_UTIL @ start()`,
	`max_over_time(DCGM_FI_DEV_GPU_UTIL[10m:1m] @ end())`,
	`DCGM_FI_DEV_GPU_UTIL @ 1748850000`,
	`DCGM_FI_DEV_GPU_UTIL offset -15m`,
	`avg_over_time(DCGM_FI_DEV_GPU_UTIL[5m:] offset -10m)`,
	`sum(`,
	`sum(DCGM_FI_DEV_GPU_UTIL) + on (gpu) DCGM_FI_DEV_GPU_UTIL`,
}

// session is a sequence of queries of one cache, between which time passes.
type session struct {
	*rapid.T
	clock             *clock
	cached, reference *prom.Client
}

// The number of queries of a session: with regular samples, and with others.
const regular, shorter = 55, 15

// 20 sessions are 2,000 queries in all. A change of the cache that these may miss, the tests of its package notice. Each night has 100.
var _ = flag.Set("rapid.checks", cmp.Or(os.Getenv("RAPID_CHECKS"), "20"))

// TestCacheEquality compares each result with that of a client without a cache at the time Origin.AsOf. At least one in ten
// samples is late.
func TestCacheEquality(t *testing.T) {
	// The clients hold little, so the collector would run all the time.
	percent := debug.SetGCPercent(800)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	irregular := simulated.Collection{Jitter: 15 * time.Second, Missed: 0.02, Restarts: 90 * time.Minute}
	for name, test := range map[string]struct {
		config  platform.Config
		cache   prom.Cache
		queries int
	}{
		"samples on the whole minute":              {platform.Config{}, cached, regular},
		"samples off it, missed scrapes, restarts": {platform.Config{Collection: irregular}, cached, shorter},
		"only what the specification documents":    {platform.Config{Collection: irregular, SpecOnly: true}, cached, shorter},
		"long ranges in parts":                     {platform.Config{Collection: irregular}, splitting, shorter},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config.Nodes, test.config.GPUsPerNode, test.config.Late = 2, 2, 9*time.Minute
			compareSessions(t, test.config, test.cache, test.queries)
		})
	}
}

// compareSessions runs sessions of so many queries on a platform.
func compareSessions(t *testing.T, platformConfig platform.Config, cache prom.Cache, queries int) {
	clock := newClock()
	base := newPlatform(t, clock, platformConfig)
	config := prom.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now}
	reference := prom.New(config)
	config.Cache = cache
	rapid.Check(t, func(t *rapid.T) {
		clock.set(noon.Add(time.Duration(rapid.IntRange(0, 7200).Draw(t, "start")) * time.Second))
		s := &session{T: t, clock: clock, cached: prom.New(config), reference: reference}
		// A few expressions, so that each is queried often.
		exprs := rapid.SliceOfN(rapid.SampledFrom(expressions), 4, 4).Draw(t, "expressions")
		steps := rapid.SliceOfN(rapid.SampledFrom([]time.Duration{15 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 30 * time.Minute, 6 * time.Hour}), 2, 2).Draw(t, "steps")
		for range queries {
			s.pass()
			s.compare(rapid.SampledFrom(exprs).Draw(t, "expression"), rapid.SampledFrom(steps).Draw(t, "step"))
		}
	})
}

// pass moves the clock forward, or sometimes back.
func (s *session) pass() {
	seconds := rapid.OneOf(
		rapid.Just(0), rapid.Just(10), rapid.IntRange(1, 60), rapid.IntRange(1, 60), rapid.IntRange(60, 1200), rapid.IntRange(-600, 7200),
	).Draw(s.T, "pass")
	s.clock.advance(time.Duration(seconds) * time.Second)
}

// compare runs a range query, or an instant query, with and without the cache.
func (s *session) compare(expr string, step time.Duration) {
	now := s.clock.now()
	points := rapid.OneOf(rapid.IntRange(1, 60), rapid.IntRange(10, 20)).Draw(s.T, "points")
	span := min(time.Duration(points)*step, 31*24*time.Hour)
	back := rapid.OneOf(rapid.Just(0), rapid.Just(0), rapid.IntRange(-2, 2), rapid.IntRange(0, 30)).Draw(s.T, "back")
	to := now.Add(-time.Duration(back) * step)
	// Sometimes at the end of the retention.
	if rapid.IntRange(0, 9).Draw(s.T, "oldest") == 0 {
		to = now.Add(span/2 - 30*24*time.Hour)
	}
	q := saved{"expr": expr, "range": true, "interval": fmt.Sprint(int(step.Seconds()))}
	if rapid.IntRange(0, 9).Draw(s.T, "instant") == 0 {
		q, to = saved{"expr": expr, "instant": true}, now
	}
	if rapid.IntRange(0, 4).Draw(s.T, "zone") == 0 {
		q["utcOffsetSec"] = 5400
	}
	got, err := s.cached.QueryData(context.Background(), dataQuery(s.T, q, to, span), true)
	asOf := now
	if err == nil {
		asOf = time.UnixMilli(got[0].Meta.Custom.(prom.Custom).Cache.AsOf)
		if q["instant"] == true {
			to = asOf
		}
	}
	s.clock.set(asOf)
	want, wantErr := s.reference.QueryData(context.Background(), dataQuery(s.T, q, to, span), true)
	s.clock.set(now)
	require.Equal(s.T, wantErr, err)
	if q["instant"] == true {
		// A result of the same minute has the time of this query.
		for _, frame := range slices.DeleteFunc(slices.Clone(want), func(frame *data.Frame) bool { return len(frame.Fields) == 0 }) {
			times := frame.Fields[0]
			frame.Fields[0] = data.NewField(times.Name, times.Labels, slices.Repeat([]time.Time{now.UTC()}, times.Len())).SetConfig(times.Config)
			for i := range times.Len() {
				require.Equal(s.T, asOf.UTC(), times.At(i))
			}
		}
		// The order of the series of an instant query varies.
		slices.SortFunc(want, byLabels)
		slices.SortFunc(got, byLabels)
	}
	if q["range"] == true {
		dropInfosOfOtherSteps(withoutCounts(want), withoutCounts(got))
	}
	requireSameFrames(s.T, want, got)
}

// withoutCounts cuts what an info says of the steps of its response: a part of a range has others, and Prometheus doubles the count with each.
func withoutCounts(frames data.Frames) data.Frames {
	for _, frame := range frames {
		for i, notice := range frame.Meta.Notices {
			frame.Meta.Notices[i].Text, _, _ = strings.Cut(notice.Text, " from buckets ")
		}
		frame.Meta.Notices = slices.Compact(frame.Meta.Notices)
	}
	return frames
}

// dropInfosOfOtherSteps removes the infos of a range that the uncached one is without. A response can have more steps than the
// range, also if it was requested for it, to fill a gap of the cache; which of them are the cause of an info is not known.
func dropInfosOfOtherSteps(want, got data.Frames) {
	for i := range min(len(want), len(got)) {
		got[i].Meta.Notices = slices.DeleteFunc(got[i].Meta.Notices, func(notice data.Notice) bool {
			return notice.Severity == data.NoticeSeverityInfo && !slices.Contains(want[i].Meta.Notices, notice)
		})
	}
}

// requireSameFrames compares notices, labels, fields and samples, to the bit.
func requireSameFrames(t require.TestingT, want, got data.Frames) {
	require.Equal(t, labelsOf(want), labelsOf(got))
	for i := range want {
		require.ElementsMatch(t, want[i].Meta.Notices, got[i].Meta.Notices)
		require.Len(t, got[i].Fields, len(want[i].Fields))
		for j, field := range want[i].Fields {
			require.Equal(t, field.Name, got[i].Fields[j].Name)
			require.Equal(t, field.Labels, got[i].Fields[j].Labels, "series %d", i)
			require.Equal(t, field.Config, got[i].Fields[j].Config)
			require.Equal(t, field.Len(), got[i].Fields[j].Len(), "samples of series %d, %v", i, field.Labels)
			for k := range field.Len() {
				// Most are equal, and require takes its time to find that.
				if wanted, is := bits(field.At(k)), bits(got[i].Fields[j].At(k)); wanted != is {
					require.Equal(t, wanted, is, "sample %d of %v", k, field.Labels)
				}
			}
		}
	}
}

func byLabels(a, b *data.Frame) int {
	return cmp.Compare(fmt.Sprint(labelsOf(data.Frames{a})), fmt.Sprint(labelsOf(data.Frames{b})))
}

// labelsOf are the labels of each series.
func labelsOf(frames data.Frames) []string {
	var series []string
	for _, frame := range frames {
		for _, field := range frame.Fields {
			if field.Labels != nil {
				series = append(series, field.Labels.String())
			}
		}
	}
	return series
}

// bits makes NaN comparable.
func bits(value any) any {
	if number, ok := value.(float64); ok {
		return math.Float64bits(number)
	}
	return value
}
