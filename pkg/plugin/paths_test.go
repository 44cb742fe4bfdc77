package plugin_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// missing makes paths respond with 404, like deployments without them.
func missing(p *platform.Platform, paths ...string) {
	for _, path := range paths {
		p.Inject(platform.Fault{Path: path, Status: http.StatusNotFound, Body: `{"code":"not_found","message":"no such path"}`})
	}
}

// uncached turns the cache off.
var uncached = values{"enabled": false}

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
