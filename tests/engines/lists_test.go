//go:build engines

package engines

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// list is a response whose data are lists, members or texts.
type list struct {
	Status string `json:"status"`
	Data   any    `json:"data"`
}

func sortedData(t *testing.T, body []byte) any {
	t.Helper()
	var l list
	require.NoError(t, json.Unmarshal(body, &l), "%s", body)
	require.Equal(t, "success", l.Status, "%s", body)
	items, ok := l.Data.([]any)
	if !ok {
		return l.Data
	}
	slices.SortFunc(items, func(a, b any) int { return slices.Compare(text(a), text(b)) })
	return items
}

func text(item any) []byte {
	encoded, _ := json.Marshal(item) // what was decoded can be encoded
	return encoded
}

func TestLists(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, uncached)
		during := url.Values{"start": {unix(samples.from)}, "end": {unix(samples.to)}}
		recently := url.Values{"start": {unix(samples.to.Add(-30 * time.Minute))}, "end": {unix(samples.to)}}
		for _, test := range []struct {
			path   string
			params url.Values
		}{
			{"api/v1/labels", during},
			{"api/v1/labels", matching(during, `gpu_util`)},
			{"api/v1/labels", matching(during, `{__name__=~"gpu_util|room_temp"}`)},
			{"api/v1/label/__name__/values", during},
			{"api/v1/label/instance/values", during},
			{"api/v1/label/room/values", during},
			{"api/v1/label/instance/values", matching(during, `requests_total`)},
			{"api/v1/label/job/values", matching(during, `short_lived{job!="late"}`)},
			{"api/v1/label/nothing_of_that_name/values", during},
			{"api/v1/series", matching(during, `gpu_util`)},
			{"api/v1/series", matching(during, `room_temp`)},
			{"api/v1/series", matching(recently, `{instance="node-0:9400"}`)},
		} {
			status, want := e.raw(t, test.path, test.params)
			require.Equal(t, http.StatusOK, status, "%s: %s", test.path, want)
			status, got := resource(t, ds, test.path, test.params)
			require.Equal(t, http.StatusOK, status, "%s: %s", test.path, got)
			require.Equal(t, sortedData(t, want), sortedData(t, got), test.path)
		}
	})
}

// matching adds a selector to the parameters of a list.
func matching(params url.Values, selector string) url.Values {
	more := url.Values{"match[]": {selector}}
	maps.Copy(more, params)
	return more
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
		queriesOnly := only(t, e.address, "/api/v1/query", "/api/v1/query_range")
		ds := newDatasource(t, queriesOnly, uncached)
		during := url.Values{"start": {unix(samples.to.Add(-45 * time.Minute))}, "end": {unix(samples.to)}}
		for _, test := range []struct {
			path   string
			params url.Values
		}{
			{"api/v1/label/__name__/values", matching(during, `{__name__=~"gpu.*|room.*|requests.*"}`)},
			{"api/v1/label/room/values", matching(during, `room_temp`)},
			{"api/v1/label/instance/values", matching(during, `gpu_util`)},
			{"api/v1/series", matching(during, `room_temp`)},
			{"api/v1/labels", matching(during, `gpu_util`)},
		} {
			_, want := e.raw(t, test.path, test.params)
			_, got := resource(t, ds, test.path, test.params)
			require.Equal(t, sortedData(t, want), sortedData(t, got), test.path)
		}
	})
}
