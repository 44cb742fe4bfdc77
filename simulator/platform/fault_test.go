package platform_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// query sends one instant query and doesn't follow redirects.
func (c *client) query(ctx context.Context) (*http.Response, string, error) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server.URL+c.MetricsPath()+"/api/v1/query?query=DCGM_FI_DEV_GPU_UTIL", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.Config().MonitoringToken)
	direct := &http.Client{
		Transport:     c.Server.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := direct.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

func TestFault_Responses(t *testing.T) {
	for name, tc := range map[string]struct {
		fault   platform.Fault
		status  int
		header  http.Header
		content string
	}{
		"nothing but a status": {platform.Fault{Status: 503}, 503, http.Header{"Content-Type": {"application/json"}}, ""},
		"a rate limit": {
			platform.Fault{Status: 429, Headers: map[string]string{"Retry-After": "7"}, Body: `{"code":"too_many_requests"}`},
			429, http.Header{"Retry-After": {"7"}}, `{"code":"too_many_requests"}`,
		},
		"nothing at all":    {platform.Fault{}, 500, nil, ""},
		"a page":            {platform.Fault{Kind: platform.FaultHTML}, 502, http.Header{"Content-Type": {"text/html; charset=utf-8"}}, "<h1>502 Bad Gateway</h1>"},
		"a page as success": {platform.Fault{Kind: platform.FaultHTML, Status: 200, Body: "<p>Log in</p>"}, 200, nil, "<p>Log in</p>"},
		"a redirect": {
			platform.Fault{Kind: platform.FaultRedirect, Location: "https://elsewhere.example/"}, 302, http.Header{"Location": {"https://elsewhere.example/"}}, "",
		},
		"a late response": {platform.Fault{Kind: platform.FaultDelay, Delay: time.Millisecond}, 200, nil, `"status":"success"`},
		"a slow response": {platform.Fault{Kind: platform.FaultSlowBody, Delay: 20 * time.Millisecond}, 200, nil, `"status":"success"`},
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, platform.Config{})
			c.Inject(tc.fault)
			response, body, err := c.query(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != tc.status || !strings.Contains(body, tc.content) {
				t.Errorf("status %d, body %.200s", response.StatusCode, body)
			}
			for key := range tc.header {
				if response.Header.Get(key) != tc.header.Get(key) {
					t.Errorf("header %s is %q", key, response.Header.Get(key))
				}
			}
			if n := c.Counters().Count("metrics", "query", tc.status); n != 1 {
				t.Errorf("counted %d responses: %+v", n, c.Counters().Requests)
			}
		})
	}
}

func TestFault_CutBody(t *testing.T) {
	c := start(t, platform.Config{})
	_, whole, err := c.query(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c.Inject(platform.Fault{Kind: platform.FaultCutBody})
	response, body, err := c.query(context.Background())
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want an unexpected end", err)
	}
	if response.ContentLength != int64(len(whole)) || body != whole[:len(whole)/2] {
		t.Errorf("%d bytes of %d declared, the whole has %d", len(body), response.ContentLength, len(whole))
	}
}

func TestFault_Reset(t *testing.T) {
	c := start(t, platform.Config{})
	c.Inject(platform.Fault{Kind: platform.FaultReset, Times: 2}) // the client itself tries a GET twice
	if _, _, err := c.query(context.Background()); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
		t.Errorf("error %v", err)
	}
	c.ClearFaults()
	if n := c.Counters().Count("metrics", "query", 0); n < 1 {
		t.Errorf("%+v", c.Counters().Requests)
	}
}

func TestFault_ServicePathAndTimes(t *testing.T) {
	c := start(t, platform.Config{})
	c.Inject(platform.Fault{Service: platform.ServiceMetrics, Path: `/query_range$`, Status: 404})
	c.Inject(platform.Fault{Service: platform.ServiceTuning, Status: 500})
	c.Inject(platform.Fault{Service: platform.ServiceMetrics, Path: `/labels$`, Status: 503, Times: 2})
	ranged := url.Values{"query": {"1"}, "start": {"0"}, "end": {"60"}, "step": {"60"}}
	for i, want := range []struct {
		path   string
		params url.Values
		status int
	}{
		{"/api/v1/query_range", ranged, 404},
		{"/api/v1/query_range", ranged, 404},
		{"/api/v1/query", url.Values{"query": {"1"}}, 200},
		{"/api/v1/labels", nil, 503},
		{"/api/v1/labels", nil, 503},
		{"/api/v1/labels", nil, 200},
	} {
		if status, _ := c.get(want.path, want.params); status != want.status {
			t.Errorf("request %d, %s: status %d, want %d", i, want.path, status, want.status)
		}
	}
}

func TestFaults_OverHTTP(t *testing.T) {
	c := start(t, platform.Config{})
	send := func(method, body string) (int, string) {
		r, _ := http.NewRequest(method, c.Server.URL+"/_control/faults", strings.NewReader(body))
		response, err := c.Server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(text)
	}
	status, _ := send(http.MethodPost, `{"service":"metrics","path":"query$","times":3,"status":503,"body":"{}","contentType":"text/plain","headers":{"Retry-After":"1"},"delay":"1.5ms","kind":"respond"}`)
	if status != http.StatusCreated {
		t.Fatalf("status %d", status)
	}
	if status, _ := c.get("/api/v1/query", url.Values{"query": {"1"}}); status != 503 {
		t.Errorf("status %d with the fault", status)
	}
	if status, _ := send(http.MethodDelete, ""); status != http.StatusNoContent {
		t.Errorf("status %d of clearing", status)
	}
	if status, _ := c.get("/api/v1/query", url.Values{"query": {"1"}}); status != 200 {
		t.Errorf("status %d without the fault", status)
	}
	for name, body := range map[string]string{
		"not JSON": "x", "an unknown kind": `{"kind":"explode"}`, "an unknown member": `{"stauts":500}`, "an unknown service": `{"service":"mail"}`,
		"a broken pattern": `{"path":"("}`, "a delay without a unit": `{"delay":"5"}`, "a redirect to nowhere": `{"kind":"redirect"}`,
		"a status that is none": `{"status":99}`, "a negative number": `{"times":-1}`,
	} {
		if status, text := send(http.MethodPost, body); status != http.StatusBadRequest || !strings.Contains(text, `"code":"bad_request"`) {
			t.Errorf("%s: status %d, %s", name, status, text)
		}
	}
}
