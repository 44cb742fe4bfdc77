package plugin_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// missing makes paths respond with 404, like deployments without them.
func missing(p *platform.Platform, paths ...string) {
	for _, path := range paths {
		p.Inject(platform.Fault{Path: path, Status: http.StatusNotFound, Body: `{"code":"not_found","message":"no such path"}`})
	}
}

// uncached turns the cache off.
var uncached = values{"enabled": false}

// instantNow runs an instant query at the present time of the plugin.
func instantNow(ctx context.Context, t *testing.T, ds *plugin.Datasource, expr string) backend.DataResponse {
	t.Helper()
	q := dataQuery(t, "A", values{"expr": expr, "instant": true})
	q.TimeRange = backend.TimeRange{From: time.Now().Add(-time.Hour), To: time.Now()}
	response, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{q}})
	require.NoError(t, err)
	return response.Responses["A"]
}

// liveInMemory runs a test in virtual time, on a platform that has the same clock and some missing paths.
func liveInMemory(t *testing.T, missingPath string, test func(ctx context.Context, t *testing.T, p *platform.Platform, ds *plugin.Datasource)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := platform.New(platform.Config{Now: time.Now})
		missing(p, missingPath)
		ctx := datasource.InMemory(t.Context(), func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+platform.DefaultMonitoringToken)
			p.ServeHTTP(w, r)
		})
		test(ctx, t, p, newDatasource(t, datasource.Nowhere, values{"cache": uncached}))
	})
}

func TestPaths_InstantAtBasePath(t *testing.T) {
	liveInMemory(t, "/api/v1/query$", func(ctx context.Context, t *testing.T, p *platform.Platform, ds *plugin.Datasource) {
		for range 2 {
			response := instantNow(ctx, t, ds, "count(DCGM_FI_DEV_GPU_UTIL)")
			require.NoError(t, response.Error)
			require.Equal(t, 64.0, response.Frames[0].Fields[1].At(0))
		}
		require.Equal(t, 1, p.Counters().Count(platform.ServiceMetrics, "query", -1), "probed once")
		require.Equal(t, 2, p.Counters().Count(platform.ServiceMetrics, "base", http.StatusOK))
	})
}

func TestPaths_PastInstantAsRange(t *testing.T) {
	p, address := newPlatform(t)
	missing(p, "/api/v1/query$")
	ds := newDatasource(t, address, values{"cache": uncached})
	for range 2 {
		require.Equal(t, 64.0, frames(t, ds, values{"expr": "count(DCGM_FI_DEV_GPU_UTIL)", "instant": true})[0].Fields[1].At(0))
	}
	require.Equal(t, 1, p.Counters().Count(platform.ServiceMetrics, "query", -1), "probed once")
	require.Equal(t, 0, p.Counters().Count(platform.ServiceMetrics, "base", -1))
	require.Equal(t, 2, p.Counters().Count(platform.ServiceMetrics, "query_range", http.StatusOK))
}

func TestPaths_OutageWhileProbing(t *testing.T) {
	liveInMemory(t, "/api/v1/query$", func(ctx context.Context, t *testing.T, p *platform.Platform, ds *plugin.Datasource) {
		p.Inject(platform.Fault{Path: "/timeseries$", Status: http.StatusInternalServerError, Times: 1})
		require.Error(t, instantNow(ctx, t, ds, "vector(7)").Error)
		response := instantNow(ctx, t, ds, "vector(7)")
		require.NoError(t, response.Error)
		require.Equal(t, 7.0, response.Frames[0].Fields[1].At(0))
	})
}

func TestPaths_PostFallsBackToGet(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, values{"httpMethod": "POST", "cache": uncached})
	for range 2 {
		require.Equal(t, 61, frames(t, ds, values{"expr": "vector(1)"})[0].Rows())
	}
	require.Equal(t, 1, p.Counters().Count(platform.ServiceMetrics, "query_range", http.StatusMethodNotAllowed))
	require.Equal(t, 2, p.Counters().Count(platform.ServiceMetrics, "query_range", http.StatusOK))
}

func TestPaths_AddressForms(t *testing.T) {
	_, address := newPlatform(t)
	metricsPath := "/v1/projects/" + platform.DefaultProjectID + "/metrics/timeseries"
	for name, settings := range map[string]values{
		"with a trailing slash":                  {"baseUrl": address + "/"},
		"with the version":                       {"baseUrl": address + "/v1"},
		"with the version and a slash":           {"baseUrl": address + "/v1/"},
		"with spaces around":                     {"baseUrl": " " + address + " "},
		"with slashes that look like a host":     {"baseUrl": address + "//127.0.0.1:1/../"},
		"the full metrics address alone":         {"baseUrl": nil, "projectId": nil, "metricsUrl": address + metricsPath},
		"the full metrics address, with a slash": {"metricsUrl": address + metricsPath + "/", "baseUrl": "http://127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, 61, frames(t, newDatasource(t, address, settings), values{"expr": "vector(1)"})[0].Rows())
		})
	}
}

// The credential goes to the host of the address, whatever its path.
func TestSettings_HostOfAddress(t *testing.T) {
	for name, settings := range map[string]func(address, other string) values{
		"base address":    func(address, other string) values { return values{"baseUrl": address + "//" + other} },
		"metrics address": func(address, other string) values { return values{"metricsUrl": address + "//" + other} },
		"project id":      func(address, _ string) values { return values{"baseUrl": address, "projectId": ".."} },
	} {
		t.Run(name, func(t *testing.T) {
			var elsewhere atomic.Int32
			other := serveFunc(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
			address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
				if !strings.Contains(r.URL.Path, "/metrics/timeseries/api/") && name != "metrics address" {
					elsewhere.Add(1)
				}
				_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`))
			})
			ds := newDatasource(t, address, settings(address, strings.TrimPrefix(other, "http://")))
			_ = runQueries(t, ds, dataQuery(t, "A", values{"expr": "up"}))
			require.Zero(t, elsewhere.Load())
		})
	}
}

func TestInjection_ProjectID(t *testing.T) {
	var paths []string
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.EscapedPath())
		_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`))
	})
	for _, id := range []any{42, true, "a/../../secret?x=1#y", "p-1"} {
		frames(t, newDatasource(t, address, values{"projectId": id}), values{"expr": "up"})
	}
	require.Equal(t, []string{
		"/v1/projects/42/metrics/timeseries/api/v1/query_range",
		"/v1/projects/true/metrics/timeseries/api/v1/query_range",
		"/v1/projects/a%2F..%2F..%2Fsecret%3Fx=1%23y/metrics/timeseries/api/v1/query_range",
		"/v1/projects/p-1/metrics/timeseries/api/v1/query_range",
	}, paths)
}

func TestHeaders_DropGrafana(t *testing.T) {
	p, address := newPlatform(t)
	frames(t, newDatasource(t, address, nil), values{"expr": "vector(1)"})
	require.Equal(t, []string{"Accept", "Accept-Encoding", "Authorization", "User-Agent"}, p.Counters().LastHeaders)

	var sent []string
	address = serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		sent = append(slices.Sorted(maps.Keys(r.Header)), r.Method)
		_, _ = w.Write([]byte(emptyMatrix))
	})
	frames(t, newDatasource(t, address, values{"httpMethod": "POST"}), values{"expr": "vector(1)"})
	require.Equal(t, []string{"Accept", "Accept-Encoding", "Authorization", "Content-Length", "Content-Type", "User-Agent", "POST"}, sent)
}
