package jobs_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
)

// limit decides whether a gateway serves a request at a time, or how long it requests to wait.
type limit func(now time.Time) (wait time.Duration)

// tokenBucket allows so many requests a minute, also at once. The first token after that is there after a second or more.
func tokenBucket(perMinute int) limit {
	limiter := rate.NewLimiter(rate.Every(time.Minute/time.Duration(perMinute)), perMinute)
	return func(now time.Time) time.Duration {
		taken := limiter.ReserveN(now, 1)
		wait := taken.DelayFrom(now)
		if wait > 0 {
			taken.CancelAt(now)
		}
		return wait
	}
}

// fixedWindow allows so many requests in each minute of the clock.
func fixedWindow(perMinute int) limit {
	var minute time.Time
	n := 0
	return func(now time.Time) time.Duration {
		if start := now.Truncate(time.Minute); !start.Equal(minute) {
			minute, n = start, 0
		}
		if n++; n > perMinute {
			return minute.Add(time.Minute).Sub(now)
		}
		return 0
	}
}

func unlimited(time.Time) time.Duration { return 0 }

// only allows so many requests, and none for an hour.
func only(requests int) limit {
	return func(time.Time) time.Duration {
		if requests--; requests < 0 {
			return time.Hour
		}
		return 0
	}
}

// limited is a gateway with a rate limit, in the virtual time of a synctest bubble.
type limited struct {
	http.Handler
	limit limit
	lock  sync.Mutex
	// served and refused are the paths of requests.
	served, refused []string
}

// limitedLatency is the time of a response.
const limitedLatency = 20 * time.Millisecond

func (g *limited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(limitedLatency)
	g.lock.Lock()
	wait := g.limit(time.Now())
	if wait > 0 {
		g.refused = append(g.refused, r.URL.Path)
	} else {
		g.served = append(g.served, r.URL.Path)
	}
	g.lock.Unlock()
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		fail(w, http.StatusTooManyRequests, "Rate limit reached")
		return
	}
	g.Handler.ServeHTTP(w, r)
}

// count is the number of requests that were served whose path contains the text.
func (g *limited) count(containing string) int {
	g.lock.Lock()
	defer g.lock.Unlock()
	return containingText(g.served, containing)
}

// refusedDetails is the number of requests for checkpoints with the response 429.
func (g *limited) refusedDetails() int {
	g.lock.Lock()
	defer g.lock.Unlock()
	return containingText(g.refused, "/checkpoints")
}

func containingText(all []string, text string) (n int) {
	for _, one := range all {
		if strings.Contains(one, text) {
			n++
		}
	}
	return n
}

// inBubble runs a test in a synctest bubble, with a client of the gateway that needs no network, and the default wait for
// details. Its clock starts at noon.
func inBubble(t *testing.T, handler http.Handler, limit limit, test func(t *testing.T, g *limited, client *jobs.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := &limited{Handler: handler, limit: limit}
		inMemory := httpclient.MiddlewareFunc(func(httpclient.Options, http.RoundTripper) http.RoundTripper {
			return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
				recorder := httptest.NewRecorder()
				g.ServeHTTP(recorder, req)
				response := recorder.Result()
				response.Request = req
				return response, req.Context().Err()
			})
		})
		start := time.Now()
		client := newClientAt(t, "http://gateway.test", func(c *config) {
			c.DetailsTimeout = 0
			c.Now = func() time.Time { return noon.Add(time.Since(start)) }
			c.Transport = newTransport(t, httpclient.Options{
				Timeouts: &httpclient.TimeoutOptions{Timeout: 30 * time.Second},
				ConfigureMiddleware: func(_ httpclient.Options, all []httpclient.Middleware) []httpclient.Middleware {
					return append(all, inMemory)
				},
			}, false)
		})
		defer time.Sleep(time.Minute) // for requests that are under way
		defer client.Close()
		test(t, g, client)
	})
}

// finished is a gateway with so many finished jobs, each with a checkpoint and an event.
func finished(count int) *gateway {
	g := &gateway{jobs: manyJobs(count), checkpoints: map[string]any{}, events: map[string]any{}, series: map[string]any{}}
	for i := range count {
		id := fmt.Sprintf("job-%05d", i)
		g.checkpoints[id] = []any{checkpoint("c-"+id, 1, time.Hour, object{"train_loss": 0.5})}
		g.events[id] = []any{event("e-"+id, 90*time.Minute, "Job started"), event("f-"+id, time.Hour, "The job has successfully completed")}
		g.series[id] = object{"metrics": []any{object{"metric_name": "train_loss", "data": []any{object{"timestamp": ago(time.Hour), "value": 0.5}}}}}
	}
	return g
}

// unfinished are the jobs of finished, which are running.
func unfinished(count int) *gateway {
	g := finished(count)
	for _, one := range g.jobs {
		one.(object)["status"], one.(object)["finished_at"] = "running", nil
	}
	return g
}

// within fails if a call takes longer.
func within(t *testing.T, most time.Duration, what string, call func()) {
	t.Helper()
	began := time.Now()
	call()
	require.LessOrEqual(t, time.Since(began), most, what)
}

// requireNo429 checks that notices don't speak of an error.
func requireNo429(t *testing.T, text string) {
	t.Helper()
	require.NotContains(t, text, "(429)")
	require.NotContains(t, text, "can't be read")
}
