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
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
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
		inBubble(t, name, func(t *testing.T) {
			p, address := newPlatform(t)
			ds := newDatasource(t, address, values{"cache": test.cache})
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

// Users of a data source share its results, which depend on nothing of theirs. Data sources share none, also at the same address.
func TestCache_UsersAndDataSources(t *testing.T) {
	// Samples that may have been deleted are requested anew in each minute: these are of yesterday, by the clock of the data sources.
	yesterday := time.Now().Truncate(time.Hour).Add(-24 * time.Hour)
	var ofUsers atomic.Int32
	requests := map[string]*atomic.Int32{"first": {}, "second": {}}
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		name := "first"
		if strings.Contains(r.Header.Get("Authorization"), "second") {
			name = "second"
		}
		requests[name].Add(1)
		if strings.Contains(fmt.Sprint(r.Header, r.URL), "of-a-user") {
			ofUsers.Add(1)
		}
		if strings.Contains(r.URL.Path, "timeseries") {
			_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"of":%q},"values":[[%d,"1"]]}]}}`, name, yesterday.Unix()-60)
			return
		}
		_, _ = fmt.Fprintf(w, `{"items":[{"id":%[1]q}],"data":[{"id":%[1]q,"status":"queued"}]}`, name)
	})
	headers := map[string]string{
		"Authorization": "Bearer of-a-user", "Cookie": "grafana_session=of-a-user", "X-Id-Token": "of-a-user", "http_X-Grafana-User": "of-a-user", "http_X-Proxy-User": "of-a-user",
	}
	ask := func(ds *plugin.Datasource, name, role string) {
		request := &backend.QueryDataRequest{Headers: headers, PluginContext: backend.PluginContext{Namespace: "org-of-" + role, User: &backend.User{Login: "of-a-user", Role: role}}}
		for i, saved := range []values{{"expr": "up"}, {"queryType": "fineTuningJobs", "onlyInRange": false}, {"queryType": "platform", "path": "/v1/x"}} {
			request.Queries = append(request.Queries, dataQuery(t, string(rune('A'+i)), saved))
			request.Queries[i].QueryType, _ = saved["queryType"].(string)
			request.Queries[i].TimeRange = backend.TimeRange{From: yesterday.Add(-time.Hour), To: yesterday}
		}
		// As the SDK forwards them.
		ctx := httpclient.WithContextualMiddleware(t.Context(), httpclient.MiddlewareFunc(func(options httpclient.Options, next http.RoundTripper) http.RoundTripper {
			return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
				for header, values := range request.GetHTTPHeaders() {
					if options.ForwardHTTPHeaders || !strings.HasPrefix(header, "X-Proxy") {
						req.Header[header] = values
					}
				}
				return next.RoundTrip(req)
			})
		}))
		responses, err := ds.QueryData(ctx, request)
		require.NoError(t, err)
		for refID, response := range responses.Responses {
			require.NoError(t, response.Error, refID)
			require.Contains(t, encode(response.Frames), `"`+name+`"`, refID)
		}
	}
	var all []*plugin.Datasource
	for _, name := range []string{"first", "second"} {
		all = append(all, newDatasourceWith(t, address, values{"intelligenceUrl": address, "accessKeyId": name}, map[string]string{"monitoringToken": name, "inferenceApiKey": name, "secretKey": mainSecret}))
	}
	for range 2 {
		for _, role := range []string{"Viewer", "Editor"} {
			ask(all[0], "first", role)
			ask(all[1], "second", role)
		}
	}
	require.Equal(t, []int32{3, 3, 0}, []int32{requests["first"].Load(), requests["second"].Load(), ofUsers.Load()})

	status, body := resource(t, all[0], &backend.CallResourceRequest{Path: "jobs", Headers: map[string][]string{"Cookie": {"of-a-user"}}})
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"first"`)
	require.Equal(t, int32(3), requests["first"].Load(), "resources and queries share the list of jobs")
}

func TestCache_CustomLimitDisables(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, values{"customQueryParameters": "limit=100"})
	for range 2 {
		require.Len(t, frames(t, ds, values{"expr": "DCGM_FI_DEV_GPU_UTIL"}), 64)
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
