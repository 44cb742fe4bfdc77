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

	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

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
		ds := newDatasource(t, datasource.Nowhere, nil)
		ctx, cancel := context.WithCancel(datasource.InMemory(t.Context(), refusing))
		defer cancel()
		for _, expr := range []string{"slow", "slow + 1", "slow + 2"} {
			go func() {
				_, _ = ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{monthOf(t, expr)}})
			}()
		}
		synctest.Wait()
		require.EqualValues(t, 4, hung.Load())
		began := time.Now()
		response, err := ds.QueryData(ctx, alertRule(monthOf(t, "up")))
		require.NoError(t, err)
		require.NoError(t, response.Responses["A"].Error)
		require.Equal(t, began, time.Now(), "it waits for none of them")
	})
}

// monthOf queries the 29 days before now.
func monthOf(t *testing.T, expr string) backend.DataQuery {
	t.Helper()
	q := dataQuery(t, "A", values{"expr": expr, "interval": "30m"})
	q.TimeRange = backend.TimeRange{From: time.Now().AddDate(0, 0, -29), To: time.Now()}
	return q
}

// Waits that are longer the more requests there are say nothing about a range: a platform in trouble must not get more requests.
func TestSplit_NotForOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		ds := newDatasource(t, datasource.Nowhere, nil)
		ctx := datasource.InMemory(t.Context(), func(w http.ResponseWriter, _ *http.Request) {
			if requests.Add(1) == 1 {
				w.Header().Set("Retry-After", "11")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"matrix","result":[]}}`))
		})
		for _, expr := range []string{"up", "up + 1"} {
			response, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{monthOf(t, expr)}})
			require.NoError(t, err)
			require.NoError(t, response.Responses["A"].Error)
		}
		require.EqualValues(t, 1+2, requests.Load())
	})
}

// A query that gets no permit was not too long.
func TestSplit_NotForWantOfAPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang, hung := hanging("slow")
		ds := newDatasource(t, datasource.Nowhere, values{"maxConcurrentRequests": 1})
		var requests atomic.Int64
		ctx := datasource.InMemory(t.Context(), func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			hang(w, r)
		})
		slow := dataQuery(t, "A", values{"expr": "slow"})
		go func() { _, _ = ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{slow}}) }()
		synctest.Wait()
		require.EqualValues(t, 1, hung.Load())
		response, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{monthOf(t, "up")}})
		require.NoError(t, err)
		require.ErrorContains(t, response.Responses["A"].Error, "the limit of 1 concurrent requests to it was reached")
		require.EqualValues(t, http.StatusGatewayTimeout, response.Responses["A"].Status)
		require.EqualValues(t, 1, requests.Load())
		time.Sleep(time.Minute)
		require.EqualValues(t, 1, requests.Load(), "no part is sent later")
	})
}
