package plugin_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
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
	require.Regexp(t, `^✓ Metrics: a range query took \d+ ms\.`, result.Message)
	require.Equal(t, 1, p.Counters().Count("", "", -1), "one question is enough")

	var details struct {
		VerboseMessage string
		Services       []struct {
			Service        string
			OK, Configured bool
		}
	}
	require.NoError(t, json.Unmarshal(result.JSONDetails, &details))
	require.Equal(t, "Metrics", details.Services[0].Service)
	require.True(t, details.Services[0].OK)
	require.Equal(t, result.Message, details.VerboseMessage)
}

// A gateway may only create jobs, and have each by its id.
func TestHealth_SpecificationOnlyGateway(t *testing.T) {
	_, address := newPlatformWith(t, platform.Config{Now: time.Now, SpecOnly: true})
	settings, secrets := datasource.Settings(address)
	result := health(t, datasource.New(t, settings, secrets))
	require.Equal(t, backend.HealthStatusOk, result.Status, result.Message)
	require.Regexp(t, `Fine-tuning: a request for a job took \d+ ms\.`, result.Message)

	secrets["inferenceApiKey"] = "another"
	result = health(t, datasource.New(t, settings, secrets))
	require.Equal(t, backend.HealthStatusError, result.Status)
	require.Contains(t, result.Message, "The platform refused the inference API key (401).")
}

// Grafana cuts a provisioned value at its first $. Only the front end knows whether a data source is provisioned, so a health
// check reports which credentials the platform refused.
func TestHealth_TruncatedCredential(t *testing.T) {
	const whole, cut = "begins$and-goes-on", "begins"
	_, address := newPlatformWith(t, platform.Config{Now: time.Now, MonitoringToken: whole, InferenceAPIKey: whole})
	ds := newDatasourceWith(t, address, values{"intelligenceUrl": address + platform.TuningPath, "accessKeyId": platform.DefaultAccessKeyID},
		map[string]string{"monitoringToken": cut, "inferenceApiKey": cut, "secretKey": platform.DefaultSecretKey[:8]})
	checked := health(t, ds)
	require.Equal(t, backend.HealthStatusError, checked.Status)
	var details struct{ Services []struct{ Refused bool } }
	require.NoError(t, json.Unmarshal(checked.JSONDetails, &details))
	for _, service := range details.Services {
		require.True(t, service.Refused)
	}

	for service, test := range map[string]struct {
		query      values
		credential string
	}{
		"Metrics":     {values{"expr": "up"}, "monitoring token"},
		"Fine-tuning": {values{"queryType": "fineTuningJobs"}, "inference API key"},
		"Main API":    {values{"queryType": "capacities"}, "access key"},
	} {
		t.Run(service, func(t *testing.T) {
			hint := "The platform refused the " + test.credential + " (401). Set a valid one in the data source's settings, section " + service +
				"."
			response := runQueries(t, ds, dataQuery(t, "A", test.query))["A"]
			require.EqualError(t, response.Error, hint)
			require.Equal(t, backend.StatusUnauthorized, response.Status)
			require.Contains(t, checked.Message, service+": "+hint)
		})
	}
	for _, path := range []string{"api/v1/labels", "jobs"} {
		status, body := resource(t, ds, &backend.CallResourceRequest{Path: path, URL: path})
		require.Equal(t, http.StatusBadGateway, status)
		require.NotContains(t, body, "$")
	}

	t.Run("whole credential", func(t *testing.T) {
		fixed := newDatasourceWith(t, address, nil, map[string]string{"monitoringToken": whole})
		frames(t, fixed, values{"expr": "vector(1)"})
	})
}
