package platform_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// engine is a query engine that responds with the request it received.
func engine(t *testing.T) *url.URL {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "Mon, 01 Jan 2001 00:00:00 GMT")
		w.Header().Set("Content-Type", "application/json")
		body := io.Writer(w)
		zipped := r.Header.Get("Accept-Encoding") == "gzip"
		if zipped {
			w.Header().Set("Content-Encoding", "gzip")
		}
		if strings.HasSuffix(r.URL.Path, "/nothing") {
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
		if zipped {
			zip := gzip.NewWriter(w)
			defer func() { _ = zip.Close() }()
			body = zip
		}
		form, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(body, r.Method+" "+r.URL.RequestURI()+" "+string(form)+" auth="+r.Header.Get("Authorization")+" cookie="+r.Header.Get("Cookie"))
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestMetricsUpstream_Requests(t *testing.T) {
	at := engine(t)
	for _, base := range []string{"", "/prometheus", "/prometheus/"} {
		c := start(t, platform.Config{MetricsUpstream: at.JoinPath(base)})
		prefix := strings.TrimSuffix(base, "/")
		for path, want := range map[string]string{
			"":                              "GET " + prefix + "/api/v1/query?query=up  auth= cookie=",
			"/api/v1/query":                 "GET " + prefix + "/api/v1/query?query=up  auth= cookie=",
			"/api/v1/query_range":           "GET " + prefix + "/api/v1/query_range?query=up  auth= cookie=",
			"/api/v1/label/a%2Fb/values":    "GET " + prefix + "/api/v1/label/a%2Fb/values?query=up  auth= cookie=",
			"/api/v1/metadata":              "GET " + prefix + "/api/v1/metadata?query=up  auth= cookie=",
			"/api/v1/status/buildinfo/more": "GET " + prefix + "/api/v1/status/buildinfo/more?query=up  auth= cookie=",
		} {
			if status, body := c.get(path, url.Values{"query": {"up"}}); status != http.StatusOK || body != want {
				t.Errorf("%s: %d %s, want %s", path, status, body, want)
			}
		}
		if status, body := c.get("/api/v1/nothing", nil); status != http.StatusUnprocessableEntity || !strings.HasPrefix(body, "GET "+prefix) {
			t.Errorf("the engine's own status: %d %s", status, body)
		}
	}
}

func TestMetricsUpstream_Refused(t *testing.T) {
	c := start(t, platform.Config{MetricsUpstream: engine(t)})
	for path, want := range map[string]int{
		"/":                                    http.StatusOK,
		"/api/v2/query":                        http.StatusNotFound,
		"/metrics":                             http.StatusNotFound,
		"/api/v1/../../admin":                  http.StatusNotFound,
		"/api/v1/x/%2e%2e/%2e%2e/%2e%2e/admin": http.StatusNotFound,
	} {
		if status, body := c.get(path, nil); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
	r, _ := http.NewRequest(http.MethodGet, c.Server.URL+c.MetricsPath()+"/api/v1/query?query=up", nil)
	r.Header.Set("Authorization", "Bearer another")
	response, err := c.Server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("another token: %d", response.StatusCode)
	}
}

func TestMetricsUpstream_FaultsAndCounters(t *testing.T) {
	c := start(t, platform.Config{MetricsUpstream: engine(t)})
	c.Inject(platform.Fault{Status: 429, Times: 1})
	for _, want := range []int{429, 200} {
		if status, body := c.get("/api/v1/query_range", nil); status != want {
			t.Errorf("%d %s, want %d", status, body, want)
		}
	}
	c.get("/api/v1/series", nil)
	c.get("/api/v1/label/x/values", nil)
	counters := c.Counters()
	for endpoint, want := range map[string]int{"query_range": 2, "series": 1, "label_values": 1} {
		if got := counters.Count(platform.ServiceMetrics, endpoint, -1); got != want {
			t.Errorf("%s: %d requests, want %d", endpoint, got, want)
		}
	}
	response, err := c.request(http.MethodGet, c.MetricsPath()+"/api/v1/query", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if dates := response.Header.Values("Date"); len(dates) != 1 || strings.Contains(dates[0], "2001") {
		t.Errorf("Date: %v, want the platform's alone", dates)
	}
}

func TestMetricsUpstream_Down(t *testing.T) {
	at := engine(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	at.Host = strings.TrimPrefix(gone.URL, "http://")
	gone.Close()
	c := start(t, platform.Config{MetricsUpstream: at})
	if status, body := c.get("/api/v1/query", nil); status != http.StatusBadGateway || !strings.Contains(body, `"code":"bad_gateway"`) {
		t.Errorf("%d %s", status, body)
	}
}
