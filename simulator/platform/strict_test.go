package platform_test

import (
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestSpecOnly(t *testing.T) {
	c := start(t, platform.Config{SpecOnly: true})
	minute := url.Values{"query": {"time()"}, "start": {"2026-05-20T15:00:00Z"}, "end": {"2026-05-20T15:01:00Z"}, "step": {"60s"}}
	if status, body := c.get("/api/v1/query_range", minute); status != 200 || strings.Count(body, `"]`) != 2 {
		t.Errorf("query_range: %d %s", status, body)
	}
	for name, value := range map[string]string{"start": "1779289200", "end": "yesterday", "step": "60"} {
		other := url.Values{"query": {"1"}, "start": minute["start"], "end": minute["end"], "step": minute["step"]}
		other.Set(name, value)
		if status, body := c.get("/api/v1/query_range", other); status != 400 || !strings.Contains(body, `"code":"bad_request"`) {
			t.Errorf("%s %s: %d %s", name, value, status, body)
		}
	}
	hourAgo := url.Values{"query": {"time()"}, "time": {now.Add(-time.Hour).Format(time.RFC3339)}}
	if r := c.decode("", url.Values{"query": {"vector(time())"}, "time": hourAgo["time"]}); r.Data.Result[0].Value.value != float64(now.Unix()) {
		t.Errorf("an instant query has the time %v", r.Data.Result[0].Value)
	}
	for _, path := range []string{"/api/v1/query", "/api/v1/labels", "/api/v1/label/gpu/values", "/api/v1/series", "/api/v1/query-range"} {
		if status, body := c.get(path, minute); status != 404 || !strings.Contains(body, `"code":"not_found"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func TestEncoding_Forced(t *testing.T) {
	readers := map[string]func(io.Reader) (io.Reader, error){
		"GZIP":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"Deflate": func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		"zstd":    func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
		"br":      func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	}
	for coding, open := range readers {
		c := start(t, platform.Config{ContentEncoding: coding})
		c.Server.Client().Transport.(*http.Transport).DisableCompression = true
		for range 2 {
			response, err := c.request(http.MethodGet, c.MetricsPath(), url.Values{"query": {"vector(1)"}})
			if err != nil {
				t.Fatal(err)
			}
			unpacked, err := open(response.Body)
			if err != nil {
				t.Fatalf("%s: %v", coding, err)
			}
			body, err := io.ReadAll(unpacked)
			_ = response.Body.Close()
			if err != nil || response.Header.Get("Content-Encoding") != coding || !strings.Contains(string(body), `"success"`) {
				t.Errorf("%s: %v, %v, %q", coding, err, response.Header, body)
			}
		}
	}
}
