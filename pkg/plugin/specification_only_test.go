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

// diverging is a finished job of the simulator, with checkpoints.
const diverging = "ftjob-0dd0000000000002"

// newSpecOnly makes a data source of a platform that serves only the operations of its specification.
func newSpecOnly(t *testing.T, secrets map[string]string) *plugin.Datasource {
	t.Helper()
	_, address := newPlatformWith(t, platform.Config{Now: time.Now, SpecOnly: true})
	all := map[string]string{
		"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": platform.DefaultInferenceAPIKey, "secretKey": platform.DefaultSecretKey,
	}
	for name, value := range secrets {
		all[name] = value
	}
	return newDatasourceWith(t, address, values{
		"intelligenceUrl": address + platform.TuningPath, "accessKeyId": platform.DefaultAccessKeyID,
	}, all)
}

func TestSpecificationOnly_Health(t *testing.T) {
	result := health(t, newSpecOnly(t, nil))
	require.Equal(t, backend.HealthStatusOk, result.Status, result.Message)
	require.Regexp(t, `Fine-tuning: a request for a job took \d+ ms\.`, result.Message)

	result = health(t, newSpecOnly(t, map[string]string{"inferenceApiKey": "another"}))
	require.Equal(t, backend.HealthStatusError, result.Status)
	require.Contains(t, result.Message, "The platform refused the inference API key (401).")
}

func TestSpecificationOnly_JobsByID(t *testing.T) {
	ds := newSpecOnly(t, nil)
	const sentence = "The tuning gateway takes new jobs and does not list them (405). Choose jobs by id."
	for _, kind := range []string{"fineTuningJobs", "fineTuningCheckpoints", "fineTuningCurves"} {
		response := runQueries(t, ds, dataQuery(t, "A", values{"queryType": kind, "onlyInRange": false}))["A"]
		require.EqualError(t, response.Error, sentence, kind)
	}
	for _, path := range []string{"jobs", "statuses"} {
		status, body := resource(t, ds, &backend.CallResourceRequest{Path: path, URL: path})
		require.Equal(t, http.StatusMethodNotAllowed, status)
		require.Contains(t, body, sentence)
	}
	for _, kind := range []string{"fineTuningJobs", "fineTuningCheckpoints", "fineTuningCurves"} {
		found := monthTo(t, ds, time.Now(), values{"queryType": kind, "jobIds": []string{diverging}, "onlyInRange": false})
		require.Positive(t, found[0].Rows(), kind)
	}
	events := monthTo(t, ds, time.Now(), values{"queryType": "fineTuningEvents", "jobIds": []string{diverging}})
	require.Contains(t, events[0].Meta.Notices[0].Text, "The tuning gateway has no events of the chosen jobs.")
	status, body := resource(t, ds, &backend.CallResourceRequest{
		Path: "checkpoints/ftckpt-0dd0000000000002-01/content", PluginContext: asRole("Editor"),
	})
	require.Equal(t, http.StatusOK, status, "%.200s", body)
}
