package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const (
	// cacheLimit is the plugin's default.
	cacheLimit   = 64 << 20
	recentWindow = 10 * time.Minute
	// concurrentRequests is the plugin's default.
	concurrentRequests = 32
	gpusPerNode        = 8
)

// testbed is a simulated platform and clients of its metrics, all of which live by the same clock.
type testbed struct {
	*platform.Platform
	server *httptest.Server
	now    atomic.Int64 // Unix milliseconds; 0 for the real clock
	steps  atomic.Int64 // of all range queries to the platform
	// perDay is what each day of a range adds to the latency.
	perDay time.Duration
}

// newTestbed sets the clock to now and starts the platform.
func newTestbed(series int, latency time.Duration) *testbed {
	return startTestbed(now.UnixMilli(), series, latency)
}

// newLiveTestbed starts a platform that lives by the real clock, as Grafana and browsers do.
func newLiveTestbed(series int, latency time.Duration) *testbed {
	return startTestbed(0, series, latency)
}

func startTestbed(clock int64, series int, latency time.Duration) *testbed {
	s := &testbed{}
	s.now.Store(clock)
	s.Platform = platform.New(platform.Config{
		Nodes: (series + gpusPerNode - 1) / gpusPerNode, GPUsPerNode: min(series, gpusPerNode), Latency: latency, Now: s.clock,
	})
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		span, steps := rangeOf(r.URL.Query())
		s.steps.Add(steps)
		time.Sleep(time.Duration(float64(s.perDay) * float64(span) / float64(day)))
		s.ServeHTTP(w, r)
	}))
	return s
}

func (s *testbed) clock() time.Time {
	if now := s.now.Load(); now != 0 {
		return time.UnixMilli(now).UTC()
	}
	return time.Now().UTC()
}

// pass lets time go by.
func (s *testbed) pass(d time.Duration) { s.now.Add(d.Milliseconds()) }

func (s *testbed) close() { s.server.Close() }

// requests is the number of requests to the platform's metrics.
func (s *testbed) requests() int { return s.Counters().Count(platform.ServiceMetrics, "", -1) }

// rangeOf is how long a range query is, and how many steps it has; 0 for anything else.
func rangeOf(params url.Values) (time.Duration, int64) {
	start, err := time.Parse(time.RFC3339, params.Get("start"))
	if err != nil {
		return 0, 0
	}
	end, err := time.Parse(time.RFC3339, params.Get("end"))
	if err != nil {
		return 0, 0
	}
	step, err := time.ParseDuration(params.Get("step"))
	if err != nil || step <= 0 {
		return 0, 0
	}
	return end.Sub(start), int64(end.Sub(start)/step) + 1
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
		Cache: promclient.Cache{MaxBytes: cacheBytes, RecentWindow: recentWindow, PartSlots: concurrentRequests / 2},
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

func newTransport() (*transport.Client, error) {
	return transport.New(transport.Options{
		HTTP:             httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions},
		Service:          transport.Service{Name: "metrics", Title: "The metrics endpoint", Credential: "monitoring token", Section: "Metrics"},
		Authorize:        transport.Bearer(platform.DefaultMonitoringToken),
		MaxResponseBytes: 256 << 20,
		MaxConcurrent:    concurrentRequests,
	})
}
