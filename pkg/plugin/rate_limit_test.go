package plugin_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// A gateway with 500 jobs and more, which serves 60 requests a minute. pkg/jobs has the tests of the pace.
func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := platform.New(platform.Config{Now: time.Now, ExtraJobs: 500, RateLimit: 60})
		ds := tuningDatasource(t, datasource.Nowhere+platform.TuningPath)
		ctx := datasource.InMemory(t.Context(), func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+platform.DefaultInferenceAPIKey)
			p.ServeHTTP(w, r)
		})
		within20s := func(what any, call func()) {
			t.Helper()
			began := time.Now()
			call()
			require.Less(t, time.Since(began), 20*time.Second, what)
		}
		// Over the past 30 days.
		without429 := func(saved values) (response backend.DataResponse) {
			t.Helper()
			within20s(saved, func() {
				q := dataQuery(t, "A", saved)
				q.TimeRange = backend.TimeRange{From: time.Now().Add(-30 * 24 * time.Hour), To: time.Now()}
				all, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{q}})
				require.NoError(t, err)
				response = all.Responses["A"]
				require.NoError(t, response.Error)
				require.NotContains(t, noticeTexts(response.Frames...), "(429)")
			})
			return response
		}
		annotations := values{"queryType": "fineTuningAnnotations"}
		first := without429(annotations)
		require.Greater(t, first.Frames[0].Rows(), 40)
		require.Regexp(t, `The checkpoints of \d+ jobs? are still being read, because the tuning gateway limits the rate of requests`, noticeTexts(first.Frames...))
		require.LessOrEqual(t, p.Counters().Count(platform.ServiceTuning, "checkpoints", http.StatusTooManyRequests), 8)
		read := p.Counters().Count(platform.ServiceTuning, "checkpoints", http.StatusOK)

		without429(values{"queryType": "fineTuningJobs", "format": "countByJob", "onlyInRange": false})
		without429(values{"queryType": "trainingFiles"})
		without429(values{"queryType": "fineTuningCheckpoints", "jobIds": []string{diverging}})
		within20s("health", func() {
			result, err := ds.CheckHealth(ctx, &backend.CheckHealthRequest{})
			require.NoError(t, err)
			require.Equal(t, backend.HealthStatusOk, result.Status, result.Message)
		})
		within20s("models", func() {
			err := ds.CallResource(ctx, &backend.CallResourceRequest{Method: http.MethodGet, Path: "models"},
				backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
					require.Contains(t, []int{0, http.StatusOK}, r.Status, string(r.Body))
					return nil
				}))
			require.NoError(t, err)
		})

		time.Sleep(time.Minute)
		require.Greater(t, p.Counters().Count(platform.ServiceTuning, "checkpoints", http.StatusOK), read+3, "it goes on in the background")
		without429(annotations)
		ds.Dispose()
		time.Sleep(time.Hour) // for requests that are under way
	})
}
