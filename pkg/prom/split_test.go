package prom_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const day = 24 * time.Hour

// refusing is a simulator that responds to ranges of more than a day with a status.
type refusing struct {
	http.Handler
	status int
	body   string

	mu       sync.Mutex
	requests []string // the first days of their ranges
}

func (p *refusing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start, _ := time.Parse(time.RFC3339, r.FormValue("start"))
	end, _ := time.Parse(time.RFC3339, r.FormValue("end"))
	p.mu.Lock()
	p.requests = append(p.requests, start.Format("01-02"))
	p.mu.Unlock()
	if p.status != 0 && end.Sub(start) > day {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "3600") // too long to wait
		w.WriteHeader(p.status)
		_, _ = w.Write([]byte(p.body))
		return
	}
	p.Handler.ServeHTTP(w, r)
}

// newRefusing runs such a platform and a client of it.
func newRefusing(t *testing.T, change func(*prom.Config)) (*refusing, *prom.Client) {
	t.Helper()
	clock := newClock()
	simulated := platform.New(platform.Config{Nodes: 2, GPUsPerNode: 2, Now: clock.now})
	p := &refusing{Handler: simulated}
	config := prom.Config{
		Transport: newTransport(t), Base: serve(t, p).JoinPath(simulated.MetricsPath()), MinStep: time.Minute, Now: clock.now, Cache: cached,
	}
	if change != nil {
		change(&config)
	}
	client := prom.New(config)
	t.Cleanup(client.Close)
	return p, client
}

// month queries 30 days up to noon at half an hour.
func month(t *testing.T, c *prom.Client, expr string) error {
	t.Helper()
	_, err := c.QueryData(t.Context(), dataQuery(t, saved{"expr": expr, "range": true, "interval": "30m"}, noon, 30*day), false)
	return err
}

func TestSplit_RefusedWhole(t *testing.T) {
	tooMany := `{"status":"error","errorType":"execution","error":"query processing would load too many samples into memory in query execution"}`
	for name, test := range map[string]struct {
		status   int
		body     string
		requests int
		err      error
	}{
		"served whole":      {0, "", 1, nil},
		"too many samples":  {422, tooMany, 1 + 31, nil},
		"the engine's time": {503, strings.Replace(tooMany, "execution", "timeout", 1), 1 + 31, nil},
		"a mistake":         {400, tooMany, 1, transport.ErrBadRequest},
		"rate limited":      {429, "", 1, transport.ErrRateLimited},
		"down":              {500, "", 1, transport.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			p, c := newRefusing(t, nil)
			p.status, p.body = test.status, test.body
			require.ErrorIs(t, month(t, c, "DCGM_FI_DEV_GPU_UTIL"), test.err)
			require.Len(t, p.requests, test.requests)
		})
	}
}

// A part that fails is an error, and the message is the platform's.
func TestSplit_OutageIsAnError(t *testing.T) {
	p, c := newRefusing(t, func(c *prom.Config) { c.Cache = splitting })
	whole := p.Handler
	p.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.FormValue("start"), "2025-05-03") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		whole.ServeHTTP(w, r)
	})
	require.ErrorIs(t, month(t, c, "DCGM_FI_DEV_GPU_UTIL"), transport.ErrUnavailable)
}
