package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// running runs the simulator. stop ends it, which has to succeed.
func running(t *testing.T, args ...string) (a access, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, append([]string{"-listen", "127.0.0.1:0", "-json"}, args...), writer) }()
	line, err := bufio.NewReader(reader).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return a, func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("still running")
		}
	}
}

func TestRun(t *testing.T) {
	a, stop := running(t, "-nodes", "2", "-monitoring-token", "t")
	if a.MonitoringToken != "t" || a.SecretKey == "" {
		t.Fatalf("%+v", a)
	}
	r, _ := http.NewRequest(http.MethodGet, a.MetricsURL+"?query=count(DCGM_FI_DEV_GPU_UTIL)", nil)
	r.Header.Set("Authorization", "Bearer t")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if response.StatusCode != 200 || !strings.Contains(string(body), `"16"`) {
		t.Errorf("status %d, %s", response.StatusCode, body)
	}
	check := []string{"-healthcheck", "-listen", strings.TrimPrefix(a.Address, "http://")}
	if err := run(t.Context(), check, io.Discard); err != nil {
		t.Errorf("the health check of a running simulator: %v", err)
	}
	r, _ = http.NewRequest(http.MethodGet, a.IntelligenceURL+"/v1/models", nil)
	r.Header.Set("Authorization", "Bearer "+a.InferenceAPIKey)
	if response, err = http.DefaultClient.Do(r); err != nil || response.StatusCode != 200 {
		t.Errorf("the gateway: %v, %v", response, err)
	}
	_ = response.Body.Close()
	stop()
	if run(t.Context(), check, io.Discard) == nil {
		t.Error("a simulator that has ended is called healthy")
	}
}

func TestOptions_MetricsUpstream(t *testing.T) {
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.RequestURI())
	}))
	defer engine.Close()
	o, err := parseOptions([]string{"-metrics-upstream", engine.URL + "/prometheus", "-monitoring-token", "t"})
	if err != nil {
		t.Fatal(err)
	}
	p := platform.New(o.config)
	r := httptest.NewRequest(http.MethodGet, p.MetricsPath()+"?query=up", nil)
	r.Header.Set("Authorization", "Bearer t")
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	if w.Code != http.StatusOK || w.Body.String() != "/prometheus/api/v1/query?query=up" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestOptions_Refused(t *testing.T) {
	for _, args := range [][]string{
		{"-nodes", "0"}, {"-gpus", "-1"}, {"-range-path", "range"}, {"-job-duration", "0s"}, {"-extra-jobs", "-1"}, {"-secret-key", "a="}, {"-listen", "nowhere:x"},
		{"-metrics-upstream", "127.0.0.1:9090"}, {"-metrics-upstream", "ftp://localhost"}, {"-metrics-upstream", "http://user@localhost"},
	} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}
