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
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// upstream is the platform of a case. It serves the responses of a file, which is one JSON object. A name is a method with a
// path and the parameters that the request must have, "GET /v1/x?a=1"; the one with most parameters counts. A value is
// the body of the response, or {"status", "body"}.
//
// Paths of the gateway begin with /intelligence, those of metrics with /v1/projects/p/metrics/timeseries.
type upstream struct {
	responses []response

	lock sync.Mutex
	// unknown are the requests without a response.
	unknown []string
}

type response struct {
	method, path string
	params       url.Values
	status       int
	body         json.RawMessage
}

func newUpstream(t *testing.T, file []byte) *upstream {
	t.Helper()
	var named map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(file, &named))
	u := &upstream{}
	for name, body := range named {
		method, address, _ := strings.Cut(name, " ")
		target, err := url.Parse(address)
		require.NoError(t, err)
		r := response{method, target.Path, target.Query(), http.StatusOK, body}
		var failure struct {
			Status int             `json:"status"`
			Body   json.RawMessage `json:"body"`
		}
		if json.Unmarshal(body, &failure) == nil && failure.Status != 0 {
			r.status, r.body = failure.Status, failure.Body
		}
		u.responses = append(u.responses, r)
	}
	slices.SortFunc(u.responses, func(a, b response) int { return len(b.params) - len(a.params) })
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, known := range u.responses {
		if known.matches(r) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(known.status)
			_, _ = w.Write(known.body)
			return
		}
	}
	u.lock.Lock()
	defer u.lock.Unlock()
	u.unknown = append(u.unknown, r.Method+" "+r.URL.Path+"?"+r.Form.Encode())
	w.WriteHeader(http.StatusNotFound)
}

func (known response) matches(r *http.Request) bool {
	if known.method != r.Method || known.path != r.URL.Path {
		return false
	}
	for name, values := range known.params {
		if !slices.Equal(values, r.Form[name]) {
			return false
		}
	}
	return true
}

// check fails if a request had no response.
func (u *upstream) check(t *testing.T) {
	t.Helper()
	u.lock.Lock()
	defer u.lock.Unlock()
	require.Empty(t, u.unknown, "requests without a response in the file")
}

// text writes a response for people: its error, or each frame with its type, its notices, and a line for each field with the
// values of all rows, above the configuration of the field.
func text(response backend.DataResponse) string {
	if response.Error != nil {
		return fmt.Sprintf("Error %d (%s): %s\n", response.Status, response.ErrorSource, response.Error)
	}
	var b strings.Builder
	for i, frame := range response.Frames {
		if i > 0 {
			b.WriteString("\n")
		}
		writeFrame(&b, frame)
	}
	return b.String()
}

func writeFrame(b *strings.Builder, frame *data.Frame) {
	if meta := frame.Meta; meta != nil {
		if meta.Type != "" {
			fmt.Fprintf(b, "Type: %s %v\n", meta.Type, meta.TypeVersion)
		}
		if shown := string(meta.PreferredVisualization) + meta.PreferredVisualizationPluginID; shown != "" {
			fmt.Fprintf(b, "Shown as: %s\n", shown)
		}
		if meta.ExecutedQueryString != "" {
			fmt.Fprintf(b, "Executed: %q\n", meta.ExecutedQueryString)
		}
		if meta.Custom != nil {
			fmt.Fprintf(b, "Custom: %s\n", encoded(meta.Custom))
		}
		for _, notice := range meta.Notices {
			severity := notice.Severity.String()
			fmt.Fprintf(b, "Notice, %s: %s\n", severity, notice.Text)
		}
	}
	fmt.Fprintf(b, "Frame %q, %d rows\n", frame.Name, frame.Rows())
	for _, field := range frame.Fields {
		fmt.Fprintf(b, "  %s%s %s: %s\n", field.Name, labels(field), field.Type().ItemTypeString(), values(field))
		if field.Config != nil {
			fmt.Fprintf(b, "    %s\n", encoded(field.Config))
		}
	}
}

func labels(field *data.Field) string {
	if field.Labels == nil {
		return ""
	}
	return "{" + field.Labels.String() + "}"
}

// values are those of all rows. A null is written as "–".
func values(field *data.Field) string {
	var written []string
	for row := range field.Len() {
		value, known := field.ConcreteAt(row)
		cell := fmt.Sprint(value)
		switch value := value.(type) {
		case time.Time:
			cell = value.UTC().Format(time.RFC3339Nano)
		case json.RawMessage:
			cell = string(value)
		}
		if !known {
			cell = "–"
		}
		written = append(written, cell)
	}
	return strings.Join(written, " | ")
}

func encoded(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
