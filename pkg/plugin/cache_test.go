package plugin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestCache_RepeatedQuery(t *testing.T) {
	for name, test := range map[string]struct {
		cache    any
		requests int
	}{
		"by default":                      {nil, 1},
		"with all settings":               {values{"enabled": true, "maxMegabytes": 8, "recentWindow": "5m"}, 1},
		"with settings from variables":    {values{"enabled": "true", "maxMegabytes": "8", "recentWindow": "5m"}, 1},
		"with settings that were emptied": {values{"maxMegabytes": nil, "recentWindow": ""}, 1},
		"switched off":                    {values{"enabled": false}, 3},
		"switched off by a variable":      {values{"enabled": "false"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			p, address := newPlatform(t)
			ds := newDatasource(t, address, values{"cache": test.cache, "archive": keepsNoon})
			for i := range 3 {
				got := frames(t, ds, values{"expr": "DCGM_FI_DEV_GPU_UTIL"})
				require.Len(t, got, 64)
				origin := got[0].Meta.Custom.(prom.Custom).Cache
				require.Equal(t, 61, origin.FetchedSteps+origin.CachedSteps)
				require.Equal(t, i > 0 && test.requests == 1, origin.CachedSteps > 0)
			}
			require.Equal(t, test.requests, p.Counters().Count(platform.ServiceMetrics, "query_range", -1))
		})
	}
}

func TestCache_CustomLimitDisables(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, values{"customQueryParameters": "limit=100"})
	for range 2 {
		require.Len(t, frames(t, ds, values{"expr": "DCGM_FI_DEV_GPU_UTIL"}), 64)
	}
	require.Equal(t, 2, p.Counters().Count(platform.ServiceMetrics, "query_range", -1))
}

func TestCache_EmptyAfterNewSettings(t *testing.T) {
	p, address := newPlatform(t)
	for range 2 {
		ds := newDatasource(t, address, nil)
		require.Len(t, frames(t, ds, values{"expr": "DCGM_FI_DEV_GPU_UTIL"}), 64)
		ds.Dispose()
	}
	require.Equal(t, 2, p.Counters().Count(platform.ServiceMetrics, "query_range", -1))
}

func TestQueryData_ConcurrencyLimit(t *testing.T) {
	const limit = 8
	var now, most atomic.Int64
	all := make(chan struct{})
	closeAll := sync.OnceFunc(func() { close(all) })
	p := platform.New(platform.Config{Now: func() time.Time { return noon }})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := now.Add(1)
		defer now.Add(-1)
		for seen := most.Load(); at > seen && !most.CompareAndSwap(seen, at); seen = most.Load() {
		}
		if at >= limit {
			closeAll()
		}
		select { // until as many requests are under way as may be
		case <-all:
		case <-r.Context().Done():
		}
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	ds := newDatasource(t, server.URL, values{"maxConcurrentRequests": 100})
	var queries []backend.DataQuery
	for i := range 40 {
		queries = append(queries, dataQuery(t, fmt.Sprint("Q", i), values{"expr": fmt.Sprint("vector(", i, ")")}))
	}
	for _, response := range runQueries(t, ds, queries...) {
		require.NoError(t, response.Error)
	}
	require.EqualValues(t, limit, most.Load())
}

func TestCache_LabelLists(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	for _, end := range []string{"2025-06-02T12:00:00Z", "2025-06-02T12:00:59Z"} {
		for _, path := range []string{"api/v1/labels?start=2025-06-02T11:00:00Z&end=" + end, "api/v1/label/vm_name/values?start=2025-06-02T11:00:00Z&end=" + end, "api/v1/series?match[]=up&start=2025-06-02T11:00:00Z&end=" + end} {
			operation, _, _ := strings.Cut(path, "?")
			status, echoed := resource(t, ds, &backend.CallResourceRequest{Path: operation, URL: path})
			require.Equal(t, http.StatusOK, status, "%s", echoed)
		}
	}
	c := p.Counters()
	require.Equal(t, 1, c.Count(platform.ServiceMetrics, "labels", -1))
	require.Equal(t, 1, c.Count(platform.ServiceMetrics, "label_values", -1))
	require.Equal(t, 1, c.Count(platform.ServiceMetrics, "query", -1), "series are derived here")
}

func TestCacheSettings_Invalid(t *testing.T) {
	for name, test := range map[string]struct {
		cache values
		want  string
	}{
		"a size that is no number":   {values{"maxMegabytes": "many"}, "Cache size"},
		"a size of nothing":          {values{"maxMegabytes": 0}, "Cache size"},
		"a size that is not finite":  {values{"maxMegabytes": "NaN"}, "Cache size"},
		"a size above the most":      {values{"maxMegabytes": 1<<20 + 1}, "Cache size"},
		"a window without a unit":    {values{"recentWindow": "soon"}, "Recent window"},
		"a window of nothing":        {values{"recentWindow": "0s"}, "Recent window"},
		"a switch that is no switch": {values{"enabled": "perhaps"}, "Cache is neither"},
	} {
		t.Run(name, func(t *testing.T) {
			_, address := newPlatform(t)
			got := runQueries(t, newDatasource(t, address, values{"cache": test.cache}), dataQuery(t, "A", values{"expr": "up"}))["A"]
			require.ErrorContains(t, got.Error, test.want)
			require.Equal(t, backend.StatusBadRequest, got.Status)
		})
	}
}
