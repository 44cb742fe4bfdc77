package plugin_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
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

// hanging is a platform on which requests hang whose path or query contains a text. It counts those that hang.
func hanging(what string) (platform http.HandlerFunc, hung *atomic.Int64) {
	hung = &atomic.Int64{}
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.String(), what) {
			hung.Add(1)
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/fine_tuning/jobs") {
			_, _ = io.WriteString(w, `{"data":[]}`)
			return
		}
		_, _ = io.WriteString(w, aMatrix)
	}, hung
}

// alertRule is the request of an alert rule.
func alertRule(queries ...backend.DataQuery) *backend.QueryDataRequest {
	return &backend.QueryDataRequest{Queries: queries, Headers: map[string]string{backend.FromAlertHeaderName: "true"}}
}

func TestBulkhead_HungServiceLeavesOthers(t *testing.T) {
	for name, test := range map[string]struct {
		hangs string
		saved func(i int) values
		// wait is how many requests hang at least before the alert rule is evaluated.
		wait int64
	}{
		"the tuning gateway": {"fine_tuning", func(int) values { return values{"queryType": "fineTuningJobs"} }, 1},
		"the main API":       {"capacities", func(int) values { return values{"queryType": "capacities"} }, 1},
		"PromQL of panels":   {"slow", func(i int) values { return values{"expr": fmt.Sprint("slow", i)} }, 24},
		"the same PromQL":    {"up", func(int) values { return values{"expr": "up"} }, 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			ds, ctx, hung := hungDatasource(t, test.hangs, 200, test.saved)
			require.GreaterOrEqual(t, hung.Load(), test.wait)
			if name == "the same PromQL" {
				before := hung.Load()
				go func() { _, _ = ds.QueryData(ctx, alertRule(dataQuery(t, "A", values{"expr": "up"}))) }()
				synctest.Wait()
				require.Greater(t, hung.Load(), before, "the alert rule does not share a request of panels")
				return
			}
			began := time.Now()
			response, err := ds.QueryData(ctx, alertRule(dataQuery(t, "A", values{"expr": "vector(1)"})))
			require.NoError(t, err)
			require.NoError(t, response.Responses["A"].Error)
			require.Equal(t, began, time.Now(), "it waits for none of them")
		})
	}
}

// hungDatasource is a data source on whose platform requests hang whose path or query contains a text. It has three services.
func hungDatasource(t *testing.T, what string, panels int, saved func(i int) values) (*plugin.Datasource, context.Context, *atomic.Int64) {
	t.Helper()
	platformWith, hung := hanging(what)
	ds := newDatasourceWith(t, datasource.Nowhere, values{"intelligenceUrl": datasource.Nowhere, "accessKeyId": platform.DefaultAccessKeyID}, map[string]string{
		"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": platform.DefaultInferenceAPIKey, "secretKey": platform.DefaultSecretKey,
	})
	ctx, cancel := context.WithCancel(datasource.InMemory(t.Context(), platformWith))
	t.Cleanup(cancel)
	for i := range panels {
		query := dataQuery(t, "A", saved(i))
		go func() { _, _ = ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{query}}) }()
	}
	synctest.Wait()
	return ds, ctx, hung
}

// More queries wait than may, those of another service and those of panels: an alert rule is refused for neither.
func TestBulkhead_FullQueuesLeaveAlertRules(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hangs string
		saved func(i int) values
	}{
		"of the main API": {"/v1/x", func(i int) values { return values{"queryType": "platform", "path": fmt.Sprint("/v1/x", i)} }},
		"of panels":       {"slow", func(i int) values { return values{"expr": fmt.Sprint("slow", i)} }},
	} {
		inBubble(t, name, func(t *testing.T) {
			ds, ctx, _ := hungDatasource(t, test.hangs, 2400, test.saved)
			began := time.Now()
			response, err := ds.QueryData(ctx, alertRule(dataQuery(t, "A", values{"expr": "vector(1)"})))
			require.NoError(t, err)
			require.NoError(t, response.Responses["A"].Error)
			require.Equal(t, began, time.Now(), "it waits for none of them")
		})
	}
}

// The tuning gateway gets eight requests for details at a time, of which panels have six.
func TestBulkhead_GatewayLeavesAlertRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ds, ctx, hung := hungDatasource(t, "slow", 40, func(i int) values {
			return values{"queryType": "fineTuningJobs", "jobIds": []string{fmt.Sprint("slow", i)}}
		})
		require.EqualValues(t, 6, hung.Load())
		began := time.Now()
		_, err := ds.QueryData(ctx, alertRule(dataQuery(t, "A", values{"queryType": "fineTuningJobs", "jobIds": []string{"other"}})))
		require.NoError(t, err)
		require.Equal(t, began, time.Now(), "it waits for none of them")
	})
}

// The lists for editors and variables are admitted as queries.
func TestAdmission_ListsOfTheGateway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ds, ctx, _ := hungDatasource(t, "fine_tuning", 2200, func(int) values { return values{"queryType": "fineTuningJobs"} })
		for _, path := range []string{"jobs", "models", "statuses"} {
			var status int
			err := ds.CallResource(ctx, &backend.CallResourceRequest{Method: http.MethodGet, Path: path, URL: path},
				backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
					status = r.Status
					return nil
				}))
			require.NoError(t, err)
			require.Equal(t, http.StatusTooManyRequests, status, path)
		}
	})
}

// Requests to the Prometheus HTTP API are admitted as the queries of panels are: they leave alert rules their share.
func TestBulkhead_HungAPIRequestsLeaveAlertRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		platformWith, hung := hanging("slow")
		ds := newDatasource(t, datasource.Nowhere, values{"maxConcurrentRequests": 1000})
		ctx, cancel := context.WithCancel(datasource.InMemory(t.Context(), platformWith))
		defer cancel()
		for i := range 200 {
			go func() {
				path := fmt.Sprint("api/v1/query?query=slow", i)
				_ = ds.CallResource(ctx, &backend.CallResourceRequest{Method: http.MethodGet, Path: "api/v1/query", URL: path},
					backend.CallResourceResponseSenderFunc(func(*backend.CallResourceResponse) error { return nil }))
			}()
		}
		synctest.Wait()
		require.EqualValues(t, 48, hung.Load(), "three quarters of the permits")
		began := time.Now()
		response, err := ds.QueryData(ctx, alertRule(dataQuery(t, "A", values{"expr": "vector(1)"})))
		require.NoError(t, err)
		require.NoError(t, response.Responses["A"].Error)
		require.Equal(t, began, time.Now(), "it waits for none of them")
	})
}
