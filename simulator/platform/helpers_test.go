package platform_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// now is the time at which platforms begin: a Wednesday afternoon.
var now = time.Date(2026, 5, 20, 15, 4, 5, 0, time.UTC)

// client sends requests to one platform.
type client struct {
	*platform.Platform
	t    *testing.T
	time time.Time // the platform's
}

func start(t *testing.T, config platform.Config) *client {
	t.Helper()
	c := &client{t: t, time: now}
	config.Now = func() time.Time { return c.time }
	c.Platform = platform.New(config)
	return c
}

// send returns the status and body of a response.
func (c *client) send(path string, headers map[string]string) (int, string) {
	r, w := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	c.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// get returns the status and body of a response of the metrics endpoint.
func (c *client) get(path string, params url.Values) (int, string) {
	return c.send(c.MetricsPath()+path+"?"+params.Encode(), map[string]string{"Authorization": "Bearer " + c.Config().MonitoringToken})
}

// items returns a list of the main API.
func (c *client) items(path string, params url.Values) []map[string]any {
	c.t.Helper()
	key, _ := base64.RawURLEncoding.DecodeString(c.Config().SecretKey)
	stamp, mac := c.time.Format(time.RFC3339), hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "/v1/%s\n%s\nGET\n%s\n", path, params.Encode(), stamp)
	status, body := c.send("/v1/"+path+"?"+params.Encode(), map[string]string{
		"X-Vendor-Timestamp": stamp, "Authorization": "Bearer 1.0:" + c.Config().AccessKeyID + ":" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)),
	})
	var page struct{ Items []map[string]any }
	if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
		c.t.Fatalf("%s: status %d, %s", path, status, body)
	}
	return page.Items
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
