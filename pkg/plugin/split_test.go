package plugin_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// A range of 30 days is split on a platform that takes 25 ms for a day. With one request at a time it is not.
func TestSplit_SlowPlatform(t *testing.T) {
	for name, test := range map[string]struct {
		settings values
		split    bool
	}{
		"by default":              {nil, true},
		"one request at a time":   {values{"maxConcurrentRequests": 1}, false},
		"without the cache":       {values{"cache": values{"enabled": false}}, false},
		"two requests at a time":  {values{"maxConcurrentRequests": 2}, false},
		"four requests at a time": {values{"maxConcurrentRequests": 4}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			simulated := platform.New(platform.Config{Nodes: 1, Now: func() time.Time { return noon }})
			var requests atomic.Int64
			ds := newDatasource(t, serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				start, _ := time.Parse(time.RFC3339, r.FormValue("start"))
				end, _ := time.Parse(time.RFC3339, r.FormValue("end"))
				time.Sleep(end.Sub(start) / (24 * time.Hour) * 25 * time.Millisecond)
				simulated.ServeHTTP(w, r)
			}), test.settings)
			q := dataQuery(t, "A", values{"expr": "DCGM_FI_DEV_GPU_UTIL", "interval": "30m"})
			q.TimeRange.From = noon.AddDate(0, 0, -30)
			require.NoError(t, runQueries(t, ds, q)["A"].Error)
			if test.split {
				require.Greater(t, int(requests.Load()), 2, "the newest part, and the others")
			} else {
				require.EqualValues(t, 1, requests.Load())
			}
		})
	}
}
