package rangecache_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/metrics/promjson"
)

// notACounter is what Prometheus remarks on rate() of a metric whose name does not say that it is a counter.
func notACounter(metric string) string {
	return `PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "` + metric + `" (1:6)`
}

// onNames remarks on each series of an answer.
func onNames(answer *promjson.Result) (infos []string) {
	for _, frame := range answer.Frames {
		infos = append(infos, notACounter(frame.Fields[1].Labels["pod"]))
	}
	return infos
}

func newTalkativePlatform(series ...fakeSeries) *fakePlatform {
	p := newPlatform(series...)
	p.remark = onNames
	return p
}

func TestRemarksAreKeptWithTheirAnswer(t *testing.T) {
	p := newTalkativePlatform(minutes(data.Labels{"pod": "a"}))
	c := newCache(t, p)
	for range 20 {
		ask(t, c, p, last(time.Hour, p.now()))
		ask(t, c, p, last(time.Hour, p.now()))
		ask(t, c, p, last(3*time.Hour, p.now()))
		p.advance(minute)
	}
	asked := p.takeAsked()
	require.Len(t, asked, 22, "once an interval, and for the longer range")
	require.Contains(t, asked, "12:09-12:19")
}

// What is remarked depends on what there is in the range, and everyone's range is another one.
func TestARemarkIsMadeOnRangesThatItIsAbout(t *testing.T) {
	for name, series := range map[string]fakeSeries{
		"while the cause goes":  between(data.Labels{"pod": "b"}, noon.Add(-time.Hour), noon.Add(7*minute)),
		"while the cause comes": between(data.Labels{"pod": "b"}, noon.Add(7*minute), noon.Add(24*time.Hour)),
		"long after it":         between(data.Labels{"pod": "b"}, noon.Add(-2*time.Hour), noon.Add(-90*minute)),
	} {
		t.Run(name, func(t *testing.T) {
			p := newTalkativePlatform(minutes(data.Labels{"pod": "a"}), series)
			c := newCache(t, p)
			cached := 0
			for end := noon.Add(4 * time.Hour); p.now().Before(end); p.advance(minute) {
				for _, span := range []time.Duration{time.Hour, 20 * minute, 3 * time.Hour} {
					cached += ask(t, c, p, last(span, p.now())).CachedSteps
				}
				cached += ask(t, c, p, last(30*minute, p.now().Add(-time.Hour))).CachedSteps
			}
			require.Greater(t, cached, 240*60, "much comes from the cache nevertheless")
		})
	}
}

func TestARangeThatARemarkMayBeAboutIsAskedForOnceAnInterval(t *testing.T) {
	p := newTalkativePlatform(minutes(data.Labels{"pod": "a"}), between(data.Labels{"pod": "b"}, noon.Add(-time.Hour), noon.Add(-30*minute)))
	c := newCache(t, p)
	ask(t, c, p, last(time.Hour, p.now()))
	p.advance(minute)
	p.takeAsked()
	for range 6 {
		ask(t, c, p, last(time.Hour, p.now()))
		p.advance(9 * time.Second)
	}
	require.Equal(t, []string{"11:01-12:01", "11:51-12:01"}, p.takeAsked(), "what is new, which says nothing of b, and then all of it")
}

func TestRemarksOfTheSamplesThatFadedAwayAreGone(t *testing.T) {
	p := newTalkativePlatform(fakeSeries{data.Labels{"pod": "a"}, func(at, now time.Time) (float64, bool) {
		return 1, at.Before(noon.Add(-30*24*time.Hour+time.Hour)) && at.After(now.Add(-30*24*time.Hour))
	}})
	c := newCache(t, p)
	q := last(6*time.Hour, noon.Add(-30*24*time.Hour+3*time.Hour))
	for range 6 {
		ask(t, c, p, q)
		p.advance(20 * minute)
	}
}

func TestAnswersWithVeryManyRemarksAreNotKept(t *testing.T) {
	var series []fakeSeries
	for i := range 17 {
		series = append(series, minutes(data.Labels{"pod": fmt.Sprintf("%02d", i)}))
	}
	p := newTalkativePlatform(series...)
	c := newCache(t, p)
	for range 2 {
		require.Zero(t, ask(t, c, p, last(time.Hour, p.now())).CachedSteps)
	}
}
