package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

const (
	day = 24 * time.Hour
	// latency is what each response of the platform takes at least, where a benchmark is about waiting.
	latency     = 50 * time.Millisecond
	utilization = "DCGM_FI_DEV_GPU_UTIL"
)

func TestMain(m *testing.M) {
	log.DefaultLogger = log.NewNullLogger() // the plugin's, which logs every query
	os.Exit(m.Run())
}

// past is a time whose samples don't change any more, a multiple of every step. Panels that end later go on from it.
func past() time.Time { return time.Now().UTC().Truncate(day).Add(-day) }

// simulated is a simulated platform and its address.
func simulated(b *testing.B, config platform.Config) (*platform.Platform, string) {
	b.Helper()
	p := platform.New(config)
	server := httptest.NewServer(p)
	b.Cleanup(server.Close)
	return p, server.URL
}

// newDatasource is a data source of all three services of a platform, with changes of its settings.
func newDatasource(b *testing.B, address string, changes map[string]any) *plugin.Datasource {
	b.Helper()
	settings, secrets := datasource.Settings(address)
	maps.Copy(settings, changes)
	return datasource.New(b, settings, secrets)
}

// uncached are settings without the cache of ranges.
var uncached = map[string]any{"cache": map[string]any{"enabled": false}}

// saved is a query as Grafana passes a saved one to the plugin.
func saved(query map[string]any, from, to time.Time) backend.DataQuery {
	encoded, _ := json.Marshal(query)
	return backend.DataQuery{
		RefID: "A", JSON: encoded, Interval: time.Minute, MaxDataPoints: 1000, TimeRange: backend.TimeRange{From: from, To: to},
	}
}

// panel is a range query as the front end sends it: with packed frames.
func panel(expr string, to time.Time, span, step time.Duration) backend.DataQuery {
	q := saved(map[string]any{"expr": expr, "range": true, "interval": fmt.Sprint(int(step.Seconds()), "s"), "packed": true}, to.Add(-span), to)
	q.Interval, q.MaxDataPoints = step, int64(span/step)+1
	return q
}

// run sends a query through the plugin, and marshals the frames as it passes them to Grafana.
func run(b *testing.B, ds *plugin.Datasource, q backend.DataQuery) data.Frames {
	b.Helper()
	response, err := ds.QueryData(context.Background(), &backend.QueryDataRequest{Queries: []backend.DataQuery{q}})
	check(b, err)
	got := response.Responses[q.RefID]
	check(b, got.Error)
	_, err = got.Frames.MarshalArrow()
	check(b, err)
	return got.Frames
}

// fetch reads a response of the platform's metrics without the plugin.
func fetch(b *testing.B, address, pathAndQuery string) int64 {
	b.Helper()
	path := address + "/v1/projects/" + platform.DefaultProjectID + "/metrics/timeseries" + pathAndQuery
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, path, nil)
	check(b, err)
	req.Header.Set("Authorization", "Bearer "+platform.DefaultMonitoringToken)
	resp, err := http.DefaultClient.Do(req)
	check(b, err)
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		b.Fatal(resp.Status)
	}
	read, err := io.Copy(io.Discard, resp.Body)
	check(b, err)
	return read
}

// heap is what is in use after a collection. Pools take two to be emptied.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
