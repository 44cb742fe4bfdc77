package plugin_test

import (
	"context"
	"encoding/base64"
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
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"github.com/grafana/grafana-plugin-sdk-go/backend/tracing"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/logtest"
)

// canaries are the three credentials. No output may contain one of them.
var canaries = map[string]string{
	"monitoringToken": "canary-of-the-monitoring-token",
	"inferenceApiKey": "canary-of-the-inference-api-key",
	"secretKey":       "Y2FuYXJ5LW9mLXRoZS1zZWNyZXQta2V5", // raw URL-safe base64
}

// leakyPlatform repeats the authorization of requests in its responses, as respond does.
type leakyPlatform struct {
	mu      sync.Mutex
	respond func(w http.ResponseWriter, r *http.Request, echoed string)
	// sent has the authorization of each request, and the signature in it.
	sent map[string]bool
}

func (p *leakyPlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	echoed := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	p.mu.Lock()
	respond := p.respond
	if echoed != "" {
		p.sent[echoed] = true
		p.sent[echoed[strings.LastIndex(echoed, ":")+1:]] = true
	}
	p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Echo", echoed)
	w.Header().Set("Warning", `199 - "`+echoed+`"`)
	respond(w, r, echoed)
}

func (p *leakyPlatform) from(respond func(w http.ResponseWriter, r *http.Request, echoed string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.respond = respond
}

func (p *leakyPlatform) forbidden() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Concat(slices.Collect(maps.Values(canaries)), slices.Collect(maps.Keys(p.sent)))
}

// success responds with the status 200 and with the authorization in each text.
func success(w http.ResponseWriter, r *http.Request, echoed string) {
	series := values{"metric": values{"__name__": "up", "a": echoed, "x_" + strings.NewReplacer("-", "_").Replace(echoed): "y", "le": "1"},
		"values": []any{[]any{noon.Unix() - 60, "1"}}, "value": []any{noon.Unix(), "1"}}
	kind := "vector"
	delete(series, map[bool]string{true: "value", false: "values"}[strings.Contains(r.URL.Path, "range")])
	if strings.Contains(r.URL.Path, "range") {
		kind = "matrix"
	}
	prometheusResponse := func(data any) values {
		return values{"status": "success", "data": data, "warnings": []string{echoed}, "infos": []string{echoed}}
	}
	record := values{
		"id": "id-" + echoed, "status": echoed, "model": echoed, "suffix": echoed, "created_at": noon.Unix() - 600, "finished_at": noon.Unix() - 60, "fine_tuned_model": echoed,
		"training_file": echoed, "error": values{"message": echoed, "code": echoed}, "filename": echoed, "purpose": echoed, "name": echoed, "level": echoed, "message": echoed, "type": "message",
		"step_number": 1, "metrics": values{echoed: 1}, "hyperparameters": values{"n_epochs": echoed}, "data": values{echoed: 1},
		"location": echoed, "quantity": 1, "time": "2025-06-02T11:30:00Z", echoed: echoed,
	}
	path := r.URL.Path
	switch {
	case strings.Contains(path, "/content"):
		_, _ = w.Write([]byte("no archive, but " + echoed))
	case strings.HasSuffix(path, "/labels"), strings.HasSuffix(path, "/values"):
		_, _ = w.Write([]byte(encode(prometheusResponse([]string{echoed}))))
	case strings.HasSuffix(path, "/series"):
		_, _ = w.Write([]byte(encode(prometheusResponse([]values{{"a": echoed}}))))
	case strings.HasSuffix(path, "/metadata"):
		_, _ = w.Write([]byte(encode(prometheusResponse(values{echoed: []values{{"type": echoed, "help": echoed}}}))))
	case strings.Contains(path, "/metrics/timeseries"):
		_, _ = w.Write([]byte(encode(prometheusResponse(values{"resultType": kind, "result": []values{series}}))))
	case strings.HasPrefix(path, "/gate/") && strings.HasSuffix(path, "/metrics"):
		_, _ = w.Write([]byte(encode(values{"metrics": []values{{"metric_name": echoed, "data": []values{{"value": 1, "step": 1, "timestamp": noon.Unix() - 60}}}}})))
	case strings.HasPrefix(path, "/gate/v1/fine_tuning/jobs/") && strings.Count(path, "/") == 5:
		_, _ = w.Write([]byte(encode(record)))
	case strings.HasPrefix(path, "/gate/"):
		_, _ = w.Write([]byte(encode(values{"data": []values{record}, "has_more": false})))
	default:
		_, _ = w.Write([]byte(encode(values{"items": []values{record}, "next_token": echoed})))
	}
}

// failing responds with a status and with the authorization in each known form of an error body.
func failing(status int) func(w http.ResponseWriter, r *http.Request, echoed string) {
	return func(w http.ResponseWriter, _ *http.Request, echoed string) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(status)
		shapes := []any{
			values{"status": "error", "errorType": echoed, "error": "got " + echoed}, values{"code": echoed, "message": echoed, "reason": echoed},
			values{"error": values{"message": "(" + echoed + ")", "type": echoed, "code": echoed}},
		}
		_, _ = w.Write([]byte(encode(shapes[len(echoed)%len(shapes)])))
	}
}

// leaks are responses that contain the authorization.
func leaks() map[string]func(w http.ResponseWriter, r *http.Request, echoed string) {
	all := map[string]func(w http.ResponseWriter, r *http.Request, echoed string){
		"a success": success,
		"a web page": func(w http.ResponseWriter, _ *http.Request, echoed string) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, "<h1>%s</h1>", echoed)
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request, echoed string) { _, _ = w.Write([]byte(echoed)) },
		"JSON, cut": func(w http.ResponseWriter, _ *http.Request, echoed string) {
			_, _ = w.Write([]byte(`{"items":[{"` + echoed + `":`))
		},
		"a failure that looks like a success": func(w http.ResponseWriter, _ *http.Request, echoed string) {
			_, _ = w.Write([]byte(encode(values{"status": "error", "errorType": "bad", "error": echoed, "message": echoed})))
		},
		"a redirect elsewhere": func(w http.ResponseWriter, r *http.Request, echoed string) {
			http.Redirect(w, r, "http://127.0.0.1:1/"+url.PathEscape(echoed), http.StatusFound)
		},
		"a redirect in a loop": func(w http.ResponseWriter, r *http.Request, echoed string) {
			http.Redirect(w, r, "?"+url.QueryEscape(echoed), http.StatusFound)
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
	for _, queryType := range jobs.QueryTypes() {
		all = append(all, values{"queryType": queryType, "onlyInRange": false, "show": []string{"jobs", "checkpoints"}},
			values{"queryType": queryType, "jobIds": []string{"ftjob-1"}})
	}
	for _, format := range []string{"timeline", "count", "countByJob"} {
		all = append(all, values{"queryType": "fineTuningJobs", "format": format, "onlyInRange": false})
	}
	var queries []backend.DataQuery
	for i, saved := range all {
		queries = append(queries, dataQuery(t, fmt.Sprint("Q", i), saved))
	}
	return queries
}

// allOutputs uses every endpoint of the data source, and returns all outputs by endpoint.
func allOutputs(t *testing.T, ds *plugin.Datasource) map[string]string {
	t.Helper()
	var (
		lock   sync.Mutex
		group  errgroup.Group
		output = map[string]string{}
	)
	add := func(endpoint, text string) {
		lock.Lock()
		defer lock.Unlock()
		output[endpoint] = text
	}
	queries := everyQuery(t)
	for _, headers := range []map[string]string{nil, {backend.FromAlertHeaderName: "true"}} {
		group.Go(func() error {
			response, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{Queries: queries, Headers: headers})
			if err != nil {
				return err
			}
			for refID, one := range response.Responses {
				whole, err := json.Marshal(one) // frames, their meta and notices, the error
				if err != nil {
					return err
				}
				add(fmt.Sprint("query ", refID, len(headers)), string(whole))
			}
			return nil
		})
	}
	for _, path := range []string{
		"api/v1/query?query=up", "api/v1/query_range?query=up&step=60&start=1748862000&end=1748865600", "api/v1/labels", "api/v1/label/a/values", "api/v1/series?match[]=up", "api/v1/metadata",
		"federate?match[]=up", "export?match[]=up&start=1748862000&end=1748865600",
		"jobs", "models", "statuses", "checkpoints/ckpt-1/content",
	} {
		group.Go(func() error {
			var whole strings.Builder
			err := ds.CallResource(context.Background(), &backend.CallResourceRequest{Method: http.MethodGet, Path: path, URL: path, PluginContext: asRole("Editor")},
				backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
					_, _ = fmt.Fprintln(&whole, r.Headers, string(r.Body))
					return nil
				}))
			add("resource "+path, fmt.Sprint(whole.String(), err))
			return nil
		})
	}
	group.Go(func() error {
		checked, err := ds.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
		if err != nil {
			return err
		}
		add("health", checked.Message+string(checked.JSONDetails))
		return nil
	})
	require.NoError(t, group.Wait())
	return output
}

func TestSecretLeak_EveryEndpoint(t *testing.T) {
	logged := logtest.Capture(t, log.Debug)
	spans := tracetest.NewSpanRecorder()
	usual := tracing.DefaultTracer()
	tracing.InitDefaultTracer(trace.NewTracerProvider(trace.WithSpanProcessor(spans)).Tracer("canaries"))
	t.Cleanup(func() { tracing.InitDefaultTracer(usual) })

	p := &leakyPlatform{sent: map[string]bool{}}
	address := serveFunc(t, p.ServeHTTP)
	for name, respond := range leaks() {
		t.Run(name, func(t *testing.T) {
			p.from(respond)
			timeout := 5
			if name == "a cut connection" {
				timeout = 1 // it bounds the retries
			}
			ds := newDatasourceWith(t, address, values{"intelligenceUrl": address + "/gate", "accessKeyId": "AK", "timeout": timeout, "cache": uncached}, canaries)
			output := allOutputs(t, ds)
			if name == "a success" {
				for _, endpoint := range []string{"query Q00", "query Q70", "query Q100", "resource api/v1/labels", "resource jobs"} {
					require.Contains(t, output[endpoint], strings.Repeat("*", 20), "the echo is there, redacted")
				}
			}
			for endpoint, text := range output {
				for _, credential := range p.forbidden() {
					require.NotContains(t, text, credential, endpoint)
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

// echoes are bodies that contain the Authorization value, or a part of it.
var echoes = map[string]func(echoed string) string{
	"the platform's error": func(echoed string) string { return encode(values{"code": "bad", "message": "got " + echoed + "."}) },
	"its reason":           func(echoed string) string { return encode(values{"reason": echoed}) },
	"Prometheus' error": func(echoed string) string {
		return encode(values{"status": "error", "errorType": "bad", "error": echoed})
	},
	"the gateway's error": func(echoed string) string { return encode(values{"error": values{"message": "<" + echoed + ">"}}) },
	"items": func(echoed string) string {
		return encode(values{"items": []values{{"type": echoed, "location": "a", "quantity": 1}}})
	},
	"names of members": func(echoed string) string { return encode(values{"items": []values{{echoed: 1}}}) },
	"items of other types": func(echoed string) string {
		return encode(values{"items": []any{values{"type": echoed}, values{"type": 1}}})
	},
	"the token of a page":  func(echoed string) string { return encode(values{"items": []any{}, "next_token": echoed}) },
	"text":                 func(echoed string) string { return "Authorization: " + echoed },
	"JSON that is cut":     func(echoed string) string { return `{"message":"` + echoed + `","items":[` },
	"a single value":       func(echoed string) string { return encode(values{"items": echoed}) },
	"long words before it": func(echoed string) string { return encode(values{"message": strings.Repeat("x", 480) + echoed}) },
	"escaped in its letters": func(echoed string) string {
		return strings.ReplaceAll(encode(values{"message": echoed}), "-", `\u002d`)
	},
}

func TestSecretLeak_MainAPI(t *testing.T) {
	logged := logtest.Capture(t, log.Debug)
	var mu sync.Mutex
	var resp func(echoed string) (status int, body string)
	var part func(authorization, secret string) string
	var secret string
	var forbidden []string
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		authorization := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		signature := authorization[strings.LastIndex(authorization, ":")+1:]
		forbidden = append(forbidden, signature, authorization)
		status, body := resp(part(r.Header.Get("Authorization"), secret))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Echo", authorization)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
	parts := map[string]func(authorization, secret string) string{
		"the value":      func(authorization, _ string) string { return authorization },
		"without Bearer": func(authorization, _ string) string { return strings.TrimPrefix(authorization, "Bearer ") },
		"the signature":  func(authorization, _ string) string { return authorization[strings.LastIndex(authorization, ":")+1:] },
		"the secret":     func(_, secret string) string { return secret },
		"all of it":      func(authorization, secret string) string { return authorization + " " + secret + "\n" + authorization },
	}
	word := rapid.StringMatching(`[A-Za-z0-9_.-]{1,12}`)
	rapid.Check(t, func(rt *rapid.T) {
		mu.Lock()
		secret = base64.RawURLEncoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), 16, 48).Draw(rt, "secret"))
		forbidden = []string{secret}
		part = parts[rapid.SampledFrom(slices.Sorted(maps.Keys(parts))).Draw(rt, "part")]
		echo := echoes[rapid.SampledFrom(slices.Sorted(maps.Keys(echoes))).Draw(rt, "echo")]
		// Not the statuses that are retried, to save time.
		status := rapid.SampledFrom([]int{200, 400, 401, 403, 404, 409, 422, 500, 501}).Draw(rt, "status")
		resp = func(echoed string) (int, string) { return status, echo(echoed) }
		mu.Unlock()

		ds := newDatasourceWith(t, address, values{"accessKeyId": word.Draw(rt, "access key id")}, map[string]string{"secretKey": secret})
		defer ds.Dispose()
		var params []values
		for name, value := range rapid.MapOfN(word, rapid.String(), 0, 3).Draw(rt, "params") {
			params = append(params, values{"name": name, "value": value})
		}
		response, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{
			dataQuery(t, "table", values{"queryType": "capacities", "productNames": rapid.SliceOf(rapid.String()).Draw(rt, "products")}),
			dataQuery(t, "numbers", values{"queryType": "capacities", "format": "number"}),
			dataQuery(t, "list", values{"queryType": "platform", "path": "/v1/" + word.Draw(rt, "path"), "params": params}),
			dataQuery(t, "series", values{"queryType": "platform", "path": "/v1/x", "timeColumn": "type"}),
		}})
		require.NoError(rt, err)
		checked, err := ds.CheckHealth(t.Context(), &backend.CheckHealthRequest{})
		require.NoError(rt, err)

		output := []string{checked.Message, string(checked.JSONDetails), logged.String()}
		for _, one := range response.Responses {
			if one.Error != nil {
				output = append(output, one.Error.Error())
			}
			output = append(output, encode(one.Frames))
		}
		mu.Lock()
		defer mu.Unlock()
		require.GreaterOrEqual(rt, len(forbidden), 3, "there were requests")
		for _, text := range output {
			for _, credential := range forbidden {
				require.NotContains(rt, text, credential)
			}
		}
	})
}
