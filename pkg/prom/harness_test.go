package prom_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const day = 24 * time.Hour

// noon is when clocks start: a multiple of all steps in the tests.
var noon = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// clock is a manual clock. It is safe for concurrent use.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.set(noon)
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.ms.Load()).UTC() }
func (c *clock) set(t time.Time)         { c.ms.Store(t.UnixMilli()) }
func (c *clock) advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// newPlatform runs the simulator on a clock, and returns the address of its metrics endpoint. It doesn't compress: that takes a fifth
// of the time of many small responses, and package transport tests it.
func newPlatform(t testing.TB, clock *clock, config platform.Config) *url.URL {
	t.Helper()
	config.Now = clock.now
	p := platform.New(config)
	uncompressed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		p.ServeHTTP(w, r)
	})
	return serve(t, uncompressed).JoinPath(p.MetricsPath())
}

func serve(t testing.TB, handler http.Handler) *url.URL {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	return address
}

// newTransport makes an HTTP client for a platform.
func newTransport(t testing.TB) *transport.Client { return newTransportOf(t, "The metrics endpoint") }

func newTransportOf(t testing.TB, title string) *transport.Client {
	t.Helper()
	client, err := transport.New(transport.Options{
		HTTP:      httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions},
		Service:   transport.Service{Title: title, Credential: "monitoring token"},
		Authorize: transport.Bearer(platform.DefaultMonitoringToken),
	})
	require.NoError(t, err)
	return client
}

// cached is the default configuration of the cache.
var cached = prom.Cache{MaxBytes: 64 << 20, RecentWindow: 10 * time.Minute}

// splitting is a cache that splits ranges even if the platform is fast.
var splitting = prom.Cache{MaxBytes: 64 << 20, RecentWindow: 10 * time.Minute, SlowAfter: -1}

// saved is a query as Grafana saves it.
type saved = map[string]any

// dataQuery is a saved query as Grafana sends it, for a range that ends at to.
func dataQuery(t require.TestingT, q saved, to time.Time, span time.Duration) backend.DataQuery {
	encoded, err := json.Marshal(q)
	require.NoError(t, err)
	return backend.DataQuery{
		RefID: "A", JSON: encoded, MaxDataPoints: 11000, Interval: time.Minute,
		TimeRange: backend.TimeRange{From: to.Add(-span), To: to},
	}
}
