// Package golden runs saved queries against given responses of the platform, through the plugin's QueryData, and compares the
// frames with those of files.
//
// A folder of testdata has the responses of a service, responses.json, and for each query two files that a person can read:
// <query>.query.json and <query>.frames.txt. Where there is a file <query>.alert.frames.txt or <query>.expression.frames.txt, the
// query is also run as an alert rule does, or a panel with server-side expressions. To write the files of frames again, of which a
// new one may be empty, and review what changed:
//
//	UPDATE_GOLDEN=1 go test -tags arrow_json_stdlib ./tests/golden
package golden

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

func TestFrames(t *testing.T) {
	queries, err := filepath.Glob("testdata/*/*.query.json")
	require.NoError(t, err)
	cases := 0
	for _, query := range queries {
		for _, mode := range []string{"", ".alert", ".expression"} {
			file := strings.TrimSuffix(query, ".query.json") + mode + ".frames.txt"
			if _, err := os.Stat(file); mode != "" && err != nil {
				continue
			}
			cases++
			t.Run(strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".frames.txt"), func(t *testing.T) {
				compare(t, file, run(t, query, mode))
			})
		}
	}
	require.Equal(t, wantCases, cases, "a file that is gone takes its case with it")
}

// wantCases is how many files of frames there are.
const wantCases = 109

// queryRange is the length of the range of every query. It ends now, which is the start of a synctest bubble: midnight of
// 1 January 2000 UTC.
const queryRange = 6 * time.Hour

// run runs a saved query on a new data source, whose settings have all three services, and returns its frames as text.
func run(t *testing.T, query, mode string) (got string) {
	t.Helper()
	saved := read(t, query)
	upstream := newUpstream(t, read(t, filepath.Join(filepath.Dir(query), "responses.json")))
	begin(t)
	synctest.Test(t, func(t *testing.T) {
		server := httptest.NewServer(upstream)
		defer server.Close()
		ds := newDatasource(t, server.URL)
		now := time.Now().UTC()
		request := &backend.QueryDataRequest{Queries: []backend.DataQuery{{
			RefID: "A", JSON: saved, MaxDataPoints: 1000, Interval: time.Minute,
			TimeRange: backend.TimeRange{From: now.Add(-queryRange), To: now},
		}}}
		switch mode {
		case ".alert":
			request.Headers = map[string]string{"FromAlert": "true"}
		case ".expression":
			request.SetHTTPHeader("X-Grafana-From-Expr", "true")
		}
		response, err := ds.QueryData(t.Context(), request)
		require.NoError(t, err)
		got = text(response.Responses["A"])
		for _, frame := range response.Responses["A"].Frames {
			require.Equal(t, "A", frame.RefID)
		}
		if mode == ".expression" {
			requireReadableBySQL(t, response.Responses["A"].Frames)
		}
	})
	upstream.check(t)
	return got
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
	require.Equal(t, string(read(t, file)), got, "%s: see the package's documentation for how to write it again", file)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return content
}

// begin sends a request without queries, so that what all data sources of the process share is made outside of the bubble.
func begin(t *testing.T) {
	t.Helper()
	_, err := newDatasource(t, "http://platform.invalid").QueryData(t.Context(), &backend.QueryDataRequest{})
	require.NoError(t, err)
}

// newDatasource is a data source with all three services at one address.
func newDatasource(t *testing.T, address string) *plugin.Datasource {
	t.Helper()
	return datasource.New(t, map[string]any{
		"baseUrl": address, "projectId": "p", "organizationId": "o", "intelligenceUrl": address + "/intelligence", "accessKeyId": "key",
	}, map[string]string{"monitoringToken": "token", "inferenceApiKey": "key", "secretKey": "c2VjcmV0LWtleQ"}) // cspell:ignore Wtle
}
