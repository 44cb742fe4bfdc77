//go:build engines

package engines

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"testing"
	"time"

	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/stretchr/testify/require"
)

// list is a list of what there is in the time before the last samples.
type list struct {
	// label is the one whose values are listed; "" stands for the names of labels, and allSeries for series.
	label, match string
	past         time.Duration
}

const allSeries = "*"

func (l list) of(t *testing.T, a promv1.API) any {
	t.Helper()
	var matches []string
	if l.match != "" {
		matches = []string{l.match}
	}
	var found any
	var err error
	switch start := samples.to.Add(-l.past); l.label {
	case "":
		found, _, err = a.LabelNames(t.Context(), matches, start, samples.to)
	case allSeries:
		found, _, err = a.Series(t.Context(), matches, start, samples.to)
	default:
		found, _, err = a.LabelValues(t.Context(), l.label, matches, start, samples.to)
	}
	require.NoError(t, err)
	return found
}

func TestLists(t *testing.T) {
	whole := samples.to.Sub(samples.from)
	onEach(t, func(t *testing.T, e *engine) {
		ds := apiOf(t, newDatasource(t, e.address, uncached))
		for _, l := range []list{
			{"", "", whole}, {"", `gpu_util`, whole}, {"", `{__name__=~"gpu_util|room_temp"}`, whole},
			{"__name__", "", whole}, {"instance", "", whole}, {"room", "", whole}, {"nothing_of_that_name", "", whole},
			{"instance", `requests_total`, whole}, {"job", `short_lived{job!="late"}`, whole},
			{allSeries, `gpu_util`, whole}, {allSeries, `room_temp`, whole}, {allSeries, `{instance="node-0:9400"}`, 30 * time.Minute},
		} {
			require.ElementsMatch(t, l.of(t, e.api(t)), l.of(t, ds), l)
		}
	})
}

// only is a proxy in front of an engine that has no other paths than these.
func only(t *testing.T, e *url.URL, paths ...string) *url.URL {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(e)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(paths, r.URL.Path) {
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	return address
}

// If the simulator serves the specification only, lists are derived by queries. They have to be equal to those of the
// engine's own endpoints for the last five minutes.
func TestLists_DerivedByQueries(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := apiOf(t, newDatasource(t, only(t, e.address, "/api/v1/query", "/api/v1/query_range"), uncached))
		for _, l := range []list{
			{"__name__", `{__name__=~"gpu.*|room.*|requests.*"}`, 45 * time.Minute}, {"room", `room_temp`, 45 * time.Minute},
			{"instance", `gpu_util`, 45 * time.Minute}, {allSeries, `room_temp`, 45 * time.Minute}, {"", `gpu_util`, 45 * time.Minute},
		} {
			require.ElementsMatch(t, l.of(t, e.api(t)), l.of(t, ds), l)
		}
	})
}
