package plugin_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// limited is a data source on a gateway with 500 jobs and more, which serves 60 requests a minute.
func limited(t *testing.T) (*platform.Platform, *plugin.Datasource) {
	t.Helper()
	p, address := newPlatformWith(t, platform.Config{Now: time.Now, ExtraJobs: 500, RateLimit: "60/m"})
	return p, tuningDatasource(t, address+platform.TuningPath)
}

// overMonth runs a query over the past 30 days.
func overMonth(t *testing.T, ds *plugin.Datasource, saved values) backend.DataResponse {
	t.Helper()
	q := dataQuery(t, "A", saved)
	q.TimeRange = backend.TimeRange{From: time.Now().Add(-30 * 24 * time.Hour), To: time.Now()}
	return runQueries(t, ds, q)["A"]
}

// requireNo429 checks that a response is no error, and that it does not speak of a 429.
func requireNo429(t *testing.T, response backend.DataResponse) {
	t.Helper()
	require.NoError(t, response.Error)
	require.NotContains(t, allNotices(response.Frames), "(429)")
}

// TestRateLimit is by the real clock; pkg/tuning has tests of minutes by a virtual one.
func TestRateLimit(t *testing.T) {
	p, ds := limited(t)
	within := func(most time.Duration, what any, call func()) {
		t.Helper()
		began := time.Now()
		call()
		require.Less(t, time.Since(began), most, what)
	}
	annotations := values{"queryType": "fineTuningAnnotations"}
	within(20*time.Second, annotations, func() {
		first := overMonth(t, ds, annotations)
		requireNo429(t, first)
		require.Greater(t, first.Frames[0].Rows(), 40)
		require.Regexp(t, `The checkpoints of \d+ jobs are still being read, because the tuning gateway limits the rate of requests`, allNotices(first.Frames))
	})
	refused := p.Counters().Count(platform.ServiceTuning, "checkpoints", http.StatusTooManyRequests)
	require.LessOrEqual(t, refused, 8)
	read := p.Counters().Count(platform.ServiceTuning, "checkpoints", http.StatusOK)

	for _, saved := range []values{
		{"queryType": "fineTuningJobs", "format": "countByJob", "onlyInRange": false},
		{"queryType": "trainingFiles"},
		{"queryType": "fineTuningCheckpoints", "jobIds": []string{diverging}},
	} {
		within(20*time.Second, saved, func() { requireNo429(t, overMonth(t, ds, saved)) })
	}
	within(20*time.Second, "health", func() { require.Equal(t, backend.HealthStatusOk, health(t, ds).Status) })
	within(20*time.Second, "models", func() {
		status, body := resource(t, ds, &backend.CallResourceRequest{Path: "models"})
		require.Equal(t, http.StatusOK, status, body)
	})

	require.Eventually(t, func() bool {
		return p.Counters().Count(platform.ServiceTuning, "checkpoints", http.StatusOK) > read+3
	}, time.Minute, 100*time.Millisecond, "it goes on in the background")
	requireNo429(t, overMonth(t, ds, annotations))
}
