package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// BenchmarkAnnotations has fine-tuning annotations of 500 jobs with 6 checkpoints each over 30 days, first and repeated.
func BenchmarkAnnotations(b *testing.B) {
	p, address := simulated(b, platform.Config{ExtraJobs: 500})
	p.Inject(platform.Fault{Kind: platform.FaultDelay, Delay: latency})
	ask := func() backend.DataQuery {
		return saved(map[string]any{"queryType": "fineTuningAnnotations"}, time.Now().Add(-30*day), time.Now())
	}
	requests := func(b *testing.B) {
		b.ReportMetric(float64(p.Counters().Count(platform.ServiceTuning, "", -1))/float64(b.N), "requests/op")
		p.ResetCounters()
	}
	b.Run("first", func(b *testing.B) {
		defer requests(b)
		for b.Loop() {
			ds := newDatasource(b, address, nil)
			run(b, ds, ask())
			ds.Dispose()
		}
	})
	b.Run("repeated", func(b *testing.B) {
		ds := newDatasource(b, address, nil)
		defer ds.Dispose()
		run(b, ds, ask())
		p.ResetCounters()
		defer requests(b)
		for b.Loop() {
			run(b, ds, ask())
		}
	})
}

// BenchmarkList makes a frame of 10,000 items of the main API, with its signature. The goal is 30 ms.
func BenchmarkList(b *testing.B) {
	items := make([]map[string]any, 10_000)
	for i := range items {
		items[i] = map[string]any{"id": fmt.Sprintf("vm-%06d", i), "type": "h100.8x", "location": "us-east1-a", "gpus": 8, "running": i%2 == 0}
	}
	body, err := json.Marshal(map[string]any{"items": items})
	check(b, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	defer server.Close()
	ds := newDatasource(b, server.URL, nil)
	defer ds.Dispose()
	b.SetBytes(int64(len(body)))
	for n := 0; b.Loop(); n++ {
		// A parameter of its own for each, so that none is a cache hit.
		run(b, ds, saved(map[string]any{"queryType": "platform", "path": "/v1/vms",
			"params": []map[string]string{{"name": "n", "value": fmt.Sprint(n)}}}, past(), past()))
	}
}

// BenchmarkArchive has a panel of a year, of which the platform stores 30 days and an archive the rest: first, and a step later.
func BenchmarkArchive(b *testing.B) {
	_, address := simulated(b, platform.Config{Nodes: 1})
	archived := map[string]any{"archive": map[string]any{
		"url": address + "/v1/projects/" + platform.DefaultProjectID + "/metrics/timeseries", "retention": "30d",
	}}
	const step = 9 * time.Hour
	for _, which := range []string{"first", "refresh"} {
		b.Run(which, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				ds := newDatasource(b, address, archived)
				to := past()
				if which == "refresh" {
					run(b, ds, panel("vector(1)", to.Add(-step), 365*day, step))
				}
				b.StartTimer()
				run(b, ds, panel("vector(1)", to, 365*day, step))
				b.StopTimer()
				ds.Dispose()
				b.StartTimer()
			}
		})
	}
}

// BenchmarkFederate scrapes all GPU metrics of 10,000 GPUs. The goal is 10 s for 300,000 samples.
func BenchmarkFederate(b *testing.B) {
	_, address := simulated(b, platform.Config{Nodes: 1250})
	ds := newDatasource(b, address, nil)
	defer ds.Dispose()
	var bytes int64
	for b.Loop() {
		bytes = 0
		err := ds.CallResource(context.Background(), &backend.CallResourceRequest{
			Method: http.MethodGet, Path: "federate", URL: "federate?match[]=" + url.QueryEscape(`{__name__=~"DCGM_FI_DEV_.+"}`),
		}, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
			if r.Status != 0 && r.Status != http.StatusOK {
				b.Fatalf("%d: %.300s", r.Status, r.Body)
			}
			bytes += int64(len(r.Body))
			return nil
		}))
		check(b, err)
	}
	b.SetBytes(bytes)
}
