package prom_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// The last step of this range of a month is five and a half hours before its end.
func TestUntilEnd_AddsPoint(t *testing.T) {
	clock := newClock()
	clock.advance(5*time.Hour + 30*time.Minute + 20*time.Second)
	at := clock.now()
	client := prom.New(prom.Config{
		Transport: newTransport(t), Base: newPlatform(t, clock, platform.Config{}), MinStep: time.Minute, Now: clock.now, Cache: cached,
	})
	query := func(q saved, plain bool) data.Frames {
		q["refId"], q["range"] = "A", true
		dq := dataQuery(t, q, at, 29*24*time.Hour)
		dq.MaxDataPoints = 120
		frames, err := client.QueryData(context.Background(), dq, plain)
		require.NoError(t, err)
		return frames
	}
	newest := func(frames data.Frames) time.Time {
		times := frames[0].Fields[0]
		return times.At(times.Len() - 1).(time.Time)
	}
	byNode := `avg by (instance) (avg_over_time(DCGM_FI_DEV_GPU_UTIL{gpu="0"}[$__interval]))`

	for range 2 { // from the platform, then from the cache
		without, with := query(saved{"expr": byNode}, false), query(saved{"expr": byNode, "untilEnd": true}, false)
		assert.Equal(t, noon, newest(without))
		require.Len(t, with, len(without))
		for i := range with {
			assert.Equal(t, without[i].Rows()+1, with[i].Rows(), "one more point")
			assert.Equal(t, without[i].Fields[1].Labels, with[i].Fields[1].Labels)
			assert.Equal(t, with[i].Rows(), with[i].Fields[1].Len())
		}
		assert.Equal(t, at.Truncate(time.Minute), newest(with))
	}
	assert.Equal(t, noon, newest(query(saved{"expr": byNode, "untilEnd": true}, true)), "the reducers of alert rules expect points at equal distances")
	table := query(saved{"expr": byNode, "untilEnd": true, "format": "table"}, false)
	assert.Equal(t, query(saved{"expr": byNode, "format": "table"}, false)[0].Rows(), table[0].Rows())
}

func TestUntilEnd_WarningsOfEndPoint(t *testing.T) {
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := `{"status":"success","warnings":["a warning"],"data":{"resultType":"matrix","result":[{"metric":{"a":"b"},"values":[[1748865600,"1"]]}]}}`
		if strings.HasSuffix(r.URL.Path, "/query") {
			body = `{"status":"success","isPartial":true,"warnings":["a warning"],"data":{"resultType":"vector","result":[]}}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}))
	clock := newClock()
	clock.advance(5*time.Hour + 30*time.Minute)
	client := prom.New(prom.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now, Cache: cached})
	query := dataQuery(t, saved{"refId": "A", "range": true, "expr": "x", "untilEnd": true}, clock.now(), 29*24*time.Hour)
	query.MaxDataPoints = 120
	for range 2 { // from the platform, then from the cache
		frames, err := client.QueryData(context.Background(), query, false)
		require.NoError(t, err)
		var texts []string
		for _, notice := range frames[0].Meta.Notices {
			texts = append(texts, notice.Text)
		}
		require.Len(t, texts, 2, "%q", texts)
		require.Contains(t, strings.Join(texts, "\n"), "partial")
	}
}

// A series that begins after the last step is one more than those of the range.
func TestUntilEnd_Limits(t *testing.T) {
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"b"},"values":[[1748865600,"1"]]}]}}`
		if strings.HasSuffix(r.URL.Path, "/query") {
			body = `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"c"},"value":[1748865600,"1"]}]}}`
		}
		_, _ = w.Write([]byte(body))
	}))
	clock := newClock()
	clock.advance(5*time.Hour + 30*time.Minute)
	client := prom.New(prom.Config{Transport: newTransport(t), Base: base, MinStep: time.Minute, Now: clock.now, Limits: promql.Limits{Series: 1}})
	query := dataQuery(t, saved{"refId": "A", "range": true, "expr": "x", "untilEnd": true}, clock.now(), 29*24*time.Hour)
	query.MaxDataPoints = 120
	_, err := client.QueryData(context.Background(), query, false)
	require.ErrorContains(t, err, "The result has more than 1 series, which is the limit.")
}
