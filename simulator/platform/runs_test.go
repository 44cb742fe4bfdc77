package platform_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// control reads the control endpoint.
func (c *client) control(path string, params url.Values, into any) int {
	c.t.Helper()
	response, err := c.request(http.MethodGet, "/_control/"+path, params)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal(body, into); err != nil {
			c.t.Fatalf("%s: %v", body, err)
		}
	}
	return response.StatusCode
}

func TestControl_Runs(t *testing.T) {
	c := start(t, platform.Config{})
	var day, week []metrics.Run
	c.control("runs", nil, &day)
	c.control("runs", url.Values{"start": {now.Add(-7 * 24 * time.Hour).Format(time.RFC3339)}}, &week)
	if len(day) < 5 || len(week) < 4*len(day) {
		t.Fatalf("%d runs in a day, %d in a week", len(day), len(week))
	}
	one := week[1]
	var whole, half metrics.Run
	c.control("runs/"+one.ID, nil, &whole)
	c.control("runs/"+one.ID, url.Values{"end": {one.Start.Add(one.End.Sub(one.Start) / 2).Format(time.RFC3339)}}, &half)
	if whole.Energy != one.Energy || half.Energy >= 0.7*whole.Energy || half.Energy <= 0 {
		t.Errorf("%g kWh in the list, %g alone, %g of half of it", one.Energy, whole.Energy, half.Energy)
	}
	if status := c.control("runs/nothing", nil, nil); status != http.StatusNotFound {
		t.Error(status)
	}
	if status := c.control("runs", url.Values{"start": {"yesterday"}}, nil); status != http.StatusBadRequest {
		t.Error(status)
	}
}

func TestControl_RunsHaveSamples(t *testing.T) {
	c := start(t, platform.Config{})
	for _, r := range c.Runs(now.Add(-24*time.Hour), now) {
		at := r.Start.Add(r.End.Sub(r.Start) / 2)
		selector := `{pod_name="` + r.Labels["pod_name"] + `", pod_ip="` + r.Labels["pod_ip"] + `"}`
		if n := c.number(at, `count(DCGM_FI_DEV_GPU_UTIL{`+r.Selector+`})`); n != float64(r.GPUs) {
			t.Errorf("%s: %g GPUs, want %d", r.ID, n, r.GPUs)
		}
		if r.Status == "running" {
			continue
		}
		seconds := r.End.Sub(r.Start).Truncate(time.Second).String()
		tokens := c.number(r.End, `max(max_over_time(training_tokens_total`+selector+`[`+seconds+`]))`)
		if tokens > float64(r.Tokens) || tokens < 0.9*float64(r.Tokens) {
			t.Errorf("%s: %g tokens by the last sample, %d by the end", r.ID, tokens, r.Tokens)
		}
	}
}
