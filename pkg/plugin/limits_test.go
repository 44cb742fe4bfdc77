package plugin_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

// gpuSeries is the number of series of a GPU metric in the simulator.
const gpuSeries = 64

func TestLimits_SeriesAndPoints(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings values
		query    values
		want     string // empty for a complete result
	}{
		"as many series as are allowed": {values{"maxSeries": gpuSeries}, values{"expr": "DCGM_FI_DEV_GPU_UTIL"}, ""},
		"one series too many": {values{"maxSeries": gpuSeries - 1}, values{"expr": "DCGM_FI_DEV_GPU_UTIL"},
			"The result has more than 63 series, which is the limit."},
		"too many series of an instant query": {values{"maxSeries": 10}, values{"expr": "DCGM_FI_DEV_GPU_UTIL", "instant": true, "range": false},
			"The result has more than 10 series, which is the limit."},
		"as many points as are allowed": {values{"maxPoints": gpuSeries * 61}, values{"expr": "DCGM_FI_DEV_GPU_UTIL"}, ""},
		"one point too many": {values{"maxPoints": gpuSeries*61 - 1}, values{"expr": "DCGM_FI_DEV_GPU_UTIL"},
			"The result has more than 3903 points, which is the limit."},
		"a limit that provisioning made a text": {values{"maxSeries": "10"}, values{"expr": "DCGM_FI_DEV_GPU_UTIL"},
			"The result has more than 10 series, which is the limit."},
		"a limit that lets nothing through is none": {values{"maxSeries": 0, "maxPoints": -1}, values{"expr": "DCGM_FI_DEV_GPU_UTIL"}, ""},
		"a limit beyond all numbers":                {values{"maxSeries": 1e300, "maxPoints": "1e300"}, values{"expr": "DCGM_FI_DEV_GPU_UTIL"}, ""},
	} {
		for _, cache := range []values{{"enabled": true}, {"enabled": false}} {
			t.Run(name, func(t *testing.T) {
				_, address := newPlatform(t)
				test.settings["cache"] = cache
				ds := newDatasource(t, address, test.settings)
				got := runQueries(t, ds, dataQuery(t, "A", test.query))["A"]
				if test.want == "" {
					require.NoError(t, got.Error)
					require.Len(t, got.Frames, gpuSeries)
					return
				}
				require.ErrorContains(t, got.Error, test.want)
				require.ErrorContains(t, got.Error, "in the data source's settings, section Advanced")
				require.Equal(t, backend.StatusBadRequest, got.Status)
				require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)
				require.Empty(t, got.Frames)
			})
		}
	}
}

func TestLimits_CachedExtents(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, values{"maxPoints": gpuSeries * 100})
	over := func(hours int) backend.DataResponse {
		q := dataQuery(t, "A", values{"expr": "DCGM_FI_DEV_GPU_UTIL"})
		q.TimeRange = backend.TimeRange{From: noon.Add(-time.Duration(hours) * time.Hour), To: noon}
		return runQueries(t, ds, q)["A"]
	}
	require.NoError(t, over(1).Error, "61 points of each series")
	require.ErrorContains(t, over(2).Error, "The result has more than 6400 points, which is the limit.", "61 of each are kept, and 60 are new")
	require.NoError(t, over(1).Error)
}

func TestLimits_Table(t *testing.T) {
	t.Parallel()
	series := func(n int, labels func(i int) values) string {
		var result []values
		for i := range n {
			result = append(result, values{"metric": labels(i), "values": []any{[]any{noon.Add(-time.Duration(i%60) * time.Minute).Unix(), "1"}}})
		}
		return encode(values{"status": "success", "data": values{"resultType": "matrix", "result": result}})
	}
	ofMany := func(i int) values { return values{fmt.Sprint("label", i): "x"} }
	for name, test := range map[string]struct {
		body   string
		format string
		want   string
	}{
		"a table that fits":        {series(1000, ofMany), "table", ""},
		"a table that does not":    {series(2000, ofMany), "table", "Format: as a table the result has 4004000 cells, and the limit is 2000000."},
		"as time series all of it": {series(2000, ofMany), "time_series", ""},
	} {
		t.Run(name, func(t *testing.T) {
			address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, test.body) })
			got := runQueries(t, newDatasource(t, address, nil), dataQuery(t, "A", values{"expr": "up", "format": test.format}))["A"]
			if test.want == "" {
				require.NoError(t, got.Error)
				return
			}
			require.ErrorContains(t, got.Error, test.want)
			require.Equal(t, backend.StatusBadRequest, got.Status)
		})
	}
}
