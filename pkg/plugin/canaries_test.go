package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/tracing"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

// The three credentials, and what is made of the third: nobody may read them.
var canaries = map[string]string{
	"monitoringToken": "canary-of-the-monitoring-token",
	"inferenceApiKey": "canary-of-the-inference-api-key",
	"secretKey":       "Y2FuYXJ5LW9mLXRoZS1zZWNyZXQta2V5", // raw URL-safe base64
}

// indiscreet is a platform that answers with what it was authorized with, in a way that a test sets.
type indiscreet struct {
	mu  sync.Mutex
	way func(w http.ResponseWriter, r *http.Request, said string)
	// sent is every authorization that came, and the signature in it.
	sent map[string]bool
}

func (p *indiscreet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	said := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	p.mu.Lock()
	way := p.way
	if said != "" {
		p.sent[said] = true
		p.sent[said[strings.LastIndex(said, ":")+1:]] = true
	}
	p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Echo", said)
	w.Header().Set("Warning", `199 - "`+said+`"`)
	way(w, r, said)
}

func (p *indiscreet) from(way func(w http.ResponseWriter, r *http.Request, said string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.way = way
}

func (p *indiscreet) forbidden() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Concat(slices.Collect(maps.Values(canaries)), slices.Collect(maps.Keys(p.sent)))
}

// success answers every question well, with said in every place that a text can be in.
func success(w http.ResponseWriter, r *http.Request, said string) {
	series := values{"metric": values{"__name__": "up", "a": said, "x_" + strings.NewReplacer("-", "_").Replace(said): "y", "le": "1"},
		"values": []any{[]any{noon.Unix() - 60, "1"}}, "value": []any{noon.Unix(), "1"}}
	kind := "vector"
	delete(series, map[bool]string{true: "value", false: "values"}[strings.Contains(r.URL.Path, "range")])
	if strings.Contains(r.URL.Path, "range") {
		kind = "matrix"
	}
	prometheusAnswer := func(data any) values {
		return values{"status": "success", "data": data, "warnings": []string{said}, "infos": []string{said}}
	}
	record := values{
		"id": "id-" + said, "status": said, "model": said, "suffix": said, "created_at": noon.Unix() - 600, "finished_at": noon.Unix() - 60, "fine_tuned_model": said,
		"training_file": said, "error": values{"message": said, "code": said}, "filename": said, "purpose": said, "name": said, "level": said, "message": said, "type": "message",
		"step_number": 1, "metrics": values{said: 1}, "hyperparameters": values{"n_epochs": said}, "data": values{said: 1},
		"location": said, "quantity": 1, "time": "2025-06-02T11:30:00Z", said: said,
	}
	path := r.URL.Path
	switch {
	case strings.Contains(path, "/content"):
		_, _ = w.Write([]byte("no archive, but " + said))
	case strings.HasSuffix(path, "/labels"), strings.HasSuffix(path, "/values"):
		_, _ = w.Write([]byte(encode(prometheusAnswer([]string{said}))))
	case strings.HasSuffix(path, "/series"):
		_, _ = w.Write([]byte(encode(prometheusAnswer([]values{{"a": said}}))))
	case strings.HasSuffix(path, "/metadata"):
		_, _ = w.Write([]byte(encode(prometheusAnswer(values{said: []values{{"type": said, "help": said}}}))))
	case strings.Contains(path, "/metrics/timeseries"):
		_, _ = w.Write([]byte(encode(prometheusAnswer(values{"resultType": kind, "result": []values{series}}))))
	case strings.HasPrefix(path, "/gate/") && strings.HasSuffix(path, "/metrics"):
		_, _ = w.Write([]byte(encode(values{"metrics": []values{{"metric_name": said, "data": []values{{"value": 1, "step": 1, "timestamp": noon.Unix() - 60}}}}})))
	case strings.HasPrefix(path, "/gate/v1/fine_tuning/jobs/") && strings.Count(path, "/") == 5:
		_, _ = w.Write([]byte(encode(record)))
	case strings.HasPrefix(path, "/gate/"):
		_, _ = w.Write([]byte(encode(values{"data": []values{record}, "has_more": false})))
	default:
		_, _ = w.Write([]byte(encode(values{"items": []values{record}, "next_token": said})))
	}
}

// failing answers everything with a status, and with said in each shape that a reason is known to have.
func failing(status int) func(w http.ResponseWriter, r *http.Request, said string) {
	return func(w http.ResponseWriter, _ *http.Request, said string) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(status)
		shapes := []any{
			values{"status": "error", "errorType": said, "error": "got " + said}, values{"code": said, "message": said, "reason": said},
			values{"error": values{"message": "(" + said + ")", "type": said, "code": said}},
		}
		_, _ = w.Write([]byte(encode(shapes[len(said)%len(shapes)])))
	}
}

// ways are how a platform may tell what it should not.
func ways() map[string]func(w http.ResponseWriter, r *http.Request, said string) {
	all := map[string]func(w http.ResponseWriter, r *http.Request, said string){
		"a success": success,
		"a web page": func(w http.ResponseWriter, _ *http.Request, said string) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, "<h1>%s</h1>", said)
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request, said string) { _, _ = w.Write([]byte(said)) },
		"JSON, cut": func(w http.ResponseWriter, _ *http.Request, said string) {
			_, _ = w.Write([]byte(`{"items":[{"` + said + `":`))
		},
		"a failure that looks like a success": func(w http.ResponseWriter, _ *http.Request, said string) {
			_, _ = w.Write([]byte(encode(values{"status": "error", "errorType": "bad", "error": said, "message": said})))
		},
		"a redirect elsewhere": func(w http.ResponseWriter, r *http.Request, said string) {
			http.Redirect(w, r, "http://127.0.0.1:1/"+url.PathEscape(said), http.StatusFound)
		},
		"a redirect in a circle": func(w http.ResponseWriter, r *http.Request, said string) {
			http.Redirect(w, r, "?"+url.QueryEscape(said), http.StatusFound)
		},
		"a cut connection": func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) },
	}
	for _, status := range []int{400, 401, 403, 404, 418, 422, 429, 500} {
		all[fmt.Sprint("a ", status)] = failing(status)
	}
	return all
}

// everyQuery is a query of each type, in each of its formats.
func everyQuery(t *testing.T) []backend.DataQuery {
	t.Helper()
	all := []values{
		{"expr": "up"}, {"expr": "up", "instant": true}, {"expr": "up", "format": "table"}, {"expr": "up", "format": "heatmap"}, {"expr": "up", "legendFormat": "{{a}}"},
		{"queryType": "capacities"}, {"queryType": "capacities", "format": "number"}, {"queryType": "platform", "path": "/v1/x"},
		{"queryType": "platform", "path": "/v1/x", "timeColumn": "time"}, {"queryType": "platform", "path": "/v1/x", "root": "$..id"},
	}
	for _, queryType := range tuning.QueryTypes() {
		all = append(all, values{"queryType": queryType, "onlyInRange": false, "show": []string{"jobs", "checkpoints", "statusChanges"}},
			values{"queryType": queryType, "jobIds": []string{"ftjob-1"}})
	}
	for _, format := range []string{"timeline", "count", "countByJob", "overdue"} {
		all = append(all, values{"queryType": "fineTuningJobs", "format": format, "onlyInRange": false})
	}
	var queries []backend.DataQuery
	for i, saved := range all {
		queries = append(queries, dataQuery(t, fmt.Sprint("Q", i), saved))
	}
	return queries
}

// everythingTold asks through every door, and returns all that comes, by where it came from.
func everythingTold(t *testing.T, ds *plugin.Datasource) map[string]string {
	t.Helper()
	told := map[string]string{}
	for _, headers := range []map[string]string{nil, {backend.FromAlertHeaderName: "true"}} {
		response, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{Queries: everyQuery(t), Headers: headers})
		require.NoError(t, err)
		for refID, answer := range response.Responses {
			whole, err := json.Marshal(answer) // frames, their meta and notices, the error
			require.NoError(t, err)
			told[fmt.Sprint("query ", refID, len(headers))] = string(whole)
		}
	}
	for _, path := range []string{
		"api/v1/query?query=up", "api/v1/query_range?query=up&step=60&start=1748862000&end=1748865600", "api/v1/labels", "api/v1/label/a/values", "api/v1/series?match[]=up", "api/v1/metadata",
		"jobs", "models", "statuses", "checkpoints/ckpt-1/content",
	} {
		var whole strings.Builder
		err := ds.CallResource(context.Background(), &backend.CallResourceRequest{Method: http.MethodGet, Path: path, URL: path, PluginContext: asRole("Editor")},
			backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
				_, _ = fmt.Fprintln(&whole, r.Headers, string(r.Body))
				return nil
			}))
		told["resource "+path] = fmt.Sprint(whole.String(), err)
	}
	checked, err := ds.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
	require.NoError(t, err)
	told["health"] = checked.Message + string(checked.JSONDetails)
	return told
}

func TestSecretLeak_EveryEndpoint(t *testing.T) {
	logged := captureLog(t)
	spans := tracetest.NewSpanRecorder()
	usual := tracing.DefaultTracer()
	tracing.InitDefaultTracer(trace.NewTracerProvider(trace.WithSpanProcessor(spans)).Tracer("canaries"))
	t.Cleanup(func() { tracing.InitDefaultTracer(usual) })

	p := &indiscreet{sent: map[string]bool{}}
	address := serveFunc(t, p.ServeHTTP)
	for name, way := range ways() {
		t.Run(name, func(t *testing.T) {
			p.from(way)
			ds := newDatasourceWith(t, address, values{"intelligenceUrl": address + "/gate", "accessKeyId": "AK", "timeout": 5, "cache": uncached}, canaries)
			told := everythingTold(t, ds)
			if name == "a success" {
				for _, door := range []string{"query Q00", "query Q70", "query Q100", "resource api/v1/labels", "resource jobs"} {
					require.Contains(t, told[door], strings.Repeat("*", 20), "what was echoed is there, unreadable")
				}
			}
			for door, text := range told {
				for _, credential := range p.forbidden() {
					require.NotContains(t, text, credential, door)
				}
			}
		})
	}
	require.Greater(t, len(p.forbidden()), 3+3, "each service was sent its credential")

	families, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	require.NotEmpty(t, spans.Ended())
	elsewhere := map[string]string{"the log, at debug": logged.String(), "the plugin's metrics": fmt.Sprint(families)}
	for i, span := range spans.Ended() {
		elsewhere[fmt.Sprint("span ", i)] = fmt.Sprint(span.Name(), span.Attributes(), span.Events(), span.Status(), span.Links())
	}
	require.Contains(t, elsewhere["the log, at debug"], "Why the query failed")
	for where, text := range elsewhere {
		for _, credential := range p.forbidden() {
			if strings.Contains(text, credential) {
				t.Errorf("%s holds %q: %.300s", where, credential, text[max(0, strings.Index(text, credential)-100):])
			}
		}
	}
}
