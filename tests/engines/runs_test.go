//go:build engines

package engines

import (
	"math"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// row is a row of a table, by column.
func row(frame *data.Frame, i int) map[string]any {
	values := map[string]any{}
	for _, field := range frame.Fields {
		if value, ok := field.ConcreteAt(i); ok {
			values[field.Name] = value
		}
	}
	return values
}

// The measures of a run are those that its samples were made from.
func TestRuns_Truth(t *testing.T) {
	start := samples.runStart().UTC()
	end := start.Add(runLength)
	gpus := float64(runNodes * runGPUs)
	busy := runLength - runIdle
	want := map[string]float64{
		"gpus":        gpus,
		"gpu_hours":   gpus * runLength.Hours(),
		"utilization": 100 * busy.Hours() / runLength.Hours(),
		"idle":        runIdle.Hours() / runLength.Hours(),
		"throttled":   runThrottled.Hours() / runGPUs / runLength.Hours(),
		"busy":        (busy - runThrottled/runGPUs).Hours() / runLength.Hours(),
		"xids":        runNodes,
		"energy":      gpus * (runIdle.Hours()*idleWatts + busy.Hours()*busyWatts) / 1000,
		"cost":        gpus * runLength.Hours() * 2.5,
	}
	query := saved{"queryType": "runs", "selector": `nodepool_name="` + runPool + `"`, "source": saved{"kind": "manual", "runs": []saved{
		{"name": "the run", "from": start.Format(time.RFC3339), "to": end.Format(time.RFC3339)},
	}}}
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, map[string]any{"prices": saved{"gpuHour": saved{"NVIDIA H100 80GB HBM3": 2.5}}})
		got := row(frames(t, ds, query, samples.to.Add(-8*time.Hour), samples.to)[0], 0)
		for measure, value := range want {
			require.InEpsilon(t, value, got[measure], 0.01, "%s: %v instead of %v", measure, got[measure], value)
		}
		require.InDelta(t, 1, got["busy"].(float64)+got["idle"].(float64)+got["throttled"].(float64), 1e-9)
	})
}

// A series with a gap is two runs, from the first sample to the last, whatever the range.
func TestRuns_Series(t *testing.T) {
	start := samples.runStart().UTC()
	query := saved{"queryType": "runs", "measures": []string{"best_loss", "last_loss"}, "source": saved{
		"kind": "series", "expr": "training_loss", "by": []string{"pod_name", "pool"},
	}}
	onEach(t, func(t *testing.T, e *engine) {
		ds := newDatasource(t, e.address, nil)
		for _, before := range []time.Duration{2 * time.Hour, 2*time.Hour + 7*time.Minute, 40 * time.Hour} {
			frame := frames(t, ds, query, start.Add(-before), samples.to)[0]
			require.Equal(t, 2, frame.Rows(), before)
			second, first := row(frame, 0), row(frame, 1)
			require.Equal(t, start.Add(7*time.Second), first["start"])
			require.Equal(t, start.Add(runRestart+7*time.Second), first["end"])
			require.Equal(t, start.Add(runRestart+runPause+7*time.Second), second["start"])
			require.Equal(t, start.Add(runLength+7*time.Second), second["end"])
			require.Equal(t, "ended", second["status"])
			require.Equal(t, runPool, second["pool"])
			last := 3 * math.Exp(-second["end"].(time.Time).Add(-interval).Sub(start).Hours())
			require.InDelta(t, last, second["last_loss"], 1e-12)
			require.InDelta(t, last, second["best_loss"], 1e-12)
		}
	})
}

// A comparison has the values of a direct query, on both engines.
func TestRuns_ComparisonSameValues(t *testing.T) {
	start := samples.runStart().UTC()
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
