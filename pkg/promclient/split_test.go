package promclient_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const day = 24 * time.Hour

// slowPlatform is a simulator in front of which each day of a range takes a while.
type slowPlatform struct {
	http.Handler
	perDay     time.Duration
	refuse     bool // the next request, with the status 429
	retryAfter string

	mu             sync.Mutex
	requests       []string // the days of their ranges, as "05-03 to 05-08"
	inFlight, peak int
}

func (p *slowPlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start, _ := time.Parse(time.RFC3339, r.FormValue("start"))
	end, _ := time.Parse(time.RFC3339, r.FormValue("end"))
	p.mu.Lock()
	p.requests = append(p.requests, start.Format("01-02")+" to "+end.Format("01-02"))
	p.inFlight++
	p.peak = max(p.peak, p.inFlight)
	refuse := p.refuse
	p.refuse = false
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.inFlight--
	}()
	time.Sleep(time.Duration(end.Sub(start).Hours() / 24 * float64(p.perDay)))
	if refuse {
		w.Header().Set("Retry-After", p.retryAfter)
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	p.Handler.ServeHTTP(w, r)
}

func (p *slowPlatform) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	requests := p.requests
	p.requests = nil
	slices.Sort(requests)
	return requests
}

// newSlowPlatform runs such a platform, and a client of it that may send so many requests at the same time.
func newSlowPlatform(t *testing.T, concurrent int, change func(*promclient.Config)) (*slowPlatform, *promclient.Client) {
	t.Helper()
	clock := newClock()
	simulated := platform.New(platform.Config{Nodes: 2, GPUsPerNode: 2, Now: clock.now})
	p := &slowPlatform{Handler: simulated, perDay: 10 * time.Millisecond}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	require.NoError(t, err)
	sender, err := transport.New(transport.Options{
		HTTP:          httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions},
		Service:       transport.Service{Title: "The metrics endpoint", Credential: "monitoring token"},
		Authorize:     transport.Bearer(platform.DefaultMonitoringToken),
		MaxConcurrent: concurrent,
	})
	require.NoError(t, err)
	config := promclient.Config{
		Transport: sender, Base: base.JoinPath(simulated.MetricsPath()), MinStep: time.Minute, Now: clock.now, Cache: cached,
	}
	config.Cache.PartSlots, config.Cache.PartTime = concurrent/2, 50*time.Millisecond
	if change != nil {
		change(&config)
	}
	client := promclient.New(config)
	t.Cleanup(client.Close)
	return p, client
}

// long queries days up to noon at half an hour.
func long(t *testing.T, c *promclient.Client, expr string, days int) error {
	t.Helper()
	return upToNoon(t, c, expr, time.Duration(days)*day)
}

func upToNoon(t *testing.T, c *promclient.Client, expr string, span time.Duration) error {
	t.Helper()
	q := saved{"expr": expr, "range": true, "interval": "30m"}
	_, err := c.QueryData(t.Context(), dataQuery(t, q, noon, span), false)
	return err
}

func TestSplit_ConcurrencyLimit(t *testing.T) {
	p, c := newSlowPlatform(t, 4, nil)
	require.NoError(t, long(t, c, "DCGM_FI_DEV_GPU_UTIL", 2))
	p.take()
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			if err := long(t, c, fmt.Sprint("DCGM_FI_DEV_GPU_UTIL + ", i), 30); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.LessOrEqual(t, p.peak, 4)
	requests := p.take()
	require.Greater(t, len(requests), 6, "some are split")
	require.Contains(t, requests, "05-03 to 06-02", "others are not, because half of the slots are for them")
}

func TestSplit_NotWithOneConcurrentRequest(t *testing.T) {
	p, c := newSlowPlatform(t, 1, nil)
	for i := range 3 {
		require.NoError(t, long(t, c, fmt.Sprint("DCGM_FI_DEV_GPU_UTIL + ", i), 30))
		require.Len(t, p.take(), 1)
	}
}

// After a refusal, ranges are requested whole.
func TestSplit_NotAfterARefusal(t *testing.T) {
	for name, retryAfter := range map[string]string{"repeated": "", "not repeated": "3600"} {
		t.Run(name, func(t *testing.T) {
			p, c := newSlowPlatform(t, 32, nil)
			require.NoError(t, long(t, c, "DCGM_FI_DEV_GPU_UTIL", 2))
			require.NoError(t, long(t, c, "DCGM_FI_DEV_GPU_UTIL", 30))
			require.Greater(t, len(p.take()), 2)
			p.refuse, p.retryAfter = true, retryAfter
			// Too short to be split, also where a busy machine makes the platform seem slower: of a refused part the range is requested whole.
			err := upToNoon(t, c, "DCGM_FI_DEV_GPU_TEMP", time.Hour)
			if retryAfter == "" {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, transport.ErrRateLimited)
			}
			p.take()
			require.NoError(t, long(t, c, "DCGM_FI_DEV_POWER_USAGE", 30))
			require.Len(t, p.take(), 1)
		})
	}
}

// The detection of endpoints isn't a refusal.
func TestSplit_OtherPath(t *testing.T) {
	p, c := newSlowPlatform(t, 32, nil)
	p.Handler = platform.New(platform.Config{Nodes: 2, GPUsPerNode: 2, RangePath: "query-range", Now: newClock().now})
	require.NoError(t, long(t, c, "DCGM_FI_DEV_GPU_UTIL", 2))
	p.take()
	require.NoError(t, long(t, c, "DCGM_FI_DEV_GPU_UTIL", 30))
	require.Greater(t, len(p.take()), 2)
}

// The limits apply to the whole result, and so do the numbers of the error.
func TestSplit_Limits(t *testing.T) {
	for name, limits := range map[string]promclient.Limits{"points": {Points: 5000}, "series": {Series: 3}} {
		t.Run(name, func(t *testing.T) {
			p, c := newSlowPlatform(t, 32, func(c *promclient.Config) { c.Limits = limits })
			require.NoError(t, long(t, c, "sum(DCGM_FI_DEV_GPU_UTIL)", 30))
			require.Greater(t, len(p.take()), 2)
			err := long(t, c, "DCGM_FI_DEV_GPU_UTIL", 30)
			require.ErrorIs(t, err, transport.ErrTooLarge)
			if name == "points" {
				require.ErrorContains(t, err, "has "+strconv.Itoa(4*(30*48+1))+" points")
			} else {
				require.ErrorContains(t, err, "has 4 series")
			}
			require.Contains(t, p.take(), "05-03 to 06-02")
			require.Error(t, long(t, c, "DCGM_FI_DEV_GPU_UTIL", 30))
			require.Len(t, p.take(), 1, "it is not split again")
		})
	}
}

// A part that the platform refused is requested again.
func TestSplit_PartRefused(t *testing.T) {
	p, c := newSlowPlatform(t, 32, nil)
	require.NoError(t, long(t, c, "DCGM_FI_DEV_GPU_UTIL", 2))
	p.take()
	p.refuse = true
	require.NoError(t, long(t, c, "DCGM_FI_DEV_GPU_UTIL + 1", 30))
	require.Greater(t, len(p.take()), 6)
}

// A part that fails is an error, and the message is the platform's.
func TestSplit_OutageIsAnError(t *testing.T) {
	p, c := newSlowPlatform(t, 32, nil)
	require.NoError(t, long(t, c, "DCGM_FI_DEV_GPU_UTIL", 2))
	whole := p.Handler
	p.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.FormValue("start"), "2025-05-03") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		whole.ServeHTTP(w, r)
	})
	p.take()
	err := long(t, c, "DCGM_FI_DEV_GPU_UTIL + 1", 30)
	require.ErrorIs(t, err, transport.ErrUnavailable)
	require.Greater(t, len(p.take()), 2)
}
