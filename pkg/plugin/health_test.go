package plugin_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func health(t *testing.T, ds *plugin.Datasource) *backend.CheckHealthResult {
	t.Helper()
	result, err := ds.CheckHealth(context.Background(), &backend.CheckHealthRequest{})
	require.NoError(t, err)
	return result
}

func TestHealth_SpecificationOnly(t *testing.T) {
	p, address := newPlatform(t)
	missing(p, "/api/v1/label", "/api/v1/query$")
	result := health(t, newDatasource(t, address, nil))
	require.Equal(t, backend.HealthStatusOk, result.Status)
	require.Regexp(t, `^✓ Metrics: a range query was answered in \d+ ms\.`, result.Message)
	require.Equal(t, 1, p.Counters().Count("", "", -1), "one question is enough")

	var details struct {
		VerboseMessage string
		Services       []struct {
			Service        string
			OK, Configured bool
			DurationMS     *int64
		}
	}
	require.NoError(t, json.Unmarshal(result.JSONDetails, &details))
	require.Equal(t, "Metrics", details.Services[0].Service)
	require.True(t, details.Services[0].OK)
	require.Equal(t, result.Message, details.VerboseMessage)
	require.NotNil(t, details.Services[0].DurationMS)
}

func TestHealth_Failures(t *testing.T) {
	p, address := newPlatform(t)
	wrong := newDatasourceWith(t, address, nil, map[string]string{"monitoringToken": "wrong"})
	result := health(t, wrong)
	require.Equal(t, backend.HealthStatusError, result.Status)
	require.Contains(t, result.Message, "Metrics: The platform refused the monitoring token (401)")

	result = health(t, newDatasourceWith(t, address, nil, nil))
	require.Equal(t, backend.HealthStatusError, result.Status)
	require.Contains(t, result.Message, "No monitoring token is set")

	result = health(t, newDatasource(t, address, values{"projectId": "another"}))
	require.Contains(t, result.Message, "project id")

	p.Inject(platform.Fault{Kind: platform.FaultHang})
	t.Cleanup(p.ClearFaults)
	result = health(t, newDatasource(t, address, values{"timeout": 1}))
	require.Contains(t, result.Message, "did not answer in time")
}

func TestHealth_NoRetry(t *testing.T) {
	p, address := newPlatform(t)
	p.Inject(platform.Fault{Status: 503})
	t.Cleanup(p.ClearFaults)
	result := health(t, newDatasource(t, address, nil))
	require.Equal(t, backend.HealthStatusError, result.Status)
	require.Contains(t, result.Message, "Metrics: The metrics endpoint failed (503)")
	require.Equal(t, 1, p.Counters().Count("", "", -1))

	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	began := time.Now()
	result = health(t, newDatasource(t, refused.URL, nil))
	require.Contains(t, result.Message, "the connection was refused")
	require.Less(t, time.Since(began), time.Second, "retries take 1.8 s")
}
