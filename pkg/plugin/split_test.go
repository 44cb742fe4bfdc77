package plugin_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
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

// Four parts are requested at a time, of all queries together. Alert rules don't wait behind those of dashboards.
func TestSplit_FourAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang, hung := hanging("slow")
		refusing := func(w http.ResponseWriter, r *http.Request) {
			start, _ := time.Parse(time.RFC3339, r.FormValue("start"))
			end, _ := time.Parse(time.RFC3339, r.FormValue("end"))
			if end.Sub(start) > 24*time.Hour {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnprocessableEntity)
				_, _ = w.Write([]byte(`{"status":"error","errorType":"execution","error":"too many samples"}`))
				return
			}
			if strings.Contains(r.FormValue("query"), "slow") {
				hang(w, r)
				return
			}
			_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`))
		}
		ds := newDatasource(t, nowhere, nil)
		ctx, cancel := context.WithCancel(inMemory(t.Context(), refusing))
		defer cancel()
		month := func(expr string) backend.DataQuery {
			q := dataQuery(t, "A", values{"expr": expr, "interval": "30m"})
			q.TimeRange = backend.TimeRange{From: time.Now().AddDate(0, 0, -29), To: time.Now()}
			return q
		}
		for _, expr := range []string{"slow", "slow + 1", "slow + 2"} {
			go func() { _, _ = ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{month(expr)}}) }()
		}
		synctest.Wait()
		require.EqualValues(t, 4, hung.Load())
		began := time.Now()
		response, err := ds.QueryData(ctx, alertRule(month("up")))
		require.NoError(t, err)
		require.NoError(t, response.Responses["A"].Error)
		require.Equal(t, began, time.Now(), "it waits for none of them")
	})
}
