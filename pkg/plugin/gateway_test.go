// cspell:ignore PKPK Fmodels
package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/memorytest"
)

const inferenceKey = "inference-key"

// tuningGateway has one failed job with one checkpoint. A download has the given size.
func tuningGateway(size int64) http.HandlerFunc {
	list := func(w http.ResponseWriter, items ...values) {
		_ = json.NewEncoder(w).Encode(values{"object": "list", "data": items, "has_more": false})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/fine_tuning/jobs", func(w http.ResponseWriter, _ *http.Request) {
		now := time.Now()
		list(w, values{"id": "ftjob-1", "status": "failed", "model": "llama-8b", "suffix": "support",
			"created_at": now.Add(-time.Hour).Unix(), "finished_at": now.Add(-time.Minute).Unix()})
	})
	mux.HandleFunc("GET /v1/fine_tuning/jobs/ftjob-1/checkpoints", func(w http.ResponseWriter, _ *http.Request) {
		list(w, values{"id": "ckpt-1", "step_number": 10, "created_at": time.Now().Add(-30 * time.Minute).Unix()})
	})
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { list(w, values{"id": "llama-8b"}) })
	mux.HandleFunc("GET /v1/files", func(w http.ResponseWriter, _ *http.Request) { list(w) })
	mux.HandleFunc("GET /v1/files/ckpt-1/content", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		block := bytes.Repeat([]byte("PK"), 64<<10)
		for left := size; left > 0; left -= int64(len(block)) {
			_, _ = w.Write(block[:min(left, int64(len(block)))])
		}
	})
	mux.HandleFunc("GET /v1/files/cut/content", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(bytes.Repeat([]byte("PK"), 250000))
	})
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer "+inferenceKey {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error": {"message": "Incorrect API key provided"}}`)
			return
		}
		mux.ServeHTTP(w, r)
	}
}

// newTuning makes a data source with the gateway only.
func newTuning(t *testing.T, address string) *plugin.Datasource {
	t.Helper()
	only := values{"baseUrl": nil, "projectId": nil, "intelligenceUrl": address}
	return newDatasourceWith(t, "", only, map[string]string{"inferenceApiKey": inferenceKey})
}

func recently(t *testing.T, refID string, saved values) backend.DataQuery {
	q := dataQuery(t, refID, saved)
	q.TimeRange = backend.TimeRange{From: time.Now().Add(-15 * time.Minute), To: time.Now()}
	return q
}

func TestTuning_OnlyService(t *testing.T) {
	address := serveFunc(t, tuningGateway(0))
	for name, intelligenceURL := range map[string]string{"without slash": address, "with a slash": address + "/", "with its version": address + "/v1", "with both": address + "/v1/"} {
		t.Run(name, func(t *testing.T) {
			ds := newTuning(t, intelligenceURL)
			var queries []backend.DataQuery
			for _, queryType := range jobs.QueryTypes() {
				queries = append(queries, recently(t, queryType, values{"queryType": queryType}))
			}
			queries = append(queries, recently(t, "metrics", values{"expr": "up"}))
			responses := runQueries(t, ds, queries...)
			for _, queryType := range jobs.QueryTypes() {
				require.NoError(t, responses[queryType].Error, queryType)
				require.NotEmpty(t, responses[queryType].Frames, queryType)
				require.Equal(t, queryType, responses[queryType].Frames[0].RefID)
			}
			require.ErrorContains(t, responses["metrics"].Error, "No base address is set")
			require.Equal(t, 1, responses["fineTuningJobs"].Frames[0].Rows())

			result := health(t, ds)
			require.Equal(t, backend.HealthStatusOk, result.Status, result.Message)
			require.Regexp(t, `(?m)^– Metrics: not configured\.$`, result.Message)
			require.Regexp(t, `(?m)^✓ Fine-tuning: the list of jobs took \d+ ms\.$`, result.Message)
		})
	}
}

// The dashboards have panels of all services, of which many data sources have one.
func TestQueryData_NotSetUp(t *testing.T) {
	_, address := newPlatform(t)
	metricsOnly, nothing := newDatasource(t, address, nil), newDatasourceWith(t, "", nil, nil)
	t.Run("metrics", func(t *testing.T) {
		tuning := newTuning(t, serveFunc(t, tuningGateway(0)))
		request := &backend.QueryDataRequest{Headers: map[string]string{"http_X-Dashboard-Uid": "d"}, Queries: []backend.DataQuery{recently(t, "A", values{"expr": "up"})}}
		result, err := tuning.QueryData(t.Context(), request)
		require.NoError(t, err)
		require.Error(t, result.Responses["A"].Error)
	})
	t.Run("lists for variables", func(t *testing.T) {
		for _, path := range []string{"jobs", "models", "statuses"} {
			status, body := resource(t, metricsOnly, &backend.CallResourceRequest{Path: path})
			require.Equal(t, http.StatusOK, status)
			require.JSONEq(t, "[]", body)
			status, _ = resource(t, nothing, &backend.CallResourceRequest{Path: path})
			require.Equal(t, http.StatusBadRequest, status)
		}
	})
	t.Run("a timeline", func(t *testing.T) { // without a row, Grafana says that the data has no time field
		saved := recently(t, "A", values{"queryType": "fineTuningJobs", "format": "timeline"})
		result, err := metricsOnly.QueryData(t.Context(), &backend.QueryDataRequest{Headers: map[string]string{"http_X-Dashboard-Uid": "d"}, Queries: []backend.DataQuery{saved}})
		require.NoError(t, err)
		frame := result.Responses["A"].Frames[0]
		require.Equal(t, "No job here", frame.Fields[1].Config.DisplayNameFromDS)
		require.Contains(t, noticeTexts(frame), "No gateway address is set.")
	})
	t.Run("curves over an axis", func(t *testing.T) { // without the axis, Grafana says that it can't find the field
		saved := recently(t, "A", values{"queryType": "runComparison", "source": values{"kind": "fineTuning"}, "metric": "train_loss", "axis": "elapsed"})
		result, err := metricsOnly.QueryData(t.Context(), &backend.QueryDataRequest{Headers: map[string]string{"http_X-Dashboard-Uid": "d"}, Queries: []backend.DataQuery{saved}})
		require.NoError(t, err)
		frame := result.Responses["A"].Frames[0]
		require.Equal(t, "elapsed", frame.Fields[0].Name)
		require.Contains(t, noticeTexts(frame), "No gateway address is set.")
	})
	for name, test := range map[string]struct {
		ds      *plugin.Datasource
		headers map[string]string
		fails   bool
	}{
		"in a panel":                    {metricsOnly, map[string]string{"http_X-Dashboard-Uid": "d"}, false},
		"in Explore":                    {metricsOnly, nil, true},
		"in an alert rule":              {metricsOnly, map[string]string{"http_X-Dashboard-Uid": "d", backend.FromAlertHeaderName: "true"}, true},
		"in an expression":              {metricsOnly, map[string]string{"http_X-Dashboard-Uid": "d", "http_X-Grafana-From-Expr": "true"}, true},
		"in a panel, nothing is set up": {nothing, map[string]string{"http_X-Dashboard-Uid": "d"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for queryType, message := range map[string]string{
				"fineTuningJobs": "No gateway address is set. Set it in the data source's settings, section Fine-tuning.",
				"runs":           "No gateway address is set. Set it in the data source's settings, section Fine-tuning.",
				"capacities":     "No access key id is set. Set it in the data source's settings, section Main API.",
			} {
				saved := values{"queryType": queryType, "source": values{"kind": "fineTuning"}}
				result, err := test.ds.QueryData(t.Context(), &backend.QueryDataRequest{Headers: test.headers, Queries: []backend.DataQuery{recently(t, "A", saved)}})
				require.NoError(t, err)
				response := result.Responses["A"]
				if test.fails {
					require.Error(t, response.Error, queryType)
					continue
				}
				require.NoError(t, response.Error, queryType)
				require.Len(t, response.Frames, 1)
				require.Zero(t, response.Frames[0].Rows())
				require.Equal(t, message, noticeTexts(response.Frames...))
			}
		})
	}
}

func TestHealth_Tuning(t *testing.T) {
	_, metrics := newPlatform(t)
	gateway := serveFunc(t, tuningGateway(0))
	for name, test := range map[string]struct {
		address, key, says string
	}{
		"no key":              {gateway, "", "Fine-tuning: No inference API key is set"},
		"a wrong key":         {gateway, "wrong", "Fine-tuning: The platform refused the inference API key (401)"},
		"no address":          {"", inferenceKey, "Fine-tuning: No gateway address is set"},
		"no absolute address": {"gateway", inferenceKey, "Fine-tuning: The gateway address is not an absolute address"},
		"the wrong server":    {metrics, inferenceKey, "Fine-tuning: "},
		"connection refused":  {"http://127.0.0.1:1", inferenceKey, "Fine-tuning: The tuning gateway can't be reached: the connection was refused"},
	} {
		t.Run(name, func(t *testing.T) {
			result := health(t, newDatasourceWith(t, metrics, values{"intelligenceUrl": test.address},
				map[string]string{"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": test.key}))
			require.Equal(t, backend.HealthStatusError, result.Status)
			require.Contains(t, result.Message, test.says)
			require.Regexp(t, `(?m)^✓ Metrics: a range query took`, result.Message, "one service's failure hides no other")
		})
	}
}

func asRole(role string) backend.PluginContext {
	return backend.PluginContext{User: &backend.User{Login: "someone", Role: role}}
}

func TestTuning_Resources(t *testing.T) {
	ds := newTuning(t, serveFunc(t, tuningGateway(0)))
	for path, want := range map[string]string{"jobs": `"name":"support"`, "models": `"id":"llama-8b"`, "statuses": `{"status":"failed","jobs":1}`} {
		status, body := resource(t, ds, &backend.CallResourceRequest{Path: path, PluginContext: asRole("Viewer")})
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, body, want)
		status, _ = resource(t, ds, &backend.CallResourceRequest{Path: path, Method: http.MethodPost, PluginContext: asRole("Admin")})
		require.Equal(t, http.StatusMethodNotAllowed, status)
	}
	for _, path := range []string{"files", "checkpoints", "checkpoints/ckpt-1", "v1/files", "tuning/v1/files"} {
		status, _ := resource(t, ds, &backend.CallResourceRequest{Path: path, PluginContext: asRole("Admin")})
		require.Equal(t, http.StatusNotFound, status, path)
	}
	wrong := newDatasourceWith(t, "", values{"intelligenceUrl": serveFunc(t, tuningGateway(0))}, map[string]string{"inferenceApiKey": "wrong"})
	status, body := resource(t, wrong, &backend.CallResourceRequest{Path: "jobs", PluginContext: asRole("Viewer")})
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, body, `{"message":"The platform refused the inference API key (401)`)
}

func TestDownload(t *testing.T) {
	ds := newTuning(t, serveFunc(t, tuningGateway(1000)))
	for name, test := range map[string]struct {
		role, path string
		status     int
		says       string
	}{
		"a viewer may not":                    {"Viewer", "checkpoints/ckpt-1/content", 403, "takes the Editor role"},
		"no role":                             {"", "checkpoints/ckpt-1/content", 403, "takes the Editor role"},
		"an editor may":                       {"Editor", "checkpoints/ckpt-1/content", 200, "PKPK"},
		"an admin may":                        {"Admin", "checkpoints/ckpt-1/content", 200, "PKPK"},
		"a checkpoint that isn't there":       {"Editor", "checkpoints/gone/content", 404, "no content for this checkpoint"},
		"an id that leaves its place":         {"Editor", "checkpoints/..%2F..%2Fmodels/content", 404, "not found"},
		"an id that would break a file name":  {"Editor", "checkpoints/a%22b/content", 400, "not valid"},
		"an id that would break a header too": {"Editor", "checkpoints/a%0d%0ab/content", 400, "not valid"},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := resource(t, ds, &backend.CallResourceRequest{Path: test.path, PluginContext: asRole(test.role)})
			require.Equal(t, test.status, status, body)
			require.Contains(t, body, test.says)
		})
	}

	var head *backend.CallResourceResponse
	err := ds.CallResource(context.Background(), &backend.CallResourceRequest{Method: http.MethodGet, Path: "checkpoints/ckpt-1/content", PluginContext: asRole("Editor")},
		backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
			if head == nil {
				head = r
			}
			return nil
		}))
	require.NoError(t, err)
	header := http.Header(head.Headers)
	require.Equal(t, "application/zip", header.Get("Content-Type"), "a browser must not show it as the type that the gateway names")
	require.Equal(t, "attachment; filename=ckpt-1.zip", header.Get("Content-Disposition"))
	require.Equal(t, "1000", header.Get("Content-Length"))
}

func TestDownload_Memory(t *testing.T) {
	const size = 64 << 20
	ds := newTuning(t, serveFunc(t, tuningGateway(size)))
	var got uint64
	peak := memorytest.Peak(func() {
		err := ds.CallResource(context.Background(), &backend.CallResourceRequest{Method: http.MethodGet, Path: "checkpoints/ckpt-1/content", PluginContext: asRole("Editor")},
			backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
				got += uint64(len(r.Body))
				return nil
			}))
		require.NoError(t, err)
	})
	require.EqualValues(t, size, got)
	require.Less(t, peak, int64(16<<20))
}

func TestDownload_Truncated(t *testing.T) {
	ds := newTuning(t, serveFunc(t, tuningGateway(0)))
	sent := 0
	err := ds.CallResource(context.Background(), &backend.CallResourceRequest{Method: http.MethodGet, Path: "checkpoints/cut/content", PluginContext: asRole("Editor")},
		backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
			sent += len(r.Body)
			return nil
		}))
	require.Error(t, err)
	require.NotContains(t, strings.ToLower(err.Error()), "http")
	require.Equal(t, 500_000, sent, "what came before is sent")
}
