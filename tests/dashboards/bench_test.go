package dashboards_test

import (
	"sync"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// BenchmarkOpening10000GPUs opens each dashboard on a platform of 10,000 GPUs, variables first, then all panels at the
// same time, as a browser does. The platform computes its samples in the same process: its time is part of the figure.
func BenchmarkOpening10000GPUs(b *testing.B) {
	for _, d := range load(b) {
		b.Run(d.Title, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				g := newGrafana(b, platform.Config{Nodes: 1250, GPUsPerNode: 8})
				b.StartTimer()
				start := time.Now()
				vars := g.fill(b, d)
				b.ReportMetric(time.Since(start).Seconds(), "s/variables")
				var panels sync.WaitGroup
				for _, p := range d.charts() {
					for _, shown := range repeated(p, vars) {
						panels.Go(func() { g.show(b, d, p, shown) })
					}
				}
				panels.Wait()
				b.ReportMetric(time.Since(start).Seconds(), "s/all")
			}
		})
	}
}
