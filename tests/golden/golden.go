// Package golden runs a saved query against given responses of the platform, through the plugin's QueryData, and compares the
// frames with those of a file.
//
// A case is three files in testdata that a person can read: <query>.query.json, <responses>.responses.json and
// <case>.frames.txt. A file of frames that is missing fails the test. To write the files again, and review what changed:
//
//	UPDATE_GOLDEN=1 go test -tags arrow_json_stdlib ./tests/golden
package golden

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

// Case is one query with its responses and its frames.
type Case struct {
	// Query and Responses name files. Responses is that of Query if it is empty.
	Query, Responses string
	// Alert runs the query as an alert rule does, and Expression as a panel with server-side expressions does.
	Alert, Expression bool
}

// Name is that of the file of frames: the query, and whether an alert rule or an expression runs it.
func (c Case) Name() string {
	switch {
	case c.Alert:
		return c.Query + ".alert"
	case c.Expression:
		return c.Query + ".expression"
	}
	return c.Query
}

// queryRange is the length of the range of every query. It ends now, which is the start of a synctest bubble: midnight of
// 1 January 2000 UTC.
const queryRange = 6 * time.Hour

// Run runs a case on a new data source, whose settings have all three services. files is the folder of the case's files.
func Run(t *testing.T, files string, c Case) {
	t.Helper()
	if c.Responses == "" {
		c.Responses = c.Query
	}
	saved := read(t, files, c.Query+".query.json")
	upstream := newUpstream(t, read(t, files, c.Responses+".responses.json"))
	begin(t)
	var got string
	synctest.Test(t, func(t *testing.T) {
		server := httptest.NewServer(upstream)
		defer server.Close()
		ds := newDatasource(t, server.URL)
		defer ds.Dispose()
		now := time.Now().UTC()
		request := &backend.QueryDataRequest{Queries: []backend.DataQuery{{
			RefID: "A", JSON: saved, MaxDataPoints: 1000, Interval: time.Minute,
			TimeRange: backend.TimeRange{From: now.Add(-queryRange), To: now},
		}}}
		if c.Alert {
			request.Headers = map[string]string{"FromAlert": "true"}
		}
		if c.Expression {
			request.SetHTTPHeader("X-Grafana-From-Expr", "true")
		}
		response, err := ds.QueryData(t.Context(), request)
		require.NoError(t, err)
		got = text(response.Responses["A"])
		if c.Expression {
			requireReadableBySQL(t, response.Responses["A"].Frames)
		}
	})
	upstream.check(t)
	compare(t, filepath.Join(files, c.Name()+".frames.txt"), got)
}

// requireReadableBySQL requires frames of which Grafana makes the table of an expression in SQL: series or numbers, or one frame whose
// columns have no labels.
//
// https://github.com/grafana/grafana/blob/v12.4.0/pkg/expr/sql_command.go, handleSqlInput
func requireReadableBySQL(t *testing.T, frames data.Frames) {
	t.Helper()
	require.NotEmpty(t, frames)
	if meta := frames[0].Meta; meta != nil {
		switch meta.Type {
		case data.FrameTypeNumericMulti, data.FrameTypeNumericWide, data.FrameTypeTimeSeriesMulti, data.FrameTypeTimeSeriesWide:
			return
		}
	}
	require.Len(t, frames, 1)
	require.NotEmpty(t, frames[0].Fields, "a column that is not there is an error")
	for _, field := range frames[0].Fields {
		require.Empty(t, field.Labels)
	}
}

// compare fails if a file is missing or differs, unless it is to be written.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
		return
	}
	want, err := os.ReadFile(file) //nolint:gosec // a file of the test
	require.NoError(t, err)
	require.Equal(t, string(want), got, "%s: see the package's documentation for how to write it again", file)
}

func read(t *testing.T, folder, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name)) //nolint:gosec // a file of the test
	require.NoError(t, err)
	return content
}

// begin sends a request without queries, so that what all data sources of the process share is made outside of the bubble.
func begin(t *testing.T) {
	t.Helper()
	ds := newDatasource(t, "http://platform.invalid")
	defer ds.Dispose()
	_, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{})
	require.NoError(t, err)
}

// newDatasource is a data source with all three services at one address.
func newDatasource(t *testing.T, address string) *plugin.Datasource {
	t.Helper()
	settings, err := json.Marshal(map[string]any{
		"baseUrl": address, "projectId": "p", "organizationId": "o", "intelligenceUrl": address + "/intelligence", "accessKeyId": "key",
	})
	require.NoError(t, err)
	instance, err := plugin.New(context.Background(), backend.DataSourceInstanceSettings{
		UID: "uid", Name: "GPU Cloud", JSONData: settings,
		DecryptedSecureJSONData: map[string]string{"monitoringToken": "token", "inferenceApiKey": "key", "secretKey": "c2VjcmV0LWtleQ"}, //nolint:gosec // made up; cspell:ignore Wtle
	})
	require.NoError(t, err)
	return instance.(*plugin.Datasource)
}
