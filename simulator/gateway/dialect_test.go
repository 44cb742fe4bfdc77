package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestDialect_Times(t *testing.T) {
	const id = "fine_tuning/jobs/ftjob-0dd0000000000001"
	seconds := int64(start(t, platform.Config{}).get(id).Number("created_at"))
	if ms := int64(start(t, platform.Config{GatewayDialect: gateway.Dialect{Times: "milliseconds"}}).get(id).Number("created_at")); ms/1000 != seconds || ms == seconds {
		t.Errorf("%d ms for %d s", ms, seconds)
	}
	c := start(t, platform.Config{GatewayDialect: gateway.Dialect{Times: "rfc3339"}})
	text := c.get(id).Text("created_at")
	if at, err := time.Parse(time.RFC3339, text); err != nil || at.Unix() != seconds {
		t.Errorf("%q for %d s", text, seconds)
	}
	for _, path := range []string{id + "/checkpoints", id + "/events", "files", "fine_tuning/jobs?limit=100"} {
		for _, one := range c.get(path).List("data") {
			if at, is := one["created_at"]; is && !strings.HasSuffix(at.(string), "Z") {
				t.Errorf("%s: created_at is %v", path, at)
			}
		}
	}
}

func TestDialect_Errors(t *testing.T) {
	for name, want := range map[string]string{
		"openai":      `{"error":{"code":"invalid_value","message":"…","param":"limit","type":"invalid_request_error"}}`,
		"error":       `{"error":"…"}`,
		"detail":      `{"detail":"…"}`,
		"detail-list": `{"detail":[{"loc":["body","limit"],"msg":"…","type":"invalid_value"}]}`,
		"string":      `"…"`,
		"text":        `…`,
	} {
		c := start(t, platform.Config{GatewayMaxLimit: 100, GatewayDialect: gateway.Dialect{Errors: name}})
		response := c.send(http.MethodGet, "fine_tuning/jobs?limit=101", "", nil)
		body, _ := io.ReadAll(response.Body)
		if want = strings.Replace(want, "…", "limit must be at most 100.", 1); response.StatusCode != 400 || strings.TrimSpace(string(body)) != want {
			t.Errorf("%s: %d %s, want %s", name, response.StatusCode, body, want)
		}
		if isJSON := strings.HasPrefix(response.Header.Get("Content-Type"), "application/json"); isJSON != json.Valid(body) {
			t.Errorf("%s: %s is called %s", name, body, response.Header.Get("Content-Type"))
		}
	}
}

func TestRateLimit_RetryAfter(t *testing.T) {
	c := start(t, platform.Config{RateLimit: "2/m"})
	for _, want := range []int{200, 200, 429} {
		if response := c.send(http.MethodGet, "models", "", nil); response.StatusCode != want {
			t.Fatalf("status %d, want %d", response.StatusCode, want)
		} else if after := response.Header.Get("Retry-After"); want == 429 && after != "30" {
			t.Errorf("Retry-After: %s", after)
		}
	}
	c.Wait(30 * time.Second)
	c.get("models")
}

func TestSpecOnly(t *testing.T) {
	c := start(t, platform.Config{SpecOnly: true})
	_, file := c.upload("fine-tune", "a.jsonl", `{"messages":[]}`)
	_, job := c.post("fine_tuning/jobs", object{"model": "Qwen/Qwen3-4B", "training_file": file.Text("id"), "method": object{"type": "supervised"}})
	c.Wait(2 * time.Minute)
	id := "fine_tuning/jobs/" + job.Text("id")
	checkpoints := c.get(id + "/checkpoints").List("data")
	if c.get(id).Text("status") != "succeeded" || len(checkpoints) == 0 {
		t.Fatalf("%v, %d checkpoints", job, len(checkpoints))
	}
	for path, want := range map[string]int{
		"files/" + checkpoints[0].Text("id") + "/content": 200,
		"files": 405, "fine_tuning/jobs": 405, "files/" + file.Text("id"): 404, "models": 404, id + "/events": 404, id + "/metrics": 404,
	} {
		if response := c.send(http.MethodGet, path, "", nil); response.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, response.StatusCode, want)
		}
	}
}
