//go:build engines

package engines

import (
	"testing"
	"time"

	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

// What clients of the HTTP API get is what the engine sends, for all of PromQL, also when it is from the cache. Native histograms
// and strings are passed on as they are.
func TestAPI_Compliance(t *testing.T) {
	others := []string{`{__name__=~".+"}`, `"text"`, `gpu_util[5m]`}
	w := window{span: 6 * time.Hour, step: 15 * time.Minute}
	onEach(t, func(t *testing.T, e *engine) {
		ds := apiOf(t, newDatasource(t, e.address, nil))
		for _, expr := range append(others, complianceExpressions()...) {
			for _, query := range []func(promv1.API) (model.Value, promv1.Warnings, error){
				func(a promv1.API) (model.Value, promv1.Warnings, error) {
					return a.QueryRange(t.Context(), expr, w.times())
				},
				func(a promv1.API) (model.Value, promv1.Warnings, error) {
					return a.Query(t.Context(), expr, w.times().End)
				},
			} {
				want, _, refusal := query(e.api(t))
				for range 2 {
					got, _, err := query(ds)
					if refusal != nil {
						require.Error(t, err, expr)
						continue
					}
					require.NoError(t, err, expr)
					require.Equal(t, want.Type(), got.Type(), expr)
					if want.Type() == model.ValString {
						require.Equal(t, want, got)
					}
					equal(t, e, floatsIn(want), floatsIn(got), "%s", expr)
					equal(t, e, bucketsIn(want), bucketsIn(got), "histograms of %s", expr)
				}
			}
		}
	})
}
