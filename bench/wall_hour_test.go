package bench

import (
	"encoding/json"
	"math"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
)

// BenchmarkWallHour has 30 viewers of a dashboard of 6 h at 1 min, who refresh every 10 s for an hour by the benchmark's own clock, one
// after another. The goals are 95 % of the points from the cache, hits of less than 5.5 ms in nine of ten cases, from the saved query
// to the frames, and no value that differs from the platform's: each minute, the first and the last result of each panel are compared
// bit by bit with those of a client without a cache.
func BenchmarkWallHour(b *testing.B) {
	const viewers, pause, span = 30, 10 * time.Second, 6 * time.Hour
	for b.Loop() {
		w := newWall(b)
		const perMinute = int(time.Minute/pause) * viewers
		for n := range 60 * perMinute {
			at := past().Add(time.Duration(n) * pause / viewers)
			w.now.Store(at.UnixMilli())
			results := make([]data.Frames, len(wallPanels))
			together(len(wallPanels), func(i int) { results[i] = w.show(wallPanels[i], at, span) })
			for i, expr := range wallPanels {
				if n%perMinute == 0 {
					w.reference[i] = w.query(w.uncached, expr, at, span)
				}
				if n%perMinute == 0 || n%perMinute == perMinute-1 {
					w.compare(w.reference[i], results[i])
				}
			}
		}
		slices.Sort(w.hits)
		b.ReportMetric(100*w.cached/(w.cached+w.fetched), "%-of-points-cached")
		b.ReportMetric(float64(w.hits[len(w.hits)*9/10].Microseconds())/1000, "p90-hit-ms")
		b.ReportMetric(float64(w.hits[len(w.hits)/2].Microseconds())/1000, "p50-hit-ms")
		b.ReportMetric(float64(w.compared), "compared")
		b.ReportMetric(float64(w.different), "different")
		w.client.Close()
		w.uncached.Close()
	}
}

type wall struct {
	*testing.B
	now              atomic.Int64 // of the platform and the clients, in milliseconds
	client, uncached *prom.Client
	reference        []data.Frames

	mu                  sync.Mutex
	hits                []time.Duration
	cached, fetched     float64 // points
	compared, different int
}

func newWall(b *testing.B) *wall {
	b.Helper()
	w := &wall{B: b, reference: make([]data.Frames, len(wallPanels))}
	w.now.Store(past().UnixMilli())
	now := func() time.Time { return time.UnixMilli(w.now.Load()).UTC() }
	p := platform.New(platform.Config{Now: now})
	server := httptest.NewServer(p)
	b.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	check(b, err)
	sender, err := transport.New(transport.Options{
		HTTP: httpclient.Options{Timeouts: &httpclient.DefaultTimeoutOptions}, Authorize: transport.Bearer(platform.DefaultMonitoringToken),
	})
	check(b, err)
	config := prom.Config{Transport: sender, Base: base.JoinPath(p.MetricsPath()), MinStep: time.Minute, Now: now}
	w.uncached = prom.New(config)
	config.Cache = prom.Cache{MaxBytes: 64 << 20, RecentWindow: 10 * time.Minute}
	w.client = prom.New(config)
	return w
}

func (w *wall) query(of *prom.Client, expr string, to time.Time, span time.Duration) data.Frames {
	frames, err := of.QueryData(w.Context(), panel(expr, to, span, time.Minute), false)
	check(w.B, err)
	return frames
}

// show queries a panel through the cache.
func (w *wall) show(expr string, at time.Time, span time.Duration) data.Frames {
	began := time.Now()
	frames := w.query(w.client, expr, at, span)
	took := time.Since(began)
	origin := originOf(w.B, frames)
	w.mu.Lock()
	defer w.mu.Unlock()
	if origin.Fetched == 0 {
		w.hits = append(w.hits, took)
	}
	share := float64(pointsOf(w.B, frames)) / float64(origin.Fetched+origin.Cached)
	w.cached, w.fetched = w.cached+share*float64(origin.Cached), w.fetched+share*float64(origin.Fetched)
	return frames
}

type origin struct {
	Fetched int `json:"askedSteps"`
	Cached  int `json:"cachedSteps"`
}

func originOf(b *testing.B, frames data.Frames) origin {
	b.Helper()
	encoded, err := json.Marshal(frames[0].Meta.Custom)
	check(b, err)
	var custom struct{ Cache origin }
	check(b, json.Unmarshal(encoded, &custom))
	return custom.Cache
}

// pointsOf is about how many points packed frames have: the length of their text.
func pointsOf(b *testing.B, frames data.Frames) int {
	b.Helper()
	return len(frames[0].Fields[1].At(0).(string))
}

// compare counts the values of two results, and those that differ.
func (w *wall) compare(want, got data.Frames) {
	wanted, found := promtest.Unpack(w.B, want[0]), promtest.Unpack(w.B, got[0])
	if len(wanted) != len(found) {
		w.different++
		return
	}
	for i, frame := range wanted {
		if frame.Rows() != found[i].Rows() || frame.Fields[1].Labels.String() != found[i].Fields[1].Labels.String() {
			w.different++
			continue
		}
		for row := range frame.Rows() {
			w.compared++
			value := func(f *data.Frame) uint64 { return math.Float64bits(f.Fields[1].At(row).(float64)) }
			if !frame.Fields[0].At(row).(time.Time).Equal(found[i].Fields[0].At(row).(time.Time)) || value(frame) != value(found[i]) {
				w.different++
			}
		}
	}
}
