// Package datasource makes data sources of the plugin for the tests of several folders.
package datasource

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// A query is a line of the backend's log at the level debug, and the output of a test that fails has to be readable.
func init() { log.DefaultLogger = log.NewWithLevel(log.Warn) }

// Settings are the settings and secrets of a data source with all three services of a simulated platform at an address.
func Settings(address string) (jsonData map[string]any, secrets map[string]string) {
	jsonData = map[string]any{
		"baseUrl": address, "projectId": platform.DefaultProjectID, "organizationId": platform.OrganizationID,
		"intelligenceUrl": address + platform.TuningPath, "accessKeyId": platform.DefaultAccessKeyID,
	}
	secrets = map[string]string{
		"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": platform.DefaultInferenceAPIKey,
		"secretKey": platform.DefaultSecretKey,
	}
	return jsonData, secrets
}

// New makes a data source, which ends with the test.
func New(t testing.TB, jsonData map[string]any, secrets map[string]string) *plugin.Datasource {
	t.Helper()
	encoded, err := json.Marshal(jsonData)
	require.NoError(t, err)
	instance, err := plugin.New(context.Background(), backend.DataSourceInstanceSettings{
		UID: "gpucloud", Name: "GPU Cloud", JSONData: encoded, DecryptedSecureJSONData: secrets,
	})
	require.NoError(t, err)
	ds := instance.(*plugin.Datasource)
	t.Cleanup(ds.Dispose)
	return ds
}

// InMemory is a context whose requests a handler serves without a network, as the virtual time of a synctest bubble needs. What
// is below the limits of concurrency and time is left out: credentials, content codings and connections.
func InMemory(ctx context.Context, handle http.HandlerFunc) context.Context {
	return httpclient.WithContextualMiddleware(ctx, httpclient.MiddlewareFunc(func(httpclient.Options, http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			recorder := httptest.NewRecorder()
			handle(recorder, req)
			if err := req.Context().Err(); err != nil {
				return nil, err
			}
			response := recorder.Result()
			response.Request = req
			return response, nil
		})
	}))
}

// Nowhere is an address for requests that a handler serves in memory.
const Nowhere = "http://platform.test"
