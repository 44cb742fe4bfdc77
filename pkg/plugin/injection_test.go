package plugin_test

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

// Properties: a text of users, dashboards or the platform can't change the structure that contains it.

// arbitraryText is any text, often with delimiters.
var arbitraryText = rapid.OneOf(
	rapid.String(),
	rapid.SampledFrom([]string{
		`"} or up{a="`, "&query=1", "#", "?x=1", "/../../v1/secret", "%2e%2e%2f", "..", ".", "\r\nX-Evil: 1", "\x00", "a,b", "{{b}}", "${a}", "$__interval", "$[0]",
		`<img src=x onerror="alert(1)">`, "<!--", "&lt;b&gt;", "[x](javascript:alert(1))", "`a`", "\u202e", "é",
	}),
	rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "/", "..", "%2f", "?", "#", "&", "=", ";", `"`, "{", "}", "\\", "\n", " ", "<", ">"}), 1, 8),
		func(parts []string) string { return strings.Join(parts, "") }),
)

// replacementChar replaces invalid UTF-8.
const replacementChar = string(utf8.RuneError)

// recordingPlatform records requests, and responds to all of them with response.
type recordingPlatform struct {
	mu       sync.Mutex
	received []*http.Request
	bodies   []string
	response string
}

func (p *recordingPlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received, p.bodies = append(p.received, r), append(p.bodies, string(body))
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, p.response)
}

// reset drops the recorded requests, and sets the response.
func (p *recordingPlatform) reset(response string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received, p.bodies, p.response = nil, nil, response
}

func (p *recordingPlatform) requests() []*http.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.received
}

const (
	emptyMatrix = `{"status":"success","data":{"resultType":"matrix","result":[]}}`
	metricsRoot = "/v1/projects/p/metrics/timeseries/"
)

// threeServices makes settings of a data source for a recordingPlatform, without a cache.
func threeServices(t *testing.T) (*recordingPlatform, func(settings values, secrets map[string]string) *backend.DataSourceInstanceSettings) {
	t.Helper()
	p := &recordingPlatform{response: emptyMatrix}
	address := serveFunc(t, p.ServeHTTP)
	return p, func(settings values, secrets map[string]string) *backend.DataSourceInstanceSettings {
		jsonData := values{"baseUrl": address, "projectId": "p", "intelligenceUrl": address + "/gate", "accessKeyId": "AK", "cache": uncached}
		maps.Copy(jsonData, settings)
		all := map[string]string{"monitoringToken": "token", "inferenceApiKey": "key", "secretKey": mainSecret}
		maps.Copy(all, secrets)
		encoded, err := json.Marshal(jsonData)
		require.NoError(t, err)
		return &backend.DataSourceInstanceSettings{JSONData: encoded, DecryptedSecureJSONData: all}
	}
}

func newInstance(t *testing.T, settings *backend.DataSourceInstanceSettings) *plugin.Datasource {
	t.Helper()
	instance, err := plugin.New(context.Background(), *settings)
	require.NoError(t, err)
	ds := instance.(*plugin.Datasource)
	t.Cleanup(ds.Dispose)
	return ds
}

func TestInjection_Expression(t *testing.T) {
	p, settings := threeServices(t)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		ds := newInstance(t, settings(values{"httpMethod": method, "queryTimeout": "10s", "customQueryParameters": "tenant=a%26b"}, nil))
		rapid.Check(t, func(rt *rapid.T) {
			expr := arbitraryText.Draw(rt, "expression")
			instant := rapid.Bool().Draw(rt, "instant")
			p.reset(emptyMatrix)
			_ = runQueries(t, ds, dataQuery(t, "A", values{"expr": expr, "instant": instant}))
			for i, r := range p.requests() {
				require.True(rt, strings.HasPrefix(r.URL.EscapedPath(), strings.TrimSuffix(metricsRoot, "/")), r.URL.EscapedPath())
				form, err := url.ParseQuery(strings.Trim(r.URL.RawQuery+"&"+p.bodies[i], "&"))
				require.NoError(rt, err)
				require.Equal(rt, []string{"a&b"}, form["tenant"])
				for name, given := range form {
					require.Contains(rt, []string{"query", "start", "end", "step", "time", "timeout", "tenant", "limit"}, name)
					require.Len(rt, given, 1, name)
				}
				if !strings.Contains(expr, "$__") {
					require.Equal(rt, strings.ToValidUTF8(expr, replacementChar), form.Get("query"))
				}
			}
		})
	}
}

func TestInjection_Filter(t *testing.T) {
	p, settings := threeServices(t)
	ds := newInstance(t, settings(nil, nil))
	rapid.Check(t, func(rt *rapid.T) {
		key, value := arbitraryText.Draw(rt, "key"), arbitraryText.Draw(rt, "value")
		p.reset(emptyMatrix)
		runQueries(t, ds, dataQuery(t, "A", values{"expr": `sum(rate(up{job="x"}[5m])) / count(down)`,
			"scopes": []values{{"filters": []values{{"key": key, "operator": "equals", "value": value}}}}}))
		if len(p.requests()) == 0 || strings.ContainsRune(strings.ToValidUTF8(key+value, replacementChar), utf8.RuneError) {
			return // rejected, or unsupported by Prometheus' parser
		}
		sent := p.requests()[0].URL.Query().Get("query")
		parsed, err := parser.NewParser(parser.Options{}).ParseExpr(sent)
		require.NoError(rt, err, sent)
		var matchers [][]*labels.Matcher
		parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
			if selector, ok := node.(*parser.VectorSelector); ok {
				matchers = append(matchers, selector.LabelMatchers)
			}
			return nil
		})
		require.Len(rt, matchers, 2, sent)
		for i, usual := range []int{2, 1} { // the metric's name, and one label
			require.Len(rt, matchers[i], usual+1, sent)
			found := false
			for _, matcher := range matchers[i] {
				found = found || matcher.Name == key && matcher.Value == value && matcher.Type == labels.MatchEqual
			}
			require.True(rt, found, sent)
		}
	})
}

func TestInjection_LabelName(t *testing.T) {
	p, settings := threeServices(t)
	ds := newInstance(t, settings(nil, nil))
	rapid.Check(t, func(rt *rapid.T) {
		name := arbitraryText.Draw(rt, "name")
		escaped := rapid.SampledFrom([]func(string) string{url.PathEscape, url.QueryEscape, func(s string) string { return s }}).Draw(rt, "escaping")(name)
		p.reset(`{"status":"success","data":[]}`)
		path := "api/v1/label/" + escaped + "/values"
		if _, err := url.Parse(path); err != nil {
			return // Grafana rejects it
		}
		_ = ds.CallResource(context.Background(), &backend.CallResourceRequest{Method: http.MethodGet, Path: path, URL: path},
			backend.CallResourceResponseSenderFunc(func(*backend.CallResourceResponse) error { return nil }))
		for _, r := range p.requests() {
			require.Regexp(rt, "^"+metricsRoot+`api/v1/(label/[A-Za-z_][A-Za-z0-9_]*/values|labels|series|metadata|query|query_range)$`, r.URL.EscapedPath())
		}
	})
}

func TestInjection_JobID(t *testing.T) {
	p, settings := threeServices(t)
	ds := newInstance(t, settings(nil, nil))
	rapid.Check(t, func(rt *rapid.T) {
		p.reset(`{"id":"x","status":"running"}`)
		queryType := rapid.SampledFrom([]string{"fineTuningJobs", "fineTuningCheckpoints", "fineTuningCurves", "fineTuningEvents", "fineTuningAnnotations"}).Draw(rt, "type")
		runQueries(t, ds, dataQuery(t, "A", values{"queryType": queryType, "onlyInRange": false, "jobIds": []string{arbitraryText.Draw(rt, "id")}}))
		for _, r := range p.requests() {
			require.Regexp(rt, `^/gate/v1/fine_tuning/jobs(/[^/]+(/(events|checkpoints|metrics))?)?$`, r.URL.EscapedPath())
			for _, segment := range strings.Split(r.URL.EscapedPath(), "/") {
				decoded, err := url.PathUnescape(segment)
				require.NoError(rt, err)
				require.NotContains(rt, []string{".", ".."}, decoded)
			}
		}
	})
}

// Servers on the way decode %2F and %2E.
func TestInjection_JobIDThatIsAPath(t *testing.T) {
	p, settings := threeServices(t)
	ds := newInstance(t, settings(nil, nil))
	for _, id := range []string{".", "..", "../../files", "a/b"} {
		p.reset(`{"id":"x","status":"running"}`)
		response := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "fineTuningJobs", "onlyInRange": false, "jobIds": []string{id}}))["A"]
		require.ErrorContains(t, response.Error, "is not the id of a job")
		require.Equal(t, backend.StatusBadRequest, response.Status)
		require.Empty(t, p.requests())
	}
}

// A baseline may be the id of a job, whose name is read then.
func TestInjection_BaselineThatIsAPath(t *testing.T) {
	p, settings := threeServices(t)
	ds := newInstance(t, settings(nil, nil))
	for _, id := range []string{"..", "../../files", "a/b"} {
		for _, saved := range []values{{"baseline": id}, {"runs": []string{id}}} {
			p.reset(`{"data":[]}`)
			saved["queryType"], saved["source"] = "runs", values{"kind": "fineTuning"}
			_ = runQueries(t, ds, dataQuery(t, "A", saved))
			for _, r := range p.requests() {
				require.NotContains(t, r.URL.EscapedPath(), "%2F")
				require.NotContains(t, r.URL.EscapedPath(), "%2E")
			}
		}
	}
}

func TestInjection_ListPathAndParameters(t *testing.T) {
	p, settings := threeServices(t)
	ds := newInstance(t, settings(nil, nil))
	rapid.Check(t, func(rt *rapid.T) {
		p.reset(`{"items":[]}`)
		path := "/v1/" + arbitraryText.Draw(rt, "path")
		params, want := []values{}, url.Values{}
		for range rapid.IntRange(0, 4).Draw(rt, "params") {
			name, value := arbitraryText.Draw(rt, "name"), arbitraryText.Draw(rt, "value")
			params = append(params, values{"name": name, "value": value})
			if name != "" {
				want.Add(strings.ToValidUTF8(name, replacementChar), strings.ToValidUTF8(value, replacementChar))
			}
		}
		runQueries(t, ds, dataQuery(t, "A", values{"queryType": "platform", "path": path, "params": params}))
		for _, r := range p.requests() {
			require.Equal(rt, path, r.URL.EscapedPath())
			require.NotContains(rt, strings.Split(path, "/"), "..")
			got, err := url.ParseQuery(r.URL.RawQuery)
			require.NoError(rt, err)
			require.Equal(rt, want, got)
			require.Equal(rt, got.Encode(), r.URL.RawQuery, "what is sent is what was signed")
		}
	})
}

func TestInjection_CredentialHeader(t *testing.T) {
	t.Parallel()
	p, settings := threeServices(t)
	rapid.Check(t, func(rt *rapid.T) {
		p.reset(emptyMatrix)
		token := arbitraryText.Draw(rt, "token")
		ds := newInstance(t, settings(values{"accessKeyId": arbitraryText.Draw(rt, "access key id"), "timestampHeader": arbitraryText.Draw(rt, "header")},
			map[string]string{"monitoringToken": token, "inferenceApiKey": token}))
		defer ds.Dispose()
		responses := runQueries(t, ds, dataQuery(t, "A", values{"expr": "up"}), dataQuery(t, "B", values{"queryType": "fineTuningJobs"}), dataQuery(t, "C", values{"queryType": "capacities"}))
		for _, r := range p.requests() {
			require.Len(rt, r.Header["Authorization"], 1)
			require.Empty(rt, r.Header["X-Evil"])
			if !strings.HasPrefix(r.URL.Path, "/v1/capacities") {
				require.Equal(rt, strings.TrimSpace("Bearer "+strings.TrimSpace(token)), strings.TrimSpace(r.Header.Get("Authorization")))
			}
		}
		for _, response := range responses {
			if response.Error != nil && len(token) > 8 {
				require.NotContains(rt, response.Error.Error(), token)
			}
		}
	})
}

func TestInjection_Legend(t *testing.T) {
	p, settings := threeServices(t)
	ds := newInstance(t, settings(nil, nil))
	rapid.Check(t, func(rt *rapid.T) {
		a, b := strings.ToValidUTF8(arbitraryText.Draw(rt, "a"), "?"), strings.ToValidUTF8(arbitraryText.Draw(rt, "b"), "?")
		p.reset(encode(values{"status": "success", "data": values{"resultType": "matrix", "result": []values{
			{"metric": values{"a": a, "b": b}, "values": []any{[]any{1748865600, "1"}}},
		}}}))
		got := frames(t, ds, values{"expr": "up", "legendFormat": "{{a}}"})
		shown := got[0].Fields[1].Config
		require.True(rt, a == "" && shown == nil || a == shown.DisplayNameFromDS)
		require.Equal(rt, b, got[0].Fields[1].Labels["b"])
	})
}

// column is a field's values, nil for null.
func column(t *testing.T, frame *data.Frame, name string) []any {
	t.Helper()
	field, _ := frame.FieldByName(name)
	require.NotNil(t, field, name)
	all := make([]any, field.Len())
	for i := range all {
		if value, ok := field.ConcreteAt(i); ok {
			all[i] = value
		}
	}
	return all
}

func TestInjection_AnnotationMarkup(t *testing.T) {
	t.Parallel()
	p, settings := threeServices(t)
	rapid.Check(t, func(rt *rapid.T) {
		echoed := strings.ToValidUTF8(arbitraryText.Draw(rt, "text"), "?")
		p.reset(encode(values{"has_more": false, "data": []values{{
			"id": "ftjob-" + echoed, "status": echoed, "model": echoed, "suffix": echoed, "created_at": noon.Unix() - 60, "error": values{"message": echoed},
			"step_number": 1, "level": "info", "message": "Job " + echoed, "type": "message", "metrics": values{echoed: 1},
		}}}))
		ds := newInstance(t, settings(nil, nil))
		defer ds.Dispose()
		frame := frames(t, ds, values{"queryType": "fineTuningAnnotations", "show": []string{"jobs", "checkpoints"}})[0]
		require.Positive(rt, frame.Rows())
		for _, name := range []string{"title", "text"} {
			for _, written := range column(t, frame, name) {
				require.NotContains(rt, written, "<")
				require.NotContains(rt, written, ">")
				require.NotContains(rt, written, `"`)
				require.Equal(rt, written, html.EscapeString(html.UnescapeString(written.(string))), "escaped once")
			}
		}
		for _, tags := range column(t, frame, "tags") {
			require.LessOrEqual(rt, strings.Count(tags.(string), ","), 1, "a status and a model are two tags at most")
		}
	})
}
