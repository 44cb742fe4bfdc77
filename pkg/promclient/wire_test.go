package promclient_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
)

// wire is a platform that answers nothing much, and remembers what it was asked.
type wire struct {
	// date is the Date header; Go's own if it is empty.
	date string

	mu    sync.Mutex
	asked []url.Values
}

func (w *wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	w.mu.Lock()
	w.asked = append(w.asked, r.Form)
	w.mu.Unlock()
	if w.date != "" {
		out.Header().Set("Date", w.date)
	}
	data := `{"resultType":"matrix","result":[]}`
	switch {
	case strings.HasSuffix(r.URL.Path, "/query"):
		data = `{"resultType":"vector","result":[]}`
	case !strings.Contains(r.URL.Path, "/query"):
		data = `[]`
	}
	_, _ = io.WriteString(out, `{"status":"success","data":`+data+`}`)
}

// take returns what was asked since it was called before.
func (w *wire) take() []url.Values {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

func newWire(t *testing.T, clock *clock, minStep time.Duration) (*wire, *promclient.Client) {
	t.Helper()
	w := &wire{}
	client := promclient.New(promclient.Config{Transport: newTransport(t), Base: serve(t, w), Cache: cached, MinStep: minStep, Now: clock.now})
	t.Cleanup(client.Close)
	return w, client
}

// The platform's specification shows times as RFC 3339; not every deployment reads Unix seconds.
func TestTimesOnTheWireAreRFC3339(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		t.Run(method, func(t *testing.T) {
			w := &wire{}
			client := promclient.New(promclient.Config{Transport: newTransport(t), Base: serve(t, w), Method: method, Now: newClock().now})
			t.Cleanup(client.Close)
			given := url.Values{"query": {"up"}, "match[]": {"up"}, "start": {"1748862000"}, "end": {"1748865600.5"}, "time": {"1748865600"}, "step": {"60"}}
			asks := map[string]func(context.Context) error{
				"a range query": func(ctx context.Context) error {
					_, err := client.QueryData(ctx, dataQuery(t, saved{"expr": "up", "range": true}, noon, time.Hour), false)
					return err
				},
				"an instant query": func(ctx context.Context) error {
					_, err := client.QueryData(ctx, dataQuery(t, saved{"expr": "up", "instant": true}, noon, time.Hour), false)
					return err
				},
				"query_range": func(ctx context.Context) error { _, err := client.QueryRange(ctx, given); return err },
				"query":       func(ctx context.Context) error { _, err := client.Query(ctx, given); return err },
				"labels":      func(ctx context.Context) error { _, err := client.LabelNames(ctx, given); return err },
				"values":      func(ctx context.Context) error { _, err := client.LabelValues(ctx, "gpu", given); return err },
				"series":      func(ctx context.Context) error { _, err := client.Series(ctx, given); return err },
				"a check":     client.Check,
			}
			wanted := map[string]map[string]string{
				"a range query":    {"start": "2025-06-02T11:00:00Z", "end": "2025-06-02T12:00:00Z", "step": "60s"},
				"an instant query": {"time": "2025-06-02T12:00:00Z"},
				"query_range":      {"start": "2025-06-02T11:00:00Z", "end": "2025-06-02T12:00:00.5Z", "step": "60s"},
				"query":            {"time": "2025-06-02T12:00:00Z"},
				"labels":           {"start": "2025-06-02T11:00:00Z", "end": "2025-06-02T12:00:00.5Z"},
				"values":           {"start": "2025-06-02T11:00:00Z", "end": "2025-06-02T12:00:00.5Z"},
				"series":           {"start": "2025-06-02T11:00:00Z", "end": "2025-06-02T12:00:00.5Z"},
				"a check":          {"start": "2025-06-02T11:55:00Z", "end": "2025-06-02T12:00:00Z", "step": "60s"},
			}
			for what, do := range asks {
				require.NoError(t, do(t.Context()), what)
				asked := w.take()
				require.Len(t, asked, 1, what)
				for name, value := range wanted[what] {
					require.Equal(t, value, asked[0].Get(name), "%s of %s", name, what)
				}
			}
		})
	}
}

// The Date header is the platform's clock: steps that it has no samples for yet are not final, whatever our clock says.
func TestAPlatformWhoseClockIsBehindIsAskedAgain(t *testing.T) {
	for name, test := range map[string]struct {
		date string
		want string
	}{
		"with a clock of its own": {noon.Add(-2 * time.Hour).Format(http.TimeFormat), "2025-06-02T11:30:00Z"},
		"with our clock":          {noon.Format(http.TimeFormat), "2025-06-02T11:51:00Z"},
		"without a clock":         {"soon", "2025-06-02T11:51:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			w, client := newWire(t, clock, time.Minute)
			w.date = test.date
			for range 2 {
				w.take()
				_, err := client.QueryData(t.Context(), dataQuery(t, saved{"expr": "up"}, clock.now(), time.Hour), false)
				require.NoError(t, err)
				clock.advance(30 * time.Minute)
			}
			asked := w.take()
			require.Len(t, asked, 1)
			require.Equal(t, test.want, asked[0].Get("start"))
		})
	}
}

// An answer about the present serves until the collection interval ends, also where that is shorter than a minute.
func TestAnAnswerServesUntilTheScrapeIntervalEnds(t *testing.T) {
	for name, test := range map[string]struct {
		minStep time.Duration
		asked   int // over a minute, every five seconds
	}{
		"15 s":     {15 * time.Second, 4},
		"a minute": {time.Minute, 1},
		"an hour":  {time.Hour, 1},
	} {
		for _, kind := range []string{"range", "instant"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				clock := newClock()
				w, client := newWire(t, clock, test.minStep)
				ask := func() {
					to := noon
					if kind == "instant" {
						to = clock.now()
					}
					_, err := client.QueryData(t.Context(), dataQuery(t, saved{"expr": "up", kind: true, "interval": "60s"}, to, time.Hour), false)
					require.NoError(t, err)
				}
				for range 12 {
					ask()
					clock.advance(5 * time.Second)
				}
				require.Len(t, w.take(), test.asked)
				ask()
				require.Len(t, w.take(), 1, "the next minute is another interval")
			})
		}
	}
}
