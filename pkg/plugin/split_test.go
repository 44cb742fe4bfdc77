package plugin_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// A range of 30 days is split on a platform that refuses more than a day, but without the cache it is not.
func TestSplit_RefusedRange(t *testing.T) {
	for name, test := range map[string]struct {
		settings values
		requests int64
	}{
		"by default":            {nil, 1 + 31},
		"one request at a time": {values{"maxConcurrentRequests": 1}, 1 + 31},
		"without the cache":     {values{"cache": values{"enabled": false}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulated := platform.New(platform.Config{Nodes: 1, Now: func() time.Time { return noon }})
			var requests atomic.Int64
			ds := newDatasource(t, serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				start, _ := time.Parse(time.RFC3339, r.FormValue("start"))
				end, _ := time.Parse(time.RFC3339, r.FormValue("end"))
				if end.Sub(start) > 24*time.Hour {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusUnprocessableEntity)
					_, _ = w.Write([]byte(`{"status":"error","errorType":"execution","error":"too many samples"}`))
					return
				}
				simulated.ServeHTTP(w, r)
			}), test.settings)
			q := dataQuery(t, "A", values{"expr": "DCGM_FI_DEV_GPU_UTIL", "interval": "30m"})
			q.TimeRange.From = noon.AddDate(0, 0, -30)
			err := runQueries(t, ds, q)["A"].Error
			if test.requests > 1 {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "too many samples")
			}
			require.Equal(t, test.requests, requests.Load())
		})
	}
}
