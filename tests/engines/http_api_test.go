//go:build engines

package engines

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What clients of the HTTP API get is what the engine sends, for all of PromQL, also when it is from the cache.
func TestAPI_Compliance(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, nil)
		w := window{"6 hours at 5 minutes", 6 * time.Hour, 5 * time.Minute, 0}
		start, end := w.aligned(w.start()), w.aligned(w.end())
		for _, expr := range complianceExpressions() {
			for path, params := range map[string]map[string][]string{
				"api/v1/query_range": rangeParams(expr, start, end, w.step),
				"api/v1/query":       {"query": {expr}, "time": {strconv.FormatInt(end.Unix(), 10)}},
			} {
				want := e.query(t, path, params)
				for range 2 {
					status, body := resource(t, ds, path, params)
					if want.Status != "success" {
						require.NotEqual(t, http.StatusOK, status, "%s: %s", expr, body)
						continue
					}
					require.Equal(t, http.StatusOK, status, "%s: %s", expr, body)
					var got engineResponse
					decode(t, body, &got)
					require.Equal(t, want.Data.ResultType, got.Data.ResultType, expr)
					equal(t, e, want.floats(t), got.floats(t), "%s of %s", path, expr)
				}
			}
		}
	})
}

// Native histograms and strings are passed on as they are.
func TestAPI_OtherResults(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, nil)
		w := window{"1 hour at 1 minute", time.Hour, time.Minute, 0}
		for _, expr := range []string{`{__name__=~".+"}`, `"text"`, `gpu_util[5m]`} {
			params := map[string][]string{"query": {expr}, "time": {strconv.FormatInt(w.end().Unix(), 10)}}
			want := e.query(t, "api/v1/query", params)
			status, body := resource(t, ds, "api/v1/query", params)
			if want.Status != "success" {
				require.NotEqual(t, http.StatusOK, status)
				continue
			}
			var got engineResponse
			decode(t, body, &got)
			require.Equal(t, want.Data.ResultType, got.Data.ResultType)
			if want.Data.ResultType == "string" {
				require.JSONEq(t, string(want.Data.Result), string(got.Data.Result))
				continue
			}
			equal(t, e, want.buckets(t), got.buckets(t), "histograms of %s", expr)
			equal(t, e, want.floats(t), got.floats(t), "%s", expr)
		}
	})
}
