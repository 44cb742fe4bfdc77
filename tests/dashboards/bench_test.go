package dashboards_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
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

// BenchmarkPanels opens each panel over a day on an engine that has samples, at the address ENGINE and the time ENGINE_TIME, one at a time,
// with nothing cached, and logs the processor time that the engine takes for each.
func BenchmarkPanels(b *testing.B) {
	engine, err := url.Parse(os.Getenv("ENGINE"))
	if err != nil || engine.Host == "" {
		b.Skip("ENGINE is no address")
	}
	server := httptest.NewServer(platform.New(platform.Config{}))
	b.Cleanup(server.Close)
	jsonData, secrets := datasource.Settings(server.URL)
	jsonData["metricsUrl"], jsonData["cache"], jsonData["timeout"] = engine.String(), map[string]any{"enabled": false}, 300
	g := grafana{plugin: datasource.New(b, jsonData, secrets)}
	if g.now, err = time.Parse(time.RFC3339, os.Getenv("ENGINE_TIME")); err != nil {
		b.Fatal(err)
	}
	for _, d := range load(b) {
		d.Time.From = "now-24h"
		b.Run(d.Title, func(b *testing.B) {
			for b.Loop() {
				before := processorTime(b, engine)
				vars := g.fill(b, d)
				b.Logf("variables: %s", processorTime(b, engine)-before)
				for _, p := range d.queriedCharts() {
					before := processorTime(b, engine)
					g.show(b, d, p, vars)
					b.Logf("%s: %s", p.Title, processorTime(b, engine)-before)
				}
			}
		})
	}
}

var processSeconds = regexp.MustCompile(`(?m)^process_cpu_seconds_total (\S+)$`)

// processorTime is what the engine says that it took since its start.
func processorTime(b *testing.B, engine *url.URL) time.Duration {
	b.Helper()
	response, err := http.Get(engine.JoinPath("/metrics").String())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	seconds, err := strconv.ParseFloat(string(processSeconds.FindSubmatch(body)[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(seconds * float64(time.Second))
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
