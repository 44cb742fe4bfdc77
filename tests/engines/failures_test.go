//go:build engines

package engines

import (
	"net/http"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/stretchr/testify/require"
)

// The errorType of VictoriaMetrics is the status, that of Prometheus a word.
func TestFailures_EngineErrors(t *testing.T) {
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, cached)
		w := windows[0]
		for expr, errorTypes := range map[string][]promv1.ErrorType{
			`sum(`:                              {"bad_data", "422"},
			`rate(gpu_util[5m]`:                 {"bad_data", "422"},
			`gpu_util{instance=~"("}`:           {"bad_data", "422"},
			`gpu_util * on (instance) gpu_temp`: {"execution", "422"},
			`label_replace(gpu_util, "a", "b")`: {"bad_data", "422"},
			`histogram_quantile(0.9)`:           {"bad_data", "422"},
		} {
			_, _, err := e.api(t).QueryRange(t.Context(), expr, w.times())
			var refusal *promv1.Error
			require.ErrorAs(t, err, &refusal, expr)
			require.Contains(t, errorTypes, refusal.Type, expr)
			for _, q := range []saved{w.query(expr), {"expr": expr, "instant": true}} {
				response := runQuery(t, ds, q, w.start(), w.end())
				require.Error(t, response.Error, expr)
				require.Equal(t, backend.Status(http.StatusBadRequest), response.Status, expr)
				require.Equal(t, backend.ErrorSourceDownstream, response.ErrorSource, expr)
				if q["range"] == true {
					require.Contains(t, response.Error.Error(), refusal.Msg[:min(len(refusal.Msg), 60)], expr)
				}
			}
		}
	})
}
