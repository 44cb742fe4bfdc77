package docs_test

import (
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

// run runs one saved query over the day that ends now.
func run(t *testing.T, ds *plugin.Datasource, saved object) backend.DataResponse {
	t.Helper()
	like := backend.DataQuery{MaxDataPoints: 500, Interval: time.Minute, TimeRange: backend.TimeRange{From: now.Add(-24 * time.Hour), To: now}}
	return datasource.Query(t, ds, nil, like, saved)[""]
}

// frames runs a query, which has to succeed.
func frames(t *testing.T, ds *plugin.Datasource, saved object) data.Frames {
	t.Helper()
	response := run(t, ds, saved)
	require.NoError(t, response.Error)
	return response.Frames
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile("../../" + name)
	require.NoError(t, err)
	return string(content)
}
