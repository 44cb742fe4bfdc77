package gateway_test

import (
	"net/http"
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestRoute_InferenceKey(t *testing.T) {
	c := start(t, platform.Config{InferenceAPIKey: "k$1"})
	for name, tc := range map[string]struct {
		header string
		status int
	}{
		"the key":              {"Bearer k$1", 200},
		"no header":            {"", 401},
		"another key":          {"Bearer k", 401},
		"the monitoring token": {"Bearer " + platform.DefaultMonitoringToken, 401},
		"no scheme":            {"k$1", 401},
	} {
		r, _ := http.NewRequest(http.MethodGet, c.Server.URL+platform.TuningPath+"/v1/models", nil)
		r.Header.Set("Authorization", tc.header)
		response, err := c.Server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		status, o := c.decode(response)
		_ = response.Body.Close()
		if status != tc.status || status == 401 && o.Object("error").Text("code") != "invalid_api_key" {
			t.Errorf("%s: %d %v", name, status, o)
		}
	}
}

func TestRoute_CountedByEndpoint(t *testing.T) {
	c := start(t, platform.Config{})
	job := c.create("counted").Text("id")
	file := c.get("files?limit=1").List("data")[0].Text("id")
	c.ResetCounters()
	for _, tc := range []struct {
		method, path, endpoint string
		status                 int
	}{
		{"GET", "files", "files", 200},
		{"GET", "files/" + file + "/content", "file_content", 404},
		{"GET", "files/" + platform.LargeCheckpointID + "/content", "file_content", 200},
		{"GET", "fine_tuning/jobs", "jobs", 200},
		{"DELETE", "fine_tuning/jobs", "jobs", 405},
		{"GET", "fine_tuning/jobs/" + job, "job", 200},
		{"GET", "fine_tuning/jobs/ftjob-nothing", "job", 404},
		{"GET", "fine_tuning/jobs/" + job + "/events", "events", 200},
		{"GET", "fine_tuning/jobs/ftjob-nothing/events", "events", 404},
		{"GET", "fine_tuning/jobs/" + job + "/checkpoints", "checkpoints", 200},
		{"GET", "fine_tuning/jobs/" + job + "/metrics", "metrics", 200},
		{"GET", "models", "models", 200},
		{"GET", "chat/completions", "unknown", 404},
		{"GET", "fine_tuning/jobs/" + job + "/events/1", "unknown", 404},
	} {
		before := c.Counters().Count(platform.ServiceTuning, tc.endpoint, tc.status)
		response := c.send(tc.method, tc.path, "", nil)
		if response.StatusCode != tc.status || c.Counters().Count(platform.ServiceTuning, tc.endpoint, tc.status) != before+1 {
			t.Errorf("%s %s: status %d, want %d; counted %+v", tc.method, tc.path, response.StatusCode, tc.status, c.Counters().Requests)
		}
		if tc.status >= 400 {
			if _, o := c.decode(response); o.Object("error").Text("message") == "" {
				t.Errorf("%s %s: %v", tc.method, tc.path, o)
			}
		}
	}
}
