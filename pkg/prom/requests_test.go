package prom_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
)

// recorder is a platform without series that records the parameters of requests.
type recorder struct {
	// date is the Date header. If it is empty, Go sets the header.
	date string

	mu       sync.Mutex
	requests []url.Values
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	_ = req.ParseForm()
	r.mu.Lock()
	r.requests = append(r.requests, req.Form)
	r.mu.Unlock()
	if r.date != "" {
		w.Header().Set("Date", r.date)
	}
	data := `{"resultType":"matrix","result":[]}`
	switch {
	case strings.HasSuffix(req.URL.Path, "/query"):
		data = `{"resultType":"vector","result":[]}`
	case !strings.Contains(req.URL.Path, "/query"):
		data = `[]`
	}
	_, _ = io.WriteString(w, `{"status":"success","data":`+data+`}`)
}

// take returns the requests since the last call.
func (r *recorder) take() []url.Values {
	r.mu.Lock()
	defer r.mu.Unlock()
	requests := r.requests
	r.requests = nil
	return requests
}

func newRecorder(t *testing.T, clock *clock, minStep time.Duration) (*recorder, *prom.Client) {
	t.Helper()
	r := &recorder{}
	client := prom.New(prom.Config{Transport: newTransport(t), Base: serve(t, r), Cache: cached, MinStep: minStep, Now: clock.now})
	t.Cleanup(client.Close)
	return r, client
}

// The specification of the platform has times as RFC 3339, and some deployments don't accept Unix seconds.
func TestRequests_TimesAreRFC3339(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		t.Run(method, func(t *testing.T) {
			r := &recorder{}
			client := prom.New(prom.Config{Transport: newTransport(t), Base: serve(t, r), Method: method, Now: newClock().now})
			t.Cleanup(client.Close)
			given := url.Values{"query": {"up"}, "match[]": {"up"}, "start": {"1748862000"}, "end": {"1748865600.5"}, "time": {"1748865600"}, "step": {"60"}}
			calls := map[string]func(context.Context) error{
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
				"query_range":      {"start": "2025-06-02T11:00:00Z", "end": "2025-06-02T12:00:00Z", "step": "60s"}, // to the last step
				"query":            {"time": "2025-06-02T12:00:00Z"},
				"labels":           {"start": "2025-06-02T11:00:00Z", "end": "2025-06-02T12:00:00.5Z"},
				"values":           {"start": "2025-06-02T11:00:00Z", "end": "2025-06-02T12:00:00.5Z"},
				"series":           {"start": "2025-06-02T11:00:00Z", "end": "2025-06-02T12:00:00.5Z"},
				"a check":          {"start": "2025-06-02T11:55:00Z", "end": "2025-06-02T12:00:00Z", "step": "60s"},
			}
			for what, call := range calls {
				require.NoError(t, call(t.Context()), what)
				requests := r.take()
				require.Len(t, requests, 1, what)
				for name, value := range wanted[what] {
					require.Equal(t, value, requests[0].Get(name), "%s of %s", name, what)
				}
			}
		})
	}
}

// The Date header is the clock of the platform. Steps after it are not final, because the platform has no samples for them yet.
func TestRequests_PlatformClockBehind(t *testing.T) {
	for name, test := range map[string]struct {
		date string
		want string
	}{
		"clock two hours behind": {noon.Add(-2 * time.Hour).Format(http.TimeFormat), "2025-06-02T11:30:00Z"},
		"same clock":             {noon.Format(http.TimeFormat), "2025-06-02T11:51:00Z"},
		"invalid header":         {"soon", "2025-06-02T11:51:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			clock := newClock()
			r, client := newRecorder(t, clock, time.Minute)
			r.date = test.date
			for range 2 {
				r.take()
				_, err := client.QueryData(t.Context(), dataQuery(t, saved{"expr": "up"}, clock.now(), time.Hour), false)
				require.NoError(t, err)
				clock.advance(30 * time.Minute)
			}
			requests := r.take()
			require.Len(t, requests, 1)
			require.Equal(t, test.want, requests[0].Get("start"))
		})
	}
}

// A result about the present is reused until the scrape interval ends, but for a minute at most.
func TestRequests_OncePerScrapeInterval(t *testing.T) {
	for name, test := range map[string]struct {
		minStep  time.Duration
		requests int // of a query every five seconds, for a minute
	}{
		"15 s":     {15 * time.Second, 4},
		"a minute": {time.Minute, 1},
		"an hour":  {time.Hour, 1},
	} {
		for _, kind := range []string{"range", "instant"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				clock := newClock()
				r, client := newRecorder(t, clock, test.minStep)
				run := func() {
					to := noon
					if kind == "instant" {
						to = clock.now()
					}
					_, err := client.QueryData(t.Context(), dataQuery(t, saved{"expr": "up", kind: true, "interval": "60s"}, to, time.Hour), false)
					require.NoError(t, err)
				}
				for range 12 {
					run()
					clock.advance(5 * time.Second)
				}
				require.Len(t, r.take(), test.requests)
				run()
				require.Len(t, r.take(), 1, "the next minute is another interval")
			})
		}
	}
}

// Annotations of an engine are shown without the addresses of its servers.
func TestNotices_WithoutAddresses(t *testing.T) {
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data := `{"resultType":"matrix","result":[]}`
		if strings.HasSuffix(r.URL.Path, "/labels") {
			data = `[]`
		}
		_, _ = io.WriteString(w, `{"status":"success","warnings":["no response of http://10.0.0.1:8401/select"],"infos":["asked 10.0.0.2:8401"],"data":`+data+`}`)
	}))
	client := prom.New(prom.Config{Transport: newTransport(t), Base: base, Now: newClock().now})
	t.Cleanup(client.Close)
	frames, err := client.QueryData(t.Context(), dataQuery(t, saved{"expr": "up", "range": true}, noon, time.Hour), false)
	require.NoError(t, err)
	require.Equal(t, []string{"no response of [address]", "asked [address]"}, notices(frames))
	list, err := client.LabelNames(t.Context(), url.Values{})
	require.NoError(t, err)
	require.Equal(t, []string{"no response of [address]"}, list.Warnings)
}

// A list that is derived of a partial result is partial.
func TestLists_DerivedOfPartialResult(t *testing.T) {
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/query") {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, `{"status":"success","isPartial":true,"data":{"resultType":"vector","result":[{"metric":{"gpu":"0"},"value":[1,"1"]}]}}`)
	}))
	client := prom.New(prom.Config{Transport: newTransport(t), Base: base, Now: newClock().now, Cache: cached})
	t.Cleanup(client.Close)
	for range 2 {
		list, err := client.LabelValues(t.Context(), "gpu", url.Values{})
		require.NoError(t, err)
		require.Len(t, list.Warnings, 1)
		require.Contains(t, list.Warnings[0], "this result is partial")
	}
}

// Samples that are missing would be a hole in the archive.
func TestExport_Warning(t *testing.T) {
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":"success","warnings":["a store is down"],"data":{"resultType":"matrix","result":[{"metric":{"__name__":"up"},"values":[[1,"1"]]}]}}`)
	}))
	client := prom.New(prom.Config{Transport: newTransport(t), Base: base, Now: newClock().now})
	t.Cleanup(client.Close)
	span := url.Values{"match[]": {"up"}, "start": {formatSeconds(noon.Add(-time.Hour))}, "end": {formatSeconds(noon)}}
	err := client.Export(t.Context(), span, io.Discard)
	require.EqualError(t, err, "a store is down")
}

// Servers and proxies refuse long addresses. The expressions of the dashboards take up to 25 KB of one.
func TestRequests_LongAddress(t *testing.T) {
	long := strings.Repeat("up or ", 1000) + "up"
	for name, test := range map[string]struct {
		status, post int // of long addresses, and of POST
		expr         string
		requests     int
		want         string
	}{
		"nginx":                  {414, 200, long, 2, ""},
		"Envoy":                  {431, 200, long, 2, ""},
		"HAProxy":                {400, 200, long, 2, ""},
		"no POST":                {414, 405, long, 2, "refused the request (414): Request URI Too Long"},
		"POST forbidden":         {431, 403, long, 2, "refused the request (431)"},
		"an invalid long query":  {400, 400, long, 2, "can't run this request (400)"},
		"an invalid short query": {400, 200, "up", 1, "can't run this request (400)"},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			client := prom.New(prom.Config{Transport: newTransport(t), Now: newClock().now, Base: serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				requests++
				status := test.status
				if req.Method == http.MethodPost {
					status = test.post
					assert.Equal(t, test.expr, req.PostFormValue("query"))
				}
				w.WriteHeader(status)
				_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"matrix","result":[]}}`)
			}))})
			t.Cleanup(client.Close)
			_, err := client.QueryData(t.Context(), dataQuery(t, saved{"expr": test.expr}, noon, time.Hour), false)
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.want)
			}
			require.Equal(t, test.requests, requests)
		})
	}
}
