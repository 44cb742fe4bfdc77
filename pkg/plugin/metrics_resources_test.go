package plugin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// lookup calls a resource of the Prometheus HTTP API and returns the data of its response.
func lookup[T any](t *testing.T, ds *plugin.Datasource, path string, params url.Values) T {
	t.Helper()
	status, body := resource(t, ds, &backend.CallResourceRequest{Path: path, URL: path + "?" + params.Encode()})
	require.Equal(t, http.StatusOK, status, body)
	var response struct {
		Status string
		Data   T
	}
	require.NoError(t, json.Unmarshal([]byte(body), &response), body)
	require.Equal(t, "success", response.Status)
	return response.Data
}

var hourBeforeNoon = url.Values{"start": {"1748862000"}, "end": {"2025-06-02T12:00:00Z"}}

func with(more url.Values) url.Values {
	params := url.Values{}
	for _, part := range []url.Values{hourBeforeNoon, more} {
		for name, v := range part {
			params[name] = v
		}
	}
	return params
}

func TestLookups(t *testing.T) {
	t.Parallel()
	oneGPU := with(url.Values{"match[]": {`DCGM_FI_DEV_GPU_UTIL{gpu="0"}`}})
	gpuLabels := []string{"UUID", "__name__", "cluster_id", "gpu", "instance", "modelName", "nodepool_name", "vm_name"}
	for name, prepare := range map[string]func(*platform.Platform){
		"as the platform serves them":            func(*platform.Platform) {},
		"derived where the platform has no path": func(p *platform.Platform) { missing(p, "/api/v1/label") },
		"derived over the two documented paths":  func(p *platform.Platform) { missing(p, "/api/v1/label", "/api/v1/query$") },
	} {
		t.Run(name, func(t *testing.T) {
			p, address := newPlatform(t)
			prepare(p)
			ds := newDatasource(t, address, nil)
			require.Equal(t, gpuLabels, lookup[[]string](t, ds, "api/v1/labels", oneGPU))
			require.Subset(t, lookup[[]string](t, ds, "api/v1/labels", hourBeforeNoon), []string{"gpu", "hca_number", "disk_name", "partition"})
			require.Len(t, lookup[[]string](t, ds, "api/v1/label/vm_name/values", oneGPU), 8)
			require.Equal(t, []string{"0"}, lookup[[]string](t, ds, "api/v1/label/gpu/values", oneGPU))
			names := lookup[[]string](t, ds, "api/v1/label/__name__/values", hourBeforeNoon)
			require.Subset(t, names, []string{"DCGM_FI_DEV_GPU_UTIL", "vendor_slurm_nodes", "training_loss"})
			require.Len(t, lookup[[]string](t, ds, "api/v1/label/__name__/values", with(url.Values{"limit": {"5"}})), 5)
			require.Len(t, lookup[[]map[string]string](t, ds, "api/v1/series", oneGPU), 8)
		})
	}
}

func TestMetadata_TypesByName(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Now: time.Now, Prefix: "acme"})
	ds := newDatasource(t, address, nil)
	type described struct{ Type, Help, Unit string }
	metadata := lookup[map[string][]described](t, ds, "api/v1/metadata", nil)
	require.Equal(t, "counter", metadata["acme_vm_cpu_seconds_total"][0].Type)
	require.Equal(t, "histogram", metadata["acme_vm_disk_read_latency_seconds"][0].Type)
	require.Equal(t, "gauge", metadata["DCGM_FI_DEV_GPU_UTIL"][0].Type)
	require.Equal(t, "gauge", metadata["training_loss"][0].Type)
	for metric, want := range map[string]described{
		"DCGM_FI_DEV_POWER_USAGE": {"gauge", "Power that the GPU draws. Unit: W.", "W"},
		"acme_slurm_nodes":        {"gauge", "Nodes that Slurm manages.", ""},
		"DCGM_FI_DEV_XID_ERRORS":  {"gauge", "Number of the last XID error, 0 if there was none. It is a code, not a count.", ""},
	} {
		require.Equal(t, []described{want}, metadata[metric], metric)
	}
	require.Len(t, lookup[map[string]any](t, ds, "api/v1/metadata", url.Values{"metric": {"DCGM_FI_DEV_GPU_UTIL"}}), 1)
}

func TestResources_ManyClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, address := newPlatform(t)
		ds := newDatasource(t, address, nil)
		paths := map[string]url.Values{
			"api/v1/query_range": with(url.Values{"query": {"DCGM_FI_DEV_GPU_UTIL"}, "step": {"60"}}),
			"api/v1/query":       {"query": {"DCGM_FI_DEV_GPU_UTIL"}, "time": {"1748862000"}},
		}
		get := func(path string, more url.Values, header map[string][]string) {
			params := url.Values{}
			for _, some := range []url.Values{paths[path], more} {
				for name, given := range some {
					params[name] = given
				}
			}
			status, body := resource(t, ds, &backend.CallResourceRequest{Path: path, URL: path + "?" + params.Encode(), Headers: header})
			assert.Equal(t, http.StatusOK, status)
			assert.Contains(t, body, `"gpu":"0"`)
		}
		for path := range paths {
			var clients sync.WaitGroup
			for range 10 {
				clients.Go(func() { get(path, nil, nil) })
			}
			clients.Wait()
		}
		require.Equal(t, 2, p.Counters().Count("", "", http.StatusOK), "ten clients cost one request for each path")
		for path := range paths {
			get(path, url.Values{"limit": {"100"}, "timeout": {"5s"}}, nil)
			require.Equal(t, 2, p.Counters().Count("", "", http.StatusOK), "a client with a limit costs no other request: %s", path)
		}
	})
}

func TestResources_AllowList(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	for name, test := range map[string]struct {
		method, path string
		status       int
	}{
		"a path of Prometheus that we don't offer": {"GET", "api/v1/admin/tsdb/delete_series", 404},
		"the root":                  {"GET", "", 404},
		"a climb out of the path":   {"GET", "api/v1/label/../../../../v1/secret/values", 404},
		"an encoded climb":          {"GET", "api/v1/label/%2e%2e%2f%2e%2e/values", 404},
		"a label name that is none": {"GET", "api/v1/label/a%20b/values", 400},
		"another method":            {"DELETE", "api/v1/series", 405},
		"a get of what is posted":   {"GET", "cache/refresh", 405},
	} {
		t.Run(name, func(t *testing.T) {
			status, _ := resource(t, ds, &backend.CallResourceRequest{Method: test.method, Path: test.path, URL: test.path})
			require.Equal(t, test.status, status)
		})
	}
	require.Empty(t, p.Counters().Requests, "none of it reached the platform")
}

func TestResources_PrometheusErrors(t *testing.T) {
	for name, test := range map[string]struct {
		fault   *platform.Fault
		path    string
		params  url.Values
		status  int
		kind    string
		message string
	}{
		"a broken query":                  {nil, "api/v1/query", url.Values{"query": {"sum("}}, 400, "bad_data", "parse error"},
		"no query":                        {nil, "api/v1/query", nil, 400, "bad_data", `"query"`},
		"a time that is none":             {nil, "api/v1/query", url.Values{"query": {"up"}, "time": {"now"}}, 400, "bad_data", `"time"`},
		"no start":                        {nil, "api/v1/query_range", url.Values{"query": {"up"}, "end": {"2"}, "step": {"1"}}, 400, "bad_data", `"start": it is missing`},
		"an end before the start":         {nil, "api/v1/query_range", url.Values{"query": {"count(up)"}, "start": {"2"}, "end": {"1"}, "step": {"1"}}, 400, "bad_data", `"end": it is before the start`},
		"too many points":                 {nil, "api/v1/query_range", url.Values{"query": {"up"}, "start": {"0"}, "end": {"11000"}, "step": {"1"}}, 400, "bad_data", `"step": the range has more than 11,000 points`},
		"a step of 0":                     {nil, "api/v1/query_range", url.Values{"query": {"up"}, "step": {"0"}}, 400, "bad_data", `"step"`},
		"a selector that is none":         {nil, "api/v1/labels", url.Values{"match[]": {"sum(up)"}}, 400, "bad_data", `"match[]"`},
		"series of nothing":               {nil, "api/v1/series", nil, 400, "bad_data", `"match[]"`},
		"an outage is not derived around": {&platform.Fault{Status: 500}, "api/v1/labels", nil, 500, "unavailable", "failed (500)"},
	} {
		t.Run(name, func(t *testing.T) {
			p, address := newPlatform(t)
			if test.fault != nil {
				p.Inject(*test.fault)
			}
			status, body := resource(t, newDatasource(t, address, nil), &backend.CallResourceRequest{Path: test.path, URL: test.path + "?" + test.params.Encode()})
			require.Equal(t, test.status, status, body)
			var response struct{ Status, ErrorType, Error string }
			require.NoError(t, json.Unmarshal([]byte(body), &response), body)
			require.Equal(t, "error", response.Status)
			require.Equal(t, test.kind, response.ErrorType)
			require.Contains(t, response.Error, test.message)
		})
	}
}
