package dashboards_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// BenchmarkOpening10000GPUs opens each dashboard on a platform of 10,000 GPUs, variables first, then all panels at the
// same time, as a browser does. The platform computes its samples in the same process: its time is part of the figure.
// It fails if a query does, and names the slowest panels.
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
				opened := open(b, g, d, vars)
				b.ReportMetric(time.Since(start).Seconds(), "s/all")
				b.StopTimer()
				opened.report(b)
				b.StartTimer()
			}
		})
	}
}

// opening is the result of opening a dashboard.
type opening struct {
	mu     sync.Mutex
	panels []got
}

type got struct {
	title     string
	took      time.Duration
	responses backend.Responses
}

// open runs the queries of all panels concurrently.
func open(b *testing.B, g grafana, d dashboard, vars values) *opening {
	b.Helper()
	var o opening
	var panels sync.WaitGroup
	for _, p := range d.queriedCharts() {
		panels.Go(func() {
			start := time.Now()
			responses := g.show(b, d, p, vars)
			o.mu.Lock()
			defer o.mu.Unlock()
			o.panels = append(o.panels, got{p.Title, time.Since(start), responses})
		})
	}
	panels.Wait()
	return &o
}

// report fails on errors, and logs the panels that took longest.
func (o *opening) report(b *testing.B) {
	b.Helper()
	var slowest []string
	slices.SortFunc(o.panels, func(x, y got) int { return cmp.Compare(y.took, x.took) })
	for i, p := range o.panels {
		for refID, response := range p.responses {
			if response.Error != nil {
				b.Errorf("%s, query %s: %v", p.title, refID, response.Error)
			}
		}
		if i < 10 {
			slowest = append(slowest, fmt.Sprintf("%s %.2f s", p.title, p.took.Seconds()))
		}
	}
	b.Log(strings.Join(slowest, ", "))
}
