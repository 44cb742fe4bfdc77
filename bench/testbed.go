package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const (
	// cacheLimit is the plugin's default.
	cacheLimit   = 64 << 20
	recentWindow = 10 * time.Minute
	gpusPerNode  = 8
)

// testbed is a simulated platform and clients of its metrics, all of which live by the same clock.
type testbed struct {
	*platform.Platform
	server *httptest.Server
	now    atomic.Int64 // Unix milliseconds
	steps  atomic.Int64 // of all range queries to the platform
}

// newTestbed sets the clock to now and starts the platform.
func newTestbed(series int, latency time.Duration) *testbed {
	s := &testbed{}
	s.now.Store(now.UnixMilli())
	s.Platform = platform.New(platform.Config{
		Nodes: (series + gpusPerNode - 1) / gpusPerNode, GPUsPerNode: min(series, gpusPerNode), Latency: latency, Now: s.clock,
	})
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.steps.Add(stepsOf(r.URL.Query()))
		s.ServeHTTP(w, r)
	}))
	return s
}

func (s *testbed) clock() time.Time { return time.UnixMilli(s.now.Load()).UTC() }

// pass lets time go by.
func (s *testbed) pass(d time.Duration) { s.now.Add(d.Milliseconds()) }

func (s *testbed) close() { s.server.Close() }

// requests is the number of requests to the platform's metrics.
func (s *testbed) requests() int { return s.Counters().Count(platform.ServiceMetrics, "", -1) }

// stepsOf is how many steps a range query has, 0 for anything else.
func stepsOf(params url.Values) int64 {
	start, err := time.Parse(time.RFC3339, params.Get("start"))
	if err != nil {
		return 0
	}
	end, err := time.Parse(time.RFC3339, params.Get("end"))
	if err != nil {
		return 0
	}
	step, err := time.ParseDuration(params.Get("step"))
	if err != nil || step <= 0 {
		return 0
	}
	return int64(end.Sub(start)/step) + 1
}

// client is a client of the platform's metrics with a cache of so many bytes, 0 for none.
func (s *testbed) client(cacheBytes int) (*promclient.Client, error) {
	sender, err := newTransport()
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(s.server.URL + s.MetricsPath())
	if err != nil {
		return nil, err
	}
	return promclient.New(promclient.Config{
		Transport: sender, Base: base, Method: http.MethodGet, Now: s.clock,
		Cache: promclient.Cache{MaxBytes: cacheBytes, RecentWindow: recentWindow},
	}), nil
}

// panel is a query whose range ends now.
func (s *testbed) panel(expr string, span, step time.Duration) backend.DataQuery {
	end := s.clock()
	return rangeQuery(expr, end.Add(-span), end, step)
}

// query runs a query up to the marshaled frames.
func query(client *promclient.Client, q backend.DataQuery) error {
	_, err := framesOf(client, q)
	return err
}

func framesOf(client *promclient.Client, q backend.DataQuery) (data.Frames, error) {
	frames, err := client.QueryData(context.Background(), q, false)
	if err != nil {
		return nil, err
	}
	_, err = frames.MarshalArrow()
	return frames, err
}
