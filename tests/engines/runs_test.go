//go:build engines

package engines

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A comparison has the values of a direct query, on both engines.
func TestRuns_ComparisonSameValues(t *testing.T) {
	start := samples.to.Add(-5 * time.Hour).Truncate(time.Minute).UTC()
	from, to := start.Add(time.Hour), start.Add(2*time.Hour)
	source := saved{"kind": "manual", "runs": []saved{{"name": "one", "from": from.Format(time.RFC3339), "to": to.Format(time.RFC3339)}}}
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, nil)
		for _, expr := range []string{"avg(gpu_temp)", "sum(rate(requests_total[5m]))", "sum(gpu_util)"} {
			direct := frames(t, ds, saved{"expr": expr, "range": true, "interval": "1m"}, from, to)[0]
			rebased := frames(t, ds, saved{"queryType": "runComparison", "axis": "rebased", "source": source, "expr": expr}, start.Add(-time.Hour), to)[0]
			require.Equal(t, direct.Rows(), rebased.Rows(), expr)
			for i := range direct.Rows() {
				require.Equal(t, direct.Fields[1].At(i), rebased.Fields[1].At(i), expr)
				require.Equal(t, from.Sub(start.Add(-time.Hour)), direct.Fields[0].At(i).(time.Time).Sub(rebased.Fields[0].At(i).(time.Time)))
			}
		}
	})
}
