package plugin_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// noon is the platform's clock in tests, a multiple of every step in them.
var noon = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// newPlatform runs the simulator in this process with its clock at noon.
func newPlatform(t *testing.T) (*platform.Platform, string) {
	t.Helper()
	return newPlatformWith(t, platform.Config{})
}

func newPlatformWith(t *testing.T, config platform.Config) (*platform.Platform, string) {
	t.Helper()
	if config.Now == nil {
		config.Now = func() time.Time { return noon }
	}
	p := platform.New(config)
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, server.URL
}

// inBubble runs a test while no time passes. Otherwise the minute may end in which a result can be reused.
func inBubble(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

type values = map[string]any

// newDatasource makes a data source for the platform at address. changes overwrite its jsonData; nil removes a setting.
func newDatasource(t *testing.T, address string, changes values) *plugin.Datasource {
	t.Helper()
	return newDatasourceWith(t, address, changes, map[string]string{"monitoringToken": platform.DefaultMonitoringToken})
}

func newDatasourceWith(t *testing.T, address string, changes values, secrets map[string]string) *plugin.Datasource {
	t.Helper()
	jsonData := values{"baseUrl": address, "projectId": platform.DefaultProjectID}
	for name, value := range changes {
		jsonData[name] = value
		if value == nil {
			delete(jsonData, name)
		}
	}
	return datasource.New(t, jsonData, secrets)
}

// dataQuery is a query over the hour before noon, as Grafana hands it to a plugin.
func dataQuery(t *testing.T, refID string, saved values) backend.DataQuery {
	t.Helper()
	encoded, err := json.Marshal(saved)
	require.NoError(t, err)
	return backend.DataQuery{
		RefID: refID, JSON: encoded, MaxDataPoints: 1000, Interval: time.Minute,
		TimeRange: backend.TimeRange{From: noon.Add(-time.Hour), To: noon},
	}
}

func runQueries(t *testing.T, ds *plugin.Datasource, queries ...backend.DataQuery) backend.Responses {
	t.Helper()
	response, err := ds.QueryData(context.Background(), &backend.QueryDataRequest{Queries: queries})
	require.NoError(t, err)
	return response.Responses
}

// frames runs one query over the hour before noon and expects a result.
func frames(t *testing.T, ds *plugin.Datasource, saved values) data.Frames {
	t.Helper()
	response := runQueries(t, ds, dataQuery(t, "A", saved))["A"]
	require.NoError(t, response.Error)
	require.Equal(t, backend.StatusOK, response.Status)
	return response.Frames
}

// noticeTexts are the texts of the notices of frames, a line each.
func noticeTexts(frames ...*data.Frame) string {
	var texts []string
	for _, frame := range frames {
		if frame.Meta != nil {
			for _, notice := range frame.Meta.Notices {
				texts = append(texts, notice.Text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// rowsOf are the rows of a table, each as its columns that have a value.
func rowsOf(frame *data.Frame) []map[string]any {
	rows := make([]map[string]any, frame.Rows())
	for i := range rows {
		rows[i] = map[string]any{}
		for _, field := range frame.Fields {
			if value, ok := field.ConcreteAt(i); ok {
				rows[i][field.Name] = value
			}
		}
	}
	return rows
}

// resource calls a resource as Grafana does and returns its status and body.
func resource(t *testing.T, ds *plugin.Datasource, req *backend.CallResourceRequest) (int, string) {
	t.Helper()
	if req.Method == "" {
		req.Method = http.MethodGet
	}
	var status int
	var body []byte
	err := ds.CallResource(context.Background(), req, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
		if r.Status != 0 {
			status = r.Status
		}
		body = append(body, r.Body...)
		return nil
	}))
	require.NoError(t, err)
	return status, string(body)
}

// serveFunc runs a platform with a handler.
func serveFunc(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

func encode(v any) string {
	encoded, _ := json.Marshal(v)
	return string(encoded)
}
