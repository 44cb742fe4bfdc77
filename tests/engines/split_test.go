//go:build engines

package engines

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// longWindows are ranges of several days.
var longWindows = []window{
	{"82 hours at 2 hours", 82 * time.Hour, 2 * time.Hour, 0, 0},
	{"50 hours at 7 minutes", 50 * time.Hour, 7 * time.Minute, 0, 0},
	{"60 hours at 15 minutes, +05:30", 60 * time.Hour, 15 * time.Minute, 5*time.Hour + 30*time.Minute, 0},
	{"80 hours at 1 hour, +05:30", 80 * time.Hour, time.Hour, 5*time.Hour + 30*time.Minute, 0},
	{"72 hours at 5 hours", 72 * time.Hour, 5 * time.Hour, 0, 0},
}

// Ranges that are requested in parts have the result of one request, for all of PromQL in the first window. Errors are errors.
func TestSplit_SameResults(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		all := append(complianceExpressions(), expressions...)
		for _, w := range longWindows {
			t.Run(w.name, func(t *testing.T) {
				client, requests := newSplitter(t, e.address)
				for _, expr := range all {
					if e.name == victoriaName && (strings.Contains(expr, "[1m]") || strings.Contains(expr, "offset -")) {
						// A window with a sample or none, and what looks past the last samples: how far the engine extends either depends on the
						// samples of the whole range, or, from its own cache, of a part of it.
						continue
					}
					got, _, err := client.QueryRange(t.Context(), expr, w.times())
					want, _, refusal := e.api(t).QueryRange(t.Context(), expr, w.times())
					require.Equal(t, refusal == nil, err == nil, "%s: %v, and the engine's error is %v", expr, err, refusal)
					equal(t, e, floatsIn(want), floatsIn(got), "%s", expr)
				}
				if e.name == victoriaName && w.times().Start.Unix()%int64(w.step.Seconds()) != 0 {
					require.Len(t, all, int(requests.Load()), "the engine moves ranges off the multiples of the step")
					return
				}
				require.Greater(t, int(requests.Load()), 2*len(expressions), "ranges are split")
			})
			all = expressions
		}
	})
}

// newSplitter is a client through what splits ranges even if the engine is fast, and the number of its requests.
func newSplitter(t *testing.T, engine *url.URL) (promv1.API, *atomic.Int64) {
	t.Helper()
	requests, proxy := &atomic.Int64{}, httputil.NewSingleHostReverseProxy(engine)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	sender, err := transport.New(transport.Options{
		HTTP:    httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions},
		Service: transport.Service{Title: "The metrics endpoint"},
	})
	require.NoError(t, err)
	client := prom.New(prom.Config{
		Transport: sender, Base: base, MinStep: interval,
		Cache: prom.Cache{MaxBytes: 64 << 20, RecentWindow: 10 * time.Minute, SlowAfter: -1},
	})
	t.Cleanup(client.Close)
	return newAPI(t, api.Config{Address: "http://split.invalid", RoundTripper: ranges{client}}), requests
}

// ranges responds to requests of ranges.
type ranges struct{ *prom.Client }

// RoundTrip implements http.RoundTripper.
func (c ranges) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	result, err := c.QueryRange(r.Context(), r.Form)
	if err != nil {
		return nil, err
	}
	response := httptest.NewRecorder()
	err = result.Write(response)
	return response.Result(), err
}
