package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// shape is a kind of result that dashboards query.
type shape struct {
	name string
	// nodes is how many nodes the platform has, with 8 GPUs each.
	nodes  int
	span   time.Duration
	step   time.Duration
	expr   string
	series int
}

// shapes are few long series, a usual panel, and many short ones.
var shapes = []shape{
	{"30 d × 64 series at 30 min", 8, 30 * 24 * time.Hour, 30 * time.Minute, "DCGM_FI_DEV_GPU_UTIL", 64},
	{"6 h × 64 series at 60 s", 8, 6 * time.Hour, time.Minute, "DCGM_FI_DEV_GPU_UTIL", 64},
	{"2 h × 2048 series at 60 s", 256, 2 * time.Hour, time.Minute, "DCGM_FI_DEV_GPU_UTIL", 2048},
}

// now is when the simulated platform begins or stands still, so that every run reads the same samples.
var now = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// simulate runs a platform large enough for the shape, without latency.
func (s shape) simulate() (address string, stop func()) {
	server := httptest.NewServer(platform.New(platform.Config{Nodes: s.nodes, Now: func() time.Time { return now }}))
	return server.URL, server.Close
}

// query is the shape's query as Grafana hands it to the plugin.
func (s shape) query() backend.DataQuery { return panelQuery(s.expr, now.Add(-s.span), now, s.step) }

// request is the request that the plugin sends for a shape.
func (s shape) request(address string) *http.Request {
	params := url.Values{
		"query": {s.expr}, "step": {fmt.Sprintf("%ds", int(s.step.Seconds()))},
		"start": {now.Add(-s.span).Format(time.RFC3339)}, "end": {now.Format(time.RFC3339)},
	}
	req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet,
		address+"/v1/projects/"+platform.DefaultProjectID+"/metrics/timeseries/api/v1/query_range?"+params.Encode(), nil)
	req.Header.Set("Authorization", "Bearer "+platform.DefaultMonitoringToken)
	return req
}

// direct sends requests without the plugin; it accepts gzip by itself.
var direct = &http.Client{Timeout: time.Minute}

// fetch reads a whole response, left packed or not.
func fetch(req *http.Request, packed bool) ([]byte, error) {
	if packed {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	resp, err := direct.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the platform responded with %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// recording is a response of the platform, as it was sent and decompressed.
type recording struct{ packed, plain []byte }

func (s shape) record() (*recording, error) {
	address, stop := s.simulate()
	defer stop()
	packed, err := fetch(s.request(address), true)
	if err != nil {
		return nil, err
	}
	plain, err := fetch(s.request(address), false)
	if err != nil {
		return nil, err
	}
	if found := strings.Count(string(plain), `"metric"`); found != s.series {
		return nil, fmt.Errorf("%s: %d series instead of %d", s.name, found, s.series)
	}
	return &recording{packed, plain}, nil
}
