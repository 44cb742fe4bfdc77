package platform_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestMetrics_MonitoringToken(t *testing.T) {
	c := start(t, platform.Config{MonitoringToken: "a$b"})
	for name, tc := range map[string]struct {
		header string
		status int
	}{
		"the token":                  {"Bearer a$b", http.StatusOK},
		"the scheme in another case": {"bearer a$b", http.StatusOK},
		"no header":                  {"", http.StatusUnauthorized},
		"another token":              {"Bearer a", http.StatusUnauthorized},
		"no scheme":                  {"a$b", http.StatusUnauthorized},
		"another scheme":             {"Basic a$b", http.StatusUnauthorized},
		"a doubled scheme":           {"Bearer Bearer a$b", http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := http.NewRequest(http.MethodGet, c.Server.URL+c.MetricsPath()+"?query=1", nil)
			if tc.header != "" {
				r.Header.Set("Authorization", tc.header)
			}
			response, err := c.Server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			body, _ := io.ReadAll(response.Body)
			if response.StatusCode != tc.status {
				t.Errorf("status %d, want %d: %s", response.StatusCode, tc.status, body)
			}
			if tc.status != http.StatusOK && !strings.Contains(string(body), `"code":"bad_credential","message":`) {
				t.Errorf("body %s", body)
			}
		})
	}
}

func TestRoutes(t *testing.T) {
	c := start(t, platform.Config{})
	base := c.MetricsPath()
	for _, tc := range []struct {
		method, path string
		status       int
		contains     string
	}{
		{"GET", base + "?query=vector(1)", 200, `"resultType":"vector"`},
		{"GET", base + "/?query=vector(1)", 200, `"resultType":"vector"`},
		{"GET", base + "/api/v1/query?query=1", 200, `"resultType":"scalar"`},
		{"GET", base + `/api/v1/query?query="a"`, 200, `"resultType":"string"`},
		{"GET", base + "/api/v1/query_range?query=1&start=0&end=60&step=60", 200, `"values":[[0,"1"],[60,"1"]]`},
		{"GET", base + "/api/v1/labels", 200, `"cluster_id"`},
		{"GET", base + "/api/v1/label/instance/values", 200, `["gpu-node-0001","gpu-node-0002",`},
		{"GET", base + "/api/v1/label/nothing/values", 200, `"data":[]`},
		{"GET", base + "/api/v1/query-range?query=1&start=0&end=60&step=60", 404, `"code":"not_found"`},
		{"GET", base + "/api/v1/series", 404, `"code":"not_found"`},
		{"GET", base + "/api/v1/metadata", 404, `"code":"not_found"`},
		{"GET", base + "/api/v1/rules", 404, `"code":"not_found"`},
		{"GET", base + "/api/v1/status/buildinfo", 404, `"code":"not_found"`},
		{"GET", base + "/api/v1/label/a/b/values", 404, `"code":"not_found"`},
		{"GET", base + "x?query=1", 401, `"code":"bad_credential"`},
		{"GET", "/v1/projects/another/metrics/timeseries?query=1", 404, `"code":"not_found"`},
		{"GET", "/v1/nothing", 401, `"code":"bad_credential"`},
		{"GET", "/", 404, `"code":"not_found"`},
		{"POST", base + "?query=1", 405, `"code":"method_not_allowed"`},
		{"POST", base + "/api/v1/query_range", 405, `"code":"method_not_allowed"`},
		{"POST", base + "/api/v1/series", 404, `"code":"not_found"`},
	} {
		path, query, _ := strings.Cut(tc.path, "?")
		params, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		response, err := c.request(tc.method, path, params)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != tc.status || !strings.Contains(string(body), tc.contains) {
			t.Errorf("%s %s: status %d, body %.200s; want %d and %s", tc.method, tc.path, response.StatusCode, body, tc.status, tc.contains)
		}
	}
}

func TestMetrics_RangePath(t *testing.T) {
	c := start(t, platform.Config{RangePath: "query-range"})
	params := url.Values{"query": {"1"}, "start": {"0"}, "end": {"60"}, "step": {"1m"}}
	if status, body := c.get("/api/v1/query-range", params); status != 200 {
		t.Errorf("query-range: %d %s", status, body)
	}
	if status, body := c.get("/api/v1/query_range", params); status != 404 {
		t.Errorf("query_range: %d %s", status, body)
	}
}

func TestMetrics_Errors(t *testing.T) {
	c := start(t, platform.Config{})
	ranged := func(query, start, end, step string) url.Values {
		return url.Values{"query": {query}, "start": {start}, "end": {end}, "step": {step}}
	}
	for name, tc := range map[string]struct {
		path   string
		params url.Values
		status int
		kind   string
		text   string
	}{
		"a broken expression":   {"/api/v1/query", url.Values{"query": {"sum("}}, 400, "bad_data", `invalid parameter "query": 1:5: parse error: unclosed left parenthesis`},
		"an empty expression":   {"/api/v1/query", url.Values{}, 400, "bad_data", `invalid parameter "query": unknown position: parse error: no expression found in input`},
		"no start":              {"/api/v1/query_range", ranged("1", "", "60", "60"), 400, "bad_data", `invalid parameter "start": cannot parse "" to a valid timestamp`},
		"an end before start":   {"/api/v1/query_range", ranged("1", "60", "0", "60"), 400, "bad_data", `invalid parameter "end": end timestamp must not be before start time`},
		"a step of zero":        {"/api/v1/query_range", ranged("1", "0", "60", "0"), 400, "bad_data", "zero or negative query resolution step widths are not accepted"},
		"a step without a unit": {"/api/v1/query_range", ranged("1", "0", "60", "1x"), 400, "bad_data", `invalid parameter "step": cannot parse "1x" to a valid duration`},
		"too many points":       {"/api/v1/query_range", ranged("1", "0", "700000", "60s"), 400, "bad_data", "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)"},
		"a negative limit":      {"/api/v1/query", url.Values{"query": {"1"}, "limit": {"-1"}}, 400, "bad_data", "limit must be non-negative"},
		"an empty selector":     {"/api/v1/labels", url.Values{"match[]": {"{}"}}, 400, "bad_data", "match[] must contain at least one non-empty matcher"},
		"an ambiguous match": {
			"/api/v1/query", url.Values{"query": {"DCGM_FI_DEV_GPU_UTIL * on (vm_name) DCGM_FI_DEV_GPU_TEMP"}}, 422, "execution", "many-to-many matching not allowed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := c.get(tc.path, tc.params)
			var e struct{ Status, ErrorType, Error string }
			if err := json.Unmarshal([]byte(body), &e); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			if status != tc.status || e.Status != "error" || e.ErrorType != tc.kind || !strings.Contains(e.Error, tc.text) {
				t.Errorf("status %d, %+v", status, e)
			}
		})
	}
}

func TestMetrics_Parameters(t *testing.T) {
	c := start(t, platform.Config{})
	want := ""
	for _, form := range [][3]string{
		{"1779270000", "1779273600", "300"},
		{"2026-05-20T09:40:00Z", "2026-05-20T10:40:00Z", "5m"},
		{"1779270000.000", "2026-05-20T12:40:00+02:00", "3e2"},
	} {
		status, body := c.get("/api/v1/query_range", url.Values{"query": {"DCGM_FI_DEV_GPU_UTIL"}, "start": {form[0]}, "end": {form[1]}, "step": {form[2]}})
		if want == "" {
			want = body
		}
		if status != 200 || body != want {
			t.Errorf("%v: status %d, body %.200s", form, status, body)
		}
	}
}

func TestMetrics_LimitAndInfos(t *testing.T) {
	c := start(t, platform.Config{})
	r := c.decode("/api/v1/query", url.Values{"query": {"DCGM_FI_DEV_GPU_UTIL"}, "limit": {"3"}})
	if len(r.Data.Result) != 3 || !slices.Contains(r.Warnings, "results truncated due to limit") {
		t.Errorf("%d series, warnings %v", len(r.Data.Result), r.Warnings)
	}
	r = c.decode("/api/v1/query", url.Values{"query": {"rate(DCGM_FI_DEV_GPU_UTIL[5m])"}})
	if len(r.Infos) != 1 || !strings.Contains(r.Infos[0], "might not be a counter") {
		t.Errorf("infos %v", r.Infos)
	}
	_, body := c.get("/api/v1/label/__name__/values", url.Values{"limit": {"1"}})
	if body != `{"status":"success","data":["DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"],"warnings":["results truncated due to limit"]}` {
		t.Error(body)
	}
}

func TestMetrics_Labels(t *testing.T) {
	c := start(t, platform.Config{})
	_, body := c.get("/api/v1/labels", url.Values{"match[]": {"training_loss", `vendor_elb_new_flows{proto="UDP"}`}})
	if body != `{"status":"success","data":["__name__","elb_name","metrics_source","model","nodepool_name","pod_ip","pod_name","proto","vip_port"]}` {
		t.Error(body)
	}
	_, body = c.get("/api/v1/label/instance/values", url.Values{"match[]": {`DCGM_FI_DEV_GPU_UTIL{nodepool_name=~"fine.*",gpu!="7"}`}})
	if body != `{"status":"success","data":["gpu-node-0005","gpu-node-0006"]}` {
		t.Error(body)
	}
}

func TestCounters(t *testing.T) {
	c := start(t, platform.Config{})
	c.at(now, "vector(1)")
	c.at(now, "vector(2)")
	c.get("", url.Values{"query": {"sum("}})
	c.get("/api/v1/series", nil)
	if _, err := c.request(http.MethodGet, "/v1/capacities", nil); err != nil {
		t.Fatal(err)
	}
	r, _ := http.NewRequest(http.MethodGet, c.Server.URL+"/intelligence/v1/models", nil)
	r.Header.Set("X-Grafana-Id", "secret")
	if _, err := c.Server.Client().Do(r); err != nil {
		t.Fatal(err)
	}
	got := c.Counters()
	for _, tc := range []struct {
		service, endpoint string
		status, want      int
	}{
		{"", "", -1, 6},
		{"metrics", "query", 200, 2},
		{"metrics", "base", 400, 1},
		{"metrics", "unknown", 404, 1},
		{"main", "capacities", 401, 1},
		{"tuning", "", -1, 1},
	} {
		if n := got.Count(tc.service, tc.endpoint, tc.status); n != tc.want {
			t.Errorf("%+v: counted %d in %+v", tc, n, got.Requests)
		}
	}
	if got.BytesSent < 200 || !slices.Contains(got.LastHeaders, "X-Grafana-Id") || slices.Contains(got.LastHeaders, "Authorization") {
		t.Errorf("%+v", got)
	}

	response, err := http.Get(c.Server.URL + "/_control/counters")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var overHTTP platform.Counters
	if err := json.NewDecoder(response.Body).Decode(&overHTTP); err != nil || fmt.Sprint(overHTTP) != fmt.Sprint(got) {
		t.Errorf("over HTTP %+v, %v", overHTTP, err)
	}
	r, _ = http.NewRequest(http.MethodDelete, c.Server.URL+"/_control/counters", nil)
	if _, err := c.Server.Client().Do(r); err != nil {
		t.Fatal(err)
	}
	if n := c.Counters().Count("", "", -1); n != 0 {
		t.Errorf("%d requests after the reset", n)
	}
}

func TestConcurrentRequests(t *testing.T) {
	c := start(t, platform.Config{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				c.Wait(24 * time.Hour) // the scenario is written on while it is read
				if status, body := c.get("/api/v1/query", url.Values{"query": {"count(DCGM_FI_DEV_GPU_UTIL)"}}); status != 200 || !strings.Contains(body, `"64"`) {
					t.Errorf("status %d, body %.200s", status, body)
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkStartWith10000GPUs(b *testing.B) {
	for b.Loop() {
		platform.New(platform.Config{Nodes: 1250, GPUsPerNode: 8, Now: func() time.Time { return now }})
	}
}

func TestNew_TenThousandGPUs(t *testing.T) {
	c := start(t, platform.Config{Nodes: 1250, GPUsPerNode: 8})
	if n := c.number(now, `count(DCGM_FI_DEV_GPU_UTIL)`); n != 10000 {
		t.Errorf("%g GPUs", n)
	}
	if n := c.number(now, `count(DCGM_FI_DEV_GPU_UTIL{instance="gpu-node-1250"})`); n != 8 {
		t.Errorf("%g GPUs on the last node", n)
	}
}

func TestNew_OneGPU(t *testing.T) {
	c := start(t, platform.Config{Nodes: 1, GPUsPerNode: 1})
	if n := c.number(now, `count(DCGM_FI_DEV_GPU_UTIL)`); n != 1 {
		t.Errorf("%g GPUs", n)
	}
	c.at(now, `{__name__=~".+"}`)
}
