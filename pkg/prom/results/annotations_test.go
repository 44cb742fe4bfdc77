package results_test

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// notACounter is the info of Prometheus about rate() of a metric whose name has no suffix of a counter.
func notACounter(metric string) string {
	return `PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "` + metric + `" (1:6)`
}

// onePerSeries returns an info for each series of a response.
func onePerSeries(response *response) (infos []string) {
	for _, frame := range response.Frames {
		infos = append(infos, notACounter(frame.Fields[1].Labels["pod"]))
	}
	return infos
}

func newPlatformWithInfos(series ...fakeSeries) *fakePlatform {
	p := newPlatform(series...)
	p.infos = onePerSeries
	return p
}

func TestInfos_CachedWithTheirResponse(t *testing.T) {
	p := newPlatformWithInfos(minutes(data.Labels{"pod": "a"}))
	c := newCache(t, p)
	for range 20 {
		query(t, c, p, last(time.Hour, p.now()))
		query(t, c, p, last(time.Hour, p.now()))
		query(t, c, p, last(3*time.Hour, p.now()))
		p.advance(minute)
	}
	requests := p.takeRequests()
	require.Len(t, requests, 22, "once an interval, and once for the longer range")
	require.Contains(t, requests, "12:09-12:19")
}

// The infos of a range depend on its series. None is missing.
func TestInfos_OfSeriesThatComeAndGo(t *testing.T) {
	for name, series := range map[string]fakeSeries{
		"goes":       between(data.Labels{"pod": "b"}, noon.Add(-time.Hour), noon.Add(7*minute)),
		"comes":      between(data.Labels{"pod": "b"}, noon.Add(7*minute), noon.Add(24*time.Hour)),
		"long after": between(data.Labels{"pod": "b"}, noon.Add(-2*time.Hour), noon.Add(-90*minute)),
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatformWithInfos(minutes(data.Labels{"pod": "a"}), series)
			c := newCache(t, p)
			cached := 0
			for end := noon.Add(4 * time.Hour); p.now().Before(end); p.advance(minute) {
				for _, span := range []time.Duration{time.Hour, 20 * minute, 3 * time.Hour} {
					cached += query(t, c, p, last(span, p.now())).CachedSteps
				}
				cached += query(t, c, p, last(30*minute, p.now().Add(-time.Hour))).CachedSteps
			}
			require.Greater(t, cached, 240*60, "most steps are cached")
			q := last(3*time.Hour, p.now())
			got, _, err := ask(t.Context(), c, q)
			require.NoError(t, err)
			require.Subset(t, got.Infos, p.uncached(q).Infos)
		})
	}
}

func TestInfos_United(t *testing.T) {
	p := newPlatformWithInfos(between(data.Labels{"pod": "a"}, noon.Add(minute), noon.Add(time.Hour)), minutes(data.Labels{"pod": "b"}))
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	p.advance(minute)
	got, origin, err := ask(t.Context(), c, last(time.Hour, p.now()))
	require.NoError(t, err)
	require.NotZero(t, origin.CachedSteps)
	require.Equal(t, []string{notACounter("a"), notACounter("b")}, got.Infos, "each info once")
}

func TestInfos_NotRequestedAgain(t *testing.T) {
	p := newPlatformWithInfos(minutes(data.Labels{"pod": "a"}), between(data.Labels{"pod": "b"}, noon.Add(-time.Hour), noon.Add(-30*minute)))
	c := newCache(t, p)
	query(t, c, p, last(time.Hour, p.now()))
	p.advance(minute)
	p.takeRequests()
	for range 6 {
		query(t, c, p, last(time.Hour, p.now()))
		p.advance(9 * time.Second)
	}
	require.Equal(t, []string{"11:51-12:01"}, p.takeRequests())
}
