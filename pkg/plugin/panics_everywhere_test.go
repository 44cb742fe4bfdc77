package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	simulated "github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// savedForPanics has queries of every query type, several where requests are sent from different goroutines.
var savedForPanics = map[string][]map[string]any{
	"":                      {{"expr": "DCGM_FI_DEV_GPU_UTIL"}, {"expr": "DCGM_FI_DEV_GPU_UTIL", "instant": true}},
	"metrics":               {{"expr": "DCGM_FI_DEV_GPU_UTIL", "format": "table"}},
	"fineTuningJobs":        {{}, {"format": "timeline"}, {"format": "count"}},
	"fineTuningCheckpoints": {{}},
	"fineTuningCurves":      {{}},
	"fineTuningEvents":      {{}},
	"fineTuningAnnotations": {{}},
	"trainingFiles":         {{}},
	"capacities":            {{}},
	"platform":              {{"path": "/v1/projects/{projectId}/compute/vms/instances"}},
	"placement":             {{"gpus": 8}},
	"trainingHealth":        {{}, {"expr": "training_loss"}},
	"runs":                  {{"source": map[string]any{"kind": "fineTuning"}}, {"source": runByHand}},
	"runComparison":         {{"source": runByHand, "expr": "avg(DCGM_FI_DEV_GPU_UTIL)"}, {"source": map[string]any{"kind": "series", "expr": "DCGM_FI_DEV_GPU_UTIL", "by": []string{"instance"}}}},
	"runAnnotations":        {{"source": map[string]any{"kind": "fineTuning"}}},
}

var runByHand = map[string]any{"kind": "manual", "runs": []map[string]string{{"name": "a", "from": "now-1h", "to": "now"}, {"name": "b", "from": "now-2h", "to": "now-1h"}}}

// requestsForPanics has a request of every resource.
var requestsForPanics = map[string]backend.CallResourceRequest{
	"api/v1/query":               {Method: "GET", URL: "?query=up"},
	"api/v1/query_range":         {Method: "GET", URL: "?query=up&start=from&end=to&step=60"},
	"api/v1/labels":              {Method: "GET"},
	"api/v1/label/{name}/values": {Method: "GET", Path: "api/v1/label/job/values"},
	"api/v1/series":              {Method: "GET", URL: "?match[]=up"},
	"api/v1/metadata":            {Method: "GET"},
	"federate":                   {Method: "GET", URL: "?match[]=up"},
	"export":                     {Method: "GET", URL: "?match[]=up&start=from&end=to"},
	"jobs":                       {Method: "GET"},
	"models":                     {Method: "GET"},
	"statuses":                   {Method: "GET"},
	"checkpoints/{id}/content":   {Method: "GET", Path: "checkpoints/file-1/content"},
}

// withoutRequests are resources that send none.
var withoutRequests = []string{"cache/refresh"}

// panicAt panics in the n-th request, or in all of them if n is 0. The requests of the sibling pass, and don't count.
type panicAt struct {
	n, sent atomic.Int64
}

const (
	panicText = "canary-of-a-panic"
	sibling   = "vector(11)"
	// archivePath is where the simulated metrics endpoint is an archive.
	archivePath = "/archive"
)

func (p *panicAt) middleware(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
	return httpclient.RoundTripperFunc(func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("query") == sibling {
			return next.RoundTrip(r)
		}
		if n := p.n.Load(); p.sent.Add(1) == n || n == 0 {
			panic(panicText)
		}
		return next.RoundTrip(r)
	})
}

func servePlatformAndArchive(t *testing.T) string {
	t.Helper()
	platform := simulated.New(simulated.Config{Nodes: 2, GPUsPerNode: 2})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path, ok := strings.CutPrefix(r.URL.Path, archivePath); ok {
			r.URL.Path = "/v1/projects/" + simulated.DefaultProjectID + "/metrics/timeseries" + path
		}
		platform.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// panickingDatasource is a data source with all services, whose transports panic, and the context of its queries.
func panickingDatasource(t *testing.T, address string, n int) (context.Context, *Datasource, *panicAt) {
	t.Helper()
	p := &panicAt{}
	p.n.Store(int64(n))
	jsonData, err := json.Marshal(map[string]any{
		"baseUrl": address, "projectId": simulated.DefaultProjectID, "intelligenceUrl": address, "accessKeyId": simulated.DefaultAccessKeyID,
		"archive": map[string]any{"url": address + archivePath},
	})
	require.NoError(t, err)
	from := backend.DataSourceInstanceSettings{UID: "gpucloud", JSONData: jsonData, DecryptedSecureJSONData: map[string]string{
		"monitoringToken": simulated.DefaultMonitoringToken, "inferenceApiKey": simulated.DefaultInferenceAPIKey, "secretKey": simulated.DefaultSecretKey,
		"archiveToken": simulated.DefaultMonitoringToken,
	}}
	s := loadSettings(t.Context(), from)
	require.NoError(t, s.err)
	timeouts := *s.http.Timeouts
	timeouts.Timeout = 0 // net/http's timer of a request that panics runs to its end
	s.http.Timeouts = &timeouts
	middleware := httpclient.NamedMiddlewareFunc("panic", p.middleware)
	s.http.ConfigureMiddleware = func(_ httpclient.Options, existing []httpclient.Middleware) []httpclient.Middleware {
		return append(existing, middleware)
	}
	ds := newDatasource(s)
	t.Cleanup(ds.Dispose)
	// The archive has HTTP settings of its own.
	archive := httpclient.NamedMiddlewareFunc("panic of the archive", func(o httpclient.Options, next http.RoundTripper) http.RoundTripper {
		panics := p.middleware(o, next)
		return httpclient.RoundTripperFunc(func(r *http.Request) (*http.Response, error) {
			if strings.HasPrefix(r.URL.Path, archivePath) {
				return panics.RoundTrip(r)
			}
			return next.RoundTrip(r)
		})
	})
	return httpclient.WithContextualMiddleware(t.Context(), archive), ds, p
}

func TestPanic_EveryQueryType(t *testing.T) {
	t.Parallel()
	address := servePlatformAndArchive(t)
	_, ds, _ := panickingDatasource(t, address, 0)
	require.ElementsMatch(t, slices.Collect(maps.Keys(ds.handlers)), slices.Collect(maps.Keys(savedForPanics)),
		"a query of every type is in the table of this test")
	for queryType, queries := range savedForPanics {
		for i, saved := range queries {
			t.Run(fmt.Sprintf("%s %d", queryType, i), func(t *testing.T) {
				failed := false
				for n := 0; n < 12; n++ {
					ctx, ds, p := panickingDatasource(t, address, n)
					got := queryBesideSibling(ctx, t, ds, queryType, saved)
					require.NotContains(t, got, panicText)
					if n == 0 {
						require.Equal(t, "An unexpected error in the plugin; Grafana's log has the details.", got)
					}
					failed = failed || strings.Contains(got, "An unexpected error")
					if p.sent.Load() < int64(n) {
						break
					}
				}
				require.True(t, failed)
			})
		}
	}
}

// queryBesideSibling is the error or the notices of a query. The query beside it in the same request has to succeed.
func queryBesideSibling(ctx context.Context, t *testing.T, ds *Datasource, queryType string, saved map[string]any) string {
	t.Helper()
	queryOf := func(refID string, queryType string, saved map[string]any) backend.DataQuery {
		saved = maps.Clone(saved)
		saved["queryType"] = queryType
		encoded, err := json.Marshal(saved)
		require.NoError(t, err)
		now := time.Now()
		from := now.Add(-6 * time.Hour)
		if saved["expr"] != nil {
			from = now.Add(-40 * 24 * time.Hour) // to the archive, too
		}
		return backend.DataQuery{RefID: refID, QueryType: queryType, JSON: encoded, MaxDataPoints: 100, Interval: 6 * time.Hour,
			TimeRange: backend.TimeRange{From: from, To: now}}
	}
	result, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{
		queryOf("A", queryType, saved), queryOf("B", "metrics", map[string]any{"expr": sibling, "instant": true}),
	}})
	require.NoError(t, err)
	require.NoError(t, result.Responses["B"].Error, "the query beside it")
	require.NotEmpty(t, result.Responses["B"].Frames)
	if err := result.Responses["A"].Error; err != nil {
		return err.Error()
	}
	var notices strings.Builder
	for _, frame := range result.Responses["A"].Frames {
		if frame.Meta != nil {
			for _, notice := range frame.Meta.Notices {
				notices.WriteString(notice.Text)
			}
		}
	}
	return notices.String()
}

func TestPanic_EveryResource(t *testing.T) {
	address := servePlatformAndArchive(t)
	ctx, ds, _ := panickingDatasource(t, address, 0)
	registered := map[string]bool{}
	for pattern := range ds.resourceHandlers() {
		_, path, _ := strings.Cut(pattern, "/")
		registered[path] = true
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(registered)), append(slices.Collect(maps.Keys(requestsForPanics)), withoutRequests...),
		"a request of every resource is in the table of this test")
	ctx = backend.WithPluginContext(ctx, backend.PluginContext{User: &backend.User{Role: "Editor"}})
	for path, request := range requestsForPanics {
		t.Run(path, func(t *testing.T) {
			if request.Path == "" {
				request.Path = path
			}
			address, err := url.Parse(request.URL)
			require.NoError(t, err)
			params := address.Query()
			if params.Has("start") {
				params.Set("start", fmt.Sprint(time.Now().Add(-2*time.Hour).Unix()))
				params.Set("end", fmt.Sprint(time.Now().Add(-time.Hour).Unix()))
			}
			request.URL = request.Path + "?" + params.Encode()
			request.PluginContext = backend.PluginConfigFromContext(ctx)
			var answer strings.Builder
			err = ds.CallResource(ctx, &request, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
				answer.Write(r.Body)
				return nil
			}))
			if err != nil {
				answer.WriteString(err.Error())
			}
			require.Contains(t, strings.ToLower(answer.String()), "an unexpected error in the plugin")
			require.NotContains(t, answer.String(), panicText)
		})
	}
}
