// Package datasource makes data sources of the plugin for the tests of several folders.
package datasource

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
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

// Query runs saved queries in one request, with the range, the interval and the number of points of a query.
func Query(t testing.TB, ds backend.QueryDataHandler, headers map[string]string, like backend.DataQuery, saved ...map[string]any) backend.Responses {
	t.Helper()
	request := &backend.QueryDataRequest{Headers: headers}
	for _, query := range saved {
		encoded, err := json.Marshal(query)
		require.NoError(t, err)
		like.RefID, _ = query["refId"].(string)
		like.JSON = encoded
		request.Queries = append(request.Queries, like)
	}
	response, err := ds.QueryData(context.Background(), request)
	require.NoError(t, err)
	return response.Responses
}

// Resources responds to requests as the resources of a data source do to an editor.
type Resources struct{ *plugin.Datasource }

// RoundTrip implements http.RoundTripper.
func (ds Resources) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body) // of a reader in memory
	}
	path, response := strings.TrimPrefix(r.URL.Path, "/"), httptest.NewRecorder()
	err := ds.CallResource(r.Context(), &backend.CallResourceRequest{
		PluginContext: backend.PluginContext{User: &backend.User{Role: "Editor"}}, Method: r.Method,
		Path: path, URL: path + "?" + r.URL.RawQuery, Headers: r.Header, Body: body,
	}, backend.CallResourceResponseSenderFunc(func(part *backend.CallResourceResponse) error {
		if part.Status != 0 {
			response.WriteHeader(part.Status)
		}
		_, err := response.Write(part.Body)
		return err
	}))
	return response.Result(), err
}

// Get gets a resource of a data source, which has to succeed.
func Get(t testing.TB, ds *plugin.Datasource, path string, params url.Values) []byte {
	t.Helper()
	response, err := Resources{ds}.RoundTrip(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/"+path+"?"+params.Encode(), nil))
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", body)
	return body
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
