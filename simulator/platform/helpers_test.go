package platform_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/served"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// now is the time at which platforms begin.
var now = served.Begun

// client sends requests to one platform over HTTP.
type client struct {
	*served.Platform
	t *testing.T
}

func start(t *testing.T, c platform.Config) *client {
	t.Helper()
	return &client{served.Start(t, c), t}
}

// request sends a request with the right token.
func (c *client) request(method, path string, params url.Values) (*http.Response, error) {
	c.t.Helper()
	r, err := http.NewRequest(method, c.Server.URL+path+"?"+params.Encode(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.Config().MonitoringToken)
	return c.Server.Client().Do(r)
}

// get returns the status and body of a response of the metrics endpoint.
func (c *client) get(path string, params url.Values) (int, string) {
	c.t.Helper()
	response, err := c.request(http.MethodGet, c.MetricsPath()+path, params)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// result is the Prometheus response to a query.
type result struct {
	Status string `json:"status"`
	Data   struct {
		ResultType string `json:"resultType"`
		Result     []struct {
			Metric map[string]string `json:"metric"`
			Value  sample            `json:"value"`
			Values []sample          `json:"values"`
		} `json:"result"`
	} `json:"data"`
	Warnings []string `json:"warnings"`
	Infos    []string `json:"infos"`
}

type sample struct{ time, value float64 }

func (s *sample) UnmarshalJSON(data []byte) (err error) {
	var text string
	if err = json.Unmarshal(data, &[]any{&s.time, &text}); err == nil {
		s.value, err = strconv.ParseFloat(text, 64)
	}
	return err
}

func (c *client) decode(path string, params url.Values) result {
	c.t.Helper()
	status, body := c.get(path, params)
	var r result
	if err := json.Unmarshal([]byte(body), &r); err != nil || status != http.StatusOK || r.Status != "success" {
		c.t.Fatalf("%s: status %d, %v, body %.300s", params.Get("query"), status, err, body)
	}
	return r
}

// at sends an instant query.
func (c *client) at(t time.Time, query string) result {
	c.t.Helper()
	return c.decode("/api/v1/query", url.Values{"query": {query}, "time": {t.Format(time.RFC3339)}})
}

// over sends a range query that ends now.
func (c *client) over(past, step time.Duration, query string) result {
	c.t.Helper()
	return c.decode("/api/v1/query_range", url.Values{
		"query": {query}, "start": {now.Add(-past).Format(time.RFC3339)}, "end": {now.Format(time.RFC3339)}, "step": {step.String()},
	})
}

// number returns the value of a result that has one series.
func (c *client) number(t time.Time, query string) float64 {
	c.t.Helper()
	r := c.at(t, query)
	if len(r.Data.Result) != 1 {
		c.t.Fatalf("%s at %s: %d series, want 1", query, t, len(r.Data.Result))
	}
	return r.Data.Result[0].Value.value
}

// none checks that a query finds nothing.
func (c *client) none(t time.Time, query string) {
	c.t.Helper()
	if r := c.at(t, query); len(r.Data.Result) > 0 {
		c.t.Errorf("%s at %s: %d series, the first %v", query, t, len(r.Data.Result), r.Data.Result[0])
	}
}
