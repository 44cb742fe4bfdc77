//go:build engines

package engines

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A gauge that is sampled each minute, restarts, and ends: the findings of both engines are the same, about the last run of the series.
// VictoriaMetrics has no NaN in results, so only Prometheus can tell that a loss is not a number.
func TestTrainingHealth_Series(t *testing.T) {
	start := samples.runStart().UTC()
	for name, test := range map[string]struct {
		expr, finding, evidence string
	}{
		"a loss that falls":             {"training_loss", "healthy", "Nothing was found in "},
		"a loss that rises":             {"1 / training_loss", "diverging", "above the best"},
		"an aggregation without a name": {"max by (pod_name) (1 / training_loss)", "diverging", "above the best"},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, e *engine) {
				ds := newDatasource(t, e.address, nil)
				got := row(frames(t, ds, saved{"queryType": "trainingHealth", "expr": test.expr}, start.Add(-2*time.Hour), samples.to)[0], 0)
				require.Equal(t, test.finding, got["finding"], got)
				require.Contains(t, got["evidence"], test.evidence)
				require.Equal(t, "ended", got["status"])
				require.Nil(t, got["advice"], "nothing can be done about a run that ended")
			})
		})
	}
}
