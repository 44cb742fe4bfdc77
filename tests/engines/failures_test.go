//go:build engines

package engines

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

// The errorType of VictoriaMetrics is the status, that of Prometheus a word.
func TestFailures_EngineErrors(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, cached)
		w := windows[0]
		for expr, errorTypes := range map[string][]string{
			`sum(`:                              {"bad_data", "422"},
			`rate(gpu_util[5m]`:                 {"bad_data", "422"},
			`gpu_util{instance=~"("}`:           {"bad_data", "422"},
			`gpu_util * on (instance) gpu_temp`: {"execution", "422"},
			`label_replace(gpu_util, "a", "b")`: {"bad_data", "422"},
			`histogram_quantile(0.9)`:           {"bad_data", "422"},
		} {
			a := e.query(t, "api/v1/query_range", rangeParams(expr, w.aligned(w.start()), w.aligned(w.end()), w.step))
			require.Equal(t, "error", a.Status, expr)
			require.Contains(t, errorTypes, a.ErrorType, expr)
			for _, q := range []saved{w.query(expr), {"expr": expr, "instant": true}} {
				response := runQuery(t, ds, q, w.start(), w.end())
				require.Error(t, response.Error, expr)
				require.Equal(t, backend.Status(http.StatusBadRequest), response.Status, expr)
				require.Equal(t, backend.ErrorSourceDownstream, response.ErrorSource, expr)
				if q["range"] == true {
					require.Contains(t, response.Error.Error(), a.Error[:min(len(a.Error), 60)], expr)
				}
			}
			status, body := resource(t, ds, "api/v1/query", url.Values{"query": {expr}, "time": {w.end().Format(time.RFC3339)}})
			require.Equal(t, http.StatusBadRequest, status, "%s: %s", expr, body)
		}
	})
}

// A range of 30 days has more steps of 15 s than an engine allows, so the plugin increases the step of queries. It rejects a request
// for the resource before any work, with the limit in Prometheus' words.
func TestFailures_PointsOfASeries(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, uncached)
		to := samples.to.Add(-5 * time.Minute)
		got := frames(t, ds, saved{"expr": "vector(1)", "range": true, "interval": "15s"}, to.Add(-30*24*time.Hour), to)
		require.Greater(t, got[0].Rows(), 5000)
		require.LessOrEqual(t, got[0].Rows(), 11_000)

		params := rangeParams("vector(1)", to.Add(-30*24*time.Hour), to, 15*time.Second)
		raw := e.query(t, "api/v1/query_range", params)
		require.Equal(t, "error", raw.Status)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, raw.httpStatus)
		status, body := resource(t, ds, "api/v1/query_range", params)
		require.Equal(t, http.StatusBadRequest, status)
		var refused engineResponse
		require.NoError(t, json.Unmarshal(body, &refused))
		require.Equal(t, "error", refused.Status)
		require.Contains(t, refused.Error, "11,000 points")
	})
}
