package plugin_test

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
)

// hostileTexts are given for every parameter, and as parts of paths.
var hostileTexts = []string{
	"", " ", "0", "-1", "0.0001", "1e300", "-1e300", "NaN", "-Inf", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "253402300799", "-62135596800",
	"0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999+23:59", "1ns", "1ms", "292y", "300y", "-5m", "\xff\xfe", "\x00", "a\r\nX-Injected: 1", "..", "../../a", "%2e%2e%2f", "{}", `"`, "💥", "a&b=c", "$__range",
	`{__name__=~".*"}`, `up{a=~"(.{1000}){1000}"}`, `up{a="\xff"}`, "rate(up[300y])", "up[30d:1ms]", "up @ 1e300", "topk(1e18,up)", `label_replace(up,"a","$9","b","(")`,
	strings.Repeat("(", 5_000), strings.Repeat("-", 5_000) + "1", strings.Repeat("up+", 5_000) + "up", strings.Repeat("a", 100_000), "up{" + strings.Repeat(`a="b",`, 5_000) + "}",
}

// hostileBodies are given for every resource that takes one.
var hostileBodies = []string{
	"", "%zz=1", "a=b;c", "{", "null", `{"queries":null}`, `{"queries":[1]}`, `{"limit":1e300}`, `{"labelName":"../a"}`, `{"start":"9999-12-31T23:59:59Z","end":"0000-01-01T00:00:00Z"}`,
	`{"queries":["up"],"scopes":[{}],"adhocFilters":[{"key":"a","operator":"?","value":"("}]}`, `{"queries":["` + strings.Repeat("(", 10_000) + `"]}`, `{"queries":[` + strings.Repeat(`"up",`, 20_000) + `"up"]}`,
	strings.Repeat("[", 100_000), strings.Repeat("a=b&", 200_000), strings.Repeat("match[]=up&", 20_000), "match[]=" + strings.Repeat("a", 900_000), strings.Repeat("a", 2<<20),
	"--a\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\nup\r\n--a--\r\n",
}

// emptyPlatform has nothing, of all services. It fails a test if a request leaves the paths of the services.
func emptyPlatform(t *testing.T) string {
	t.Helper()
	return serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if path.Clean(r.URL.Path) != r.URL.Path || r.Header.Get("X-Injected") != "" {
			t.Errorf("%s reached the platform", r.URL)
		}
		body := `{"status":"success","data":[]}`
		switch metrics, below := strings.CutPrefix(r.URL.Path, "/v1/projects/demo-project/metrics/timeseries"); {
		case strings.HasSuffix(r.URL.Path, "/content"):
			body = "PK\x03\x04 an archive"
		case !below:
			body = `{"data":[],"has_more":false}`
		case strings.HasSuffix(metrics, "query_range"), strings.Contains(r.URL.Query().Get("query"), "["):
			body = `{"status":"success","data":{"resultType":"matrix","result":[]}}`
		case metrics == "", strings.HasSuffix(metrics, "query"):
			body = `{"status":"success","data":{"resultType":"vector","result":[]}}`
		case strings.HasSuffix(metrics, "metadata"):
			body = `{"status":"success","data":{}}`
		}
		_, _ = io.WriteString(w, body)
	})
}

// Whatever somebody sends to a resource has a response that is not an error of ours, at a bounded cost.
func TestResources_Hostile(t *testing.T) {
	address := emptyPlatform(t)
	ds := newDatasourceWith(t, address, values{"intelligenceUrl": address + "/intelligence"}, map[string]string{"monitoringToken": "t", "inferenceApiKey": "k"})
	now := time.Now().Unix()
	span := func(more url.Values) url.Values {
		more["start"], more["end"] = []string{fmt.Sprint(now - 3600)}, []string{fmt.Sprint(now)}
		return more
	}
	resources := map[string]url.Values{
		"api/v1/query": {"query": {"up"}}, "api/v1/query_range": span(url.Values{"query": {"up"}, "step": {"60"}}), "api/v1/series": {"match[]": {"up"}},
		"api/v1/labels": {}, "api/v1/label/gpu/values": {}, "api/v1/metadata": {}, "federate": {"match[]": {"up"}}, "export": span(url.Values{"match[]": {"up"}}),
		"jobs": {}, "models": {}, "statuses": {}, "checkpoints/c/content": {}, "cache/refresh": {},
	}
	requests := 0
	call := func(method, path, query, contentType, body string) {
		requests++
		request := &backend.CallResourceRequest{
			// As Grafana passes them on: nothing for an empty body.
			Method: method, Path: path, URL: (&url.URL{Path: path, RawQuery: query}).String(), Body: []byte(body)[:len(body):len(body)], Headers: map[string][]string{"Content-Type": {contentType}},
		}
		if body == "" {
			request.Body = nil
		}
		if role := []string{"", "Viewer", "Editor", "Admin"}[requests%4]; role != "" {
			request.PluginContext.User = &backend.User{Role: role}
		}
		inBudget(t, ds, request)
	}
	for _, resource := range slices.Sorted(maps.Keys(resources)) {
		usual := resources[resource]
		for _, name := range []string{"query", "start", "end", "step", "time", "timeout", "limit", "match[]"} {
			for _, text := range hostileTexts {
				changed := maps.Clone(usual)
				changed[name] = slices.Repeat([]string{text}, 1+requests%3)
				if requests%2 == 0 {
					call(http.MethodGet, resource, changed.Encode(), "", "")
				} else {
					call(http.MethodPost, resource, "", "application/x-www-form-urlencoded", changed.Encode())
				}
			}
		}
		for _, body := range hostileBodies {
			for _, contentType := range []string{"application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=a", ";"} {
				call(http.MethodPost, resource, "", contentType, body)
			}
		}
		for _, query := range []string{"%", "a=%zz", ";", strings.Repeat("a=b&", 20_000)} {
			call(http.MethodGet, resource, query, "", "")
		}
		for _, method := range []string{"HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get"} {
			call(method, resource, usual.Encode(), "", "")
		}
		for _, odd := range []string{resource + "/", "//" + resource, resource + "/..", "../" + resource, "./" + resource, resource + strings.Repeat("/a", 5_000), strings.ToUpper(resource)} {
			call(http.MethodGet, odd, usual.Encode(), "", "")
		}
	}
	for _, text := range hostileTexts {
		for _, pattern := range []string{"api/v1/label/%s/values", "checkpoints/%s/content", "api/v1/%s", "%s"} {
			call(http.MethodGet, fmt.Sprintf(pattern, text), "", "", "")
		}
	}
	require.Greater(t, requests, 5000)
}

// inBudget calls a resource, whose response is no error of ours.
func inBudget(t *testing.T, ds *plugin.Datasource, request *backend.CallResourceRequest) {
	t.Helper()
	const processor, bytes = 50 * time.Millisecond, 8 << 20
	status := 0
	call := func() {
		status = 0
		err := ds.CallResource(t.Context(), request, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
			status = cmp.Or(status, r.Status)
			return nil
		}))
		require.NoError(t, err, "%s %.200s %.200q", request.Method, request.URL, request.Body)
	}
	// Approximately: exact figures stop the program each time.
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(allocated)
	before, start := allocated[0].Value.Uint64(), time.Now()
	call()
	metrics.Read(allocated)
	if time.Since(start) > processor || allocated[0].Value.Uint64()-before > bytes/2 {
		budgettest.Within(t, processor, bytes, call)
	}
	require.True(t, status >= 200 && status < 500, "%s %.200s %.200q: %d", request.Method, request.URL, request.Body, status)
}
