package prom_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
)

// newHistogramClient is a client of an engine with one series, of native histograms with so many buckets at every step. With
// mixed set, it has a series of samples, too.
func newHistogramClient(t *testing.T, cache prom.Cache, buckets int, mixed bool) (client *prom.Client, requests *atomic.Int32) {
	t.Helper()
	requests = &atomic.Int32{}
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		q := r.URL.Query()
		if q.Has("time") {
			at, _ := time.Parse(time.RFC3339, q.Get("time"))
			_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"job":"a"},"histogram":%s}]}}`, histogramAt(at, buckets))
			return
		}
		start, _ := time.Parse(time.RFC3339, q.Get("start"))
		end, _ := time.Parse(time.RFC3339, q.Get("end"))
		step, _ := time.ParseDuration(q.Get("step"))
		var histograms, samples []string
		for at := start; !at.After(end); at = at.Add(step) {
			histograms = append(histograms, histogramAt(at, buckets))
			samples = append(samples, fmt.Sprintf(`[%d,"%d"]`, at.Unix(), at.Minute()))
		}
		series := `{"metric":{"__name__":"latency","job":"a"},"histograms":[` + strings.Join(histograms, ",") + `]}`
		if mixed {
			series += `,{"metric":{"__name__":"latency","job":"b"},"values":[` + strings.Join(samples, ",") + `]}`
		}
		_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[%s]}}`, series)
	}))
	clock := newClock()
	return prom.New(prom.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now, Cache: cache}), requests
}

func histogramAt(at time.Time, buckets int) string {
	list := make([]string, buckets)
	for i := range list {
		list[i] = fmt.Sprintf(`[0,"%d","%d","%d"]`, i, i+1, at.Minute()+i)
	}
	return fmt.Sprintf(`[%d,{"count":"1","sum":"1","buckets":[%s]}]`, at.Unix(), strings.Join(list, ","))
}

func histogramFrames(t *testing.T, c *prom.Client, q saved) data.Frames {
	t.Helper()
	frames, err := c.QueryData(context.Background(), dataQuery(t, q, noon, 2*time.Minute), false)
	require.NoError(t, err)
	return frames
}

// The frame of a native histogram with one bucket at each step is like that of samples, and without buckets it is empty.
func TestNativeHistograms_CacheEquality(t *testing.T) {
	for _, buckets := range []int{0, 1, 3} {
		for _, mixed := range []bool{false, true} {
			reference, _ := newHistogramClient(t, prom.Cache{}, buckets, mixed)
			c, requests := newHistogramClient(t, cached, buckets, mixed)
			for _, q := range []saved{{"expr": "latency", "range": true}, {"expr": "latency", "instant": true}} {
				want := histogramFrames(t, reference, q)
				for range 3 {
					got := histogramFrames(t, c, q)
					requireSameFrames(t, want, got)
					for i := range want {
						require.Equal(t, want[i].Meta.Type, got[i].Meta.Type)
					}
				}
			}
			require.EqualValues(t, 4, requests.Load(), "a range query is not cached, an instant query is")
		}
	}
}
