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

const allSeries = "*"

// listed are the values of a label in the time before the last samples; "" stands for the names of labels, and allSeries for series.
func listed(t *testing.T, a promv1.API, label, match string) (found any) {
	t.Helper()
	var err error
	switch start := samples.to.Add(-45 * time.Minute); label {
	case "":
		found, _, err = a.LabelNames(t.Context(), []string{match}, start, samples.to)
	case allSeries:
		found, _, err = a.Series(t.Context(), []string{match}, start, samples.to)
	default:
		found, _, err = a.LabelValues(t.Context(), label, []string{match}, start, samples.to)
	}
	require.NoError(t, err)
	return found
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
		for _, l := range [][2]string{
			{"__name__", `{__name__=~"gpu.*|room.*|requests.*"}`}, {"room", `room_temp`}, {"instance", `gpu_util`}, {allSeries, `room_temp`}, {"", `gpu_util`},
		} {
			require.ElementsMatch(t, listed(t, e.api(t), l[0], l[1]), listed(t, ds, l[0], l[1]), l)
		}
	})
}
