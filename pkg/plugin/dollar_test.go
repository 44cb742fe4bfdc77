package plugin_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// Grafana cuts a provisioned value at its first $: what arrives is the beginning of the credential. Only Grafana's front end
// knows whether a data source is provisioned, so a health check tells it which credentials were refused.
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
			response := ask(t, ds, dataQuery(t, "A", test.query))["A"]
			require.EqualError(t, response.Error, hint)
			require.Equal(t, backend.StatusUnauthorized, response.Status)
			require.Contains(t, checked.Message, service+": "+hint)
		})
	}
	for _, path := range []string{"api/v1/labels", "jobs"} {
		status, body := resource(t, ds, &backend.CallResourceRequest{Path: path, URL: path})
		require.Equal(t, http.StatusUnauthorized, status)
		require.NotContains(t, body, "$")
	}

	t.Run("and none once it is whole", func(t *testing.T) {
		mended := newDatasourceWith(t, address, nil, map[string]string{"monitoringToken": whole})
		frames(t, mended, values{"expr": "vector(1)"})
	})
}
