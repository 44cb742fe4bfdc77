package docs_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

type object = map[string]any

// now is the platform's clock in these tests. Signatures are of the present, so it is, too.
var now = time.Now()

// newAddress serves a simulated platform and returns its address.
func newAddress(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(platform.New(platform.Config{Relative: true, Now: func() time.Time { return now }}))
	t.Cleanup(server.Close)
	return server.URL
}

// newDemo is a data source of a simulated platform, with all services set up.
func newDemo(t *testing.T) *plugin.Datasource {
	t.Helper()
	jsonData, secrets := datasource.Settings(newAddress(t))
	return datasource.New(t, jsonData, secrets)
}

// run runs one saved query over the span that ends now.
func run(t *testing.T, ds *plugin.Datasource, saved object, span time.Duration, headers map[string]string) backend.DataResponse {
	t.Helper()
	encoded, err := json.Marshal(saved)
	require.NoError(t, err)
	response, err := ds.QueryData(context.Background(), &backend.QueryDataRequest{
		Headers: headers,
		Queries: []backend.DataQuery{{
			RefID: "A", JSON: encoded, MaxDataPoints: 500, Interval: time.Minute,
			TimeRange: backend.TimeRange{From: now.Add(-span), To: now},
		}},
	})
	require.NoError(t, err)
	return response.Responses["A"]
}

// frames runs a query over a day, which has to succeed.
func frames(t *testing.T, ds *plugin.Datasource, saved object) data.Frames {
	t.Helper()
	response := run(t, ds, saved, 24*time.Hour, nil)
	require.NoError(t, response.Error)
	return response.Frames
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile("../../" + name)
	require.NoError(t, err)
	return string(content)
}
