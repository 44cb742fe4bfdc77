package plugin_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestNoCache_Query(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		saved    values
		requests int
	}{
		"none of it":              {nil, 1},
		"the query's option":      {values{"noCache": true}, 3},
		"the query's option, off": {values{"noCache": false}, 1},
	} {
		for _, kind := range []string{"range", "instant"} {
			inBubble(t, name+" "+kind, func(t *testing.T) {
				p, address := newPlatform(t)
				ds := newDatasource(t, address, nil)
				saved := values{"expr": "DCGM_FI_DEV_GPU_UTIL", kind: true}
				require.Len(t, frames(t, ds, saved), gpuSeries)
				for field, value := range test.saved {
					saved[field] = value
				}
				for range 2 {
					response, err := ds.QueryData(context.Background(), &backend.QueryDataRequest{
						Queries: []backend.DataQuery{dataQuery(t, "A", saved)}})
					require.NoError(t, err)
					got := response.Responses["A"]
					require.NoError(t, got.Error)
					require.Len(t, got.Frames, gpuSeries)
					require.Equal(t, test.requests == 1, got.Frames[0].Meta.Custom.(prom.Custom).Cache.CachedSteps > 0)
				}
				require.Equal(t, test.requests, p.Counters().Count(platform.ServiceMetrics, "", 200))
			})
		}
	}
}

func TestRefreshCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, address := newPlatform(t)
		ds, other := newDatasource(t, address, nil), newDatasource(t, address, nil)
		both := func() {
			for _, of := range []*plugin.Datasource{ds, other} {
				require.Len(t, frames(t, of, values{"expr": "DCGM_FI_DEV_GPU_UTIL"}), gpuSeries)
				require.Len(t, frames(t, of, values{"expr": "DCGM_FI_DEV_GPU_UTIL", "instant": true}), gpuSeries)
			}
		}
		both()
		both()
		require.Equal(t, 4, p.Counters().Count(platform.ServiceMetrics, "", 200))
		refresh := &backend.CallResourceRequest{Method: http.MethodPost, Path: "cache/refresh", URL: "cache/refresh",
			PluginContext: backend.PluginContext{User: &backend.User{Login: "someone", Role: "Editor"}}}
		status, body := resource(t, ds, refresh)
		require.Equal(t, http.StatusOK, status)
		require.JSONEq(t, `{"message":"The cache is empty. The next queries are sent to the platform."}`, body)
		both()
		require.Equal(t, 6, p.Counters().Count(platform.ServiceMetrics, "", 200), "the other data source keeps its own")
	})
}

func TestCache_MemoryOfAllDataSources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func(before int64) func() { return func() { cache.Total = before } }(cache.Total))
		used := func() (bytes int64) {
			families, err := prometheus.DefaultGatherer.Gather()
			require.NoError(t, err)
			for _, family := range families {
				if family.GetName() == "gpucloud_cache_bytes" {
					bytes = int64(family.GetMetric()[0].GetGauge().GetValue())
				}
			}
			return bytes
		}
		others := used()
		limit := others + 4<<20
		cache.Total = limit
		p, address := newPlatform(t)
		var all []*plugin.Datasource
		for i := range 10 {
			ds := newDatasource(t, address, nil)
			all = append(all, ds)
			for q := range 10 {
				require.Len(t, frames(t, ds, values{"expr": fmt.Sprintf("DCGM_FI_DEV_GPU_UTIL + %d", 100*i+q)}), gpuSeries)
				require.LessOrEqual(t, used(), limit)
			}
		}
		require.Greater(t, used(), limit/2)
		before := p.Counters().Count(platform.ServiceMetrics, "", 200)
		require.Equal(t, 100, before)
		for i, ds := range all {
			require.Len(t, frames(t, ds, values{"expr": fmt.Sprintf("DCGM_FI_DEV_GPU_UTIL + %d", 100*i+9)}), gpuSeries)
		}
		require.LessOrEqual(t, p.Counters().Count(platform.ServiceMetrics, "", 200)-before, 9, "the last result of one at least is cached: the policy may prefer others, and is random")
		for _, ds := range all {
			ds.Dispose()
		}
		require.Equal(t, others, used())
	})
}
