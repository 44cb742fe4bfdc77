package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// running runs the simulator. stop ends it, which has to succeed.
func running(t *testing.T, args ...string) (a access, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, append([]string{"-listen", "127.0.0.1:0"}, args...), writer) }()
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
	a, stop := running(t, "-nodes", "2")
	if a.MonitoringToken == "" || a.SecretKey == "" {
		t.Fatalf("%+v", a)
	}
	r, _ := http.NewRequest(http.MethodGet, a.MetricsURL+"?query=count(DCGM_FI_DEV_GPU_UTIL)", nil)
	r.Header.Set("Authorization", "Bearer "+a.MonitoringToken)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if response.StatusCode != 200 || !strings.Contains(string(body), `"16"`) {
		t.Errorf("status %d, %s", response.StatusCode, body)
	}
	r, _ = http.NewRequest(http.MethodGet, a.IntelligenceURL+"/v1/models", nil)
	r.Header.Set("Authorization", "Bearer "+a.InferenceAPIKey)
	if response, err = http.DefaultClient.Do(r); err != nil || response.StatusCode != 200 {
		t.Errorf("the gateway: %v, %v", response, err)
	}
	_ = response.Body.Close()
	stop()
}

func TestOptions_Refused(t *testing.T) {
	for _, args := range [][]string{{"-nodes", "0"}, {"-gpus", "-1"}, {"-job-duration", "0s"}, {"-incident", "nothing"}, {"-listen", "nowhere:x"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}
