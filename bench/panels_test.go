package bench

import (
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// wallPanels are the queries of a dashboard on GPUs: a few with a series for each GPU, most with one for each node.
var wallPanels = []string{
	utilization,
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

// BenchmarkOverhead has a query through the plugin without its cache, and the same request without the plugin. The goal is
// 1.3 times as long.
func BenchmarkOverhead(b *testing.B) {
	for _, shape := range []struct {
		name       string
		nodes      int
		span, step time.Duration
	}{
		{"30d of 64 series", 8, 30 * day, 30 * time.Minute},
		{"6h of 64 series", 8, 6 * time.Hour, time.Minute},
		{"2h of 2048 series", 256, 2 * time.Hour, time.Minute},
	} {
		_, address := simulated(b, platform.Config{Nodes: shape.nodes})
		to := past()
		b.Run(shape.name+"/direct", func(b *testing.B) {
			params := url.Values{
				"query": {utilization}, "step": {fmt.Sprint(int(shape.step.Seconds()), "s")},
				"start": {to.Add(-shape.span).Format(time.RFC3339)}, "end": {to.Format(time.RFC3339)},
			}
			for b.Loop() {
				b.SetBytes(fetch(b, address, "/api/v1/query_range?"+params.Encode()))
			}
		})
		b.Run(shape.name+"/plugin", func(b *testing.B) {
			ds := newDatasource(b, address, uncached)
			defer ds.Dispose()
			for b.Loop() {
				run(b, ds, panel(utilization, to, shape.span, shape.step))
			}
		})
	}
}

// BenchmarkWallDisplay has ten viewers of the same dashboard of 6 h at 1 min, refreshed every 10 s for two minutes, which has 3 steps.
// With the cache, the platform gets a request for each of 12 panels and steps.
func BenchmarkWallDisplay(b *testing.B) {
	const viewers, refreshes, pause = 10, 12, 10 * time.Second
	for name, settings := range map[string]map[string]any{"cached": nil, "uncached": uncached} {
		b.Run(name, func(b *testing.B) {
			var requests, bytes float64
			for b.Loop() {
				p, address := simulated(b, platform.Config{})
				p.Inject(platform.Fault{Kind: platform.FaultDelay, Delay: latency})
				ds := newDatasource(b, address, settings)
				for n := range refreshes {
					end := past().Add(time.Duration(n) * pause)
					together(viewers*len(wallPanels), func(i int) { run(b, ds, panel(wallPanels[i%len(wallPanels)], end, 6*time.Hour, time.Minute)) })
				}
				requests += float64(p.Counters().Count(platform.ServiceMetrics, "", -1))
				bytes += float64(p.Counters().BytesSent)
				ds.Dispose()
			}
			b.ReportMetric(requests/float64(b.N), "requests/op")
			b.ReportMetric(bytes/float64(b.N), "sent-B/op")
		})
	}
}

// together calls do with each number below n at once.
func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// BenchmarkRules has a thousand alert rules of 10 min at one instant, and again in the same minute. The goal is no error, and no
// request the second time.
func BenchmarkRules(b *testing.B) {
	const rules = 1000
	for b.Loop() {
		p, address := simulated(b, platform.Config{Nodes: 1})
		ds := newDatasource(b, address, nil)
		for _, most := range []int{rules, 0} {
			p.ResetCounters()
			together(rules, func(i int) { run(b, ds, panel(numbered(utilization, i), past(), 10*time.Minute, time.Minute)) })
			if n := p.Counters().Count(platform.ServiceMetrics, "", -1); n > most {
				b.Errorf("%d requests, at most %d", n, most)
			}
		}
		ds.Dispose()
	}
}

// numbered makes an expression different from others with the same result.
func numbered(expr string, n int) string { return fmt.Sprintf("%s # %d", expr, n) }

// BenchmarkRefresh opens a panel, and refreshes it a step later. The goals are 2 % of the samples of the first request, and the
// time of a month at most 1.5 times that of a week.
func BenchmarkRefresh(b *testing.B) {
	for _, test := range []struct {
		name       string
		nodes      int
		span, step time.Duration
	}{
		{"7d of 64 series", 8, 7 * day, 30 * time.Minute},
		{"30d of 64 series", 8, 30 * day, 30 * time.Minute},
		{"10m of 64 series", 8, 10 * time.Minute, time.Minute},
		{"10m of 4096 series", 512, 10 * time.Minute, time.Minute},
		{"10m of 80000 series", 10_000, 10 * time.Minute, time.Minute},
	} {
		for _, which := range []string{"first", "refresh"} {
			b.Run(test.name+"/"+which, func(b *testing.B) {
				p, address := simulated(b, platform.Config{Nodes: test.nodes})
				var bytes int64
				for b.Loop() {
					b.StopTimer()
					ds := newDatasource(b, address, map[string]any{"cache": map[string]any{"maxMegabytes": 256}})
					to := past()
					if which == "refresh" {
						run(b, ds, panel(utilization, to, test.span, test.step))
						to = to.Add(test.step)
					}
					p.ResetCounters()
					b.StartTimer()
					run(b, ds, panel(utilization, to, test.span, test.step))
					b.StopTimer()
					bytes += p.Counters().BytesSent
					ds.Dispose()
					b.StartTimer()
				}
				b.ReportMetric(float64(bytes)/float64(b.N), "sent-B/op")
			})
		}
	}
}

// BenchmarkCacheMemory offers a cache four times its limit. The goal is 1.1 times the limit.
func BenchmarkCacheMemory(b *testing.B) {
	const limit, offered = 16 << 20, 4
	longBytes := 64 * 8 * int(30*day/(30*time.Minute))
	_, address := simulated(b, platform.Config{})
	var kept float64
	for b.Loop() {
		ds := newDatasource(b, address, map[string]any{"cache": map[string]any{"maxMegabytes": limit >> 20}})
		for n := range offered * limit / longBytes {
			run(b, ds, panel(numbered(utilization, n), past(), 30*day, 30*time.Minute))
		}
		full := heap()
		ds.Dispose()
		kept += full - heap()
	}
	b.ReportMetric(kept/float64(b.N)/limit, "of-the-limit")
}

// BenchmarkMonth refreshes the wall display's panels every 20 minutes of four weeks. The goals are that neither the requests nor
// the memory of the last week are more than those of the second.
func BenchmarkMonth(b *testing.B) {
	const weeks, pause = 4, 20 * time.Minute
	for b.Loop() {
		p, address := simulated(b, platform.Config{Nodes: 1})
		ds := newDatasource(b, address, nil)
		at := past().Add(-weeks * 7 * day)
		var requests, memory [weeks]float64
		for week := range weeks {
			p.ResetCounters()
			for range 7 * day / pause {
				showWall(b, ds, at)
				at = at.Add(pause)
			}
			requests[week], memory[week] = float64(p.Counters().Count(platform.ServiceMetrics, "", -1)), heap()
		}
		ds.Dispose()
		b.ReportMetric(requests[weeks-1]/requests[1], "requests-of-week-2")
		b.ReportMetric(memory[weeks-1]/memory[1], "heap-of-week-2")
	}
}

func showWall(b *testing.B, ds *plugin.Datasource, at time.Time) {
	for _, expr := range wallPanels {
		run(b, ds, panel(expr, at, 6*time.Hour, time.Minute))
	}
}
