package dashboards_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

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
	jsonData["customQueryParameters"] = "nocache=1"
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
				for _, p := range d.charts() {
					before := processorTime(b, engine)
					expectFewSeries(b, d, p, g.show(b, d, p, vars))
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
