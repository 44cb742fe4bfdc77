package jobs_test

import (
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

func checkpoint(id string, step int, at time.Duration, metrics object) object {
	return object{"id": id, "object": "fine_tuning.job.checkpoint", "created_at": ago(at), "step_number": step, "metrics": metrics}
}

// ticking makes the client use the clock.
func ticking(c *clock) func(*config) {
	return func(config *config) { config.Now = c.now }
}

func TestOptionalEndpoint_NotServed(t *testing.T) {
	g := &gateway{jobs: manyJobs(30)}
	c := &clock{at: noon}
	client := newClient(t, g, ticking(c))
	frames := fetch(t, client, "fineTuningCheckpoints", nil)
	require.Contains(t, notices(frames), "no checkpoints of the chosen jobs")
	first := g.calls("/checkpoints")
	require.Less(t, first, 30)
	fetch(t, client, "fineTuningCheckpoints", nil)
	require.Equal(t, first, g.calls("/checkpoints"))
	c.advance(6 * time.Minute)
	fetch(t, client, "fineTuningCheckpoints", nil)
	require.Greater(t, g.calls("/checkpoints"), first, "it may have come since")
}

// lossesOf are the values of a job's curve.
func lossesOf(t *testing.T, frames data.Frames) []any {
	t.Helper()
	return values(t, frames[0], "train_loss")
}

func TestOptionalEndpoint_MissCached(t *testing.T) {
	checkpoints := []any{object{"id": "c", "created_at": ago(2 * time.Hour), "step_number": 50, "metrics": object{"train_loss": 2}}}
	g := &gateway{
		jobs:        []any{job("a", nil), job("b", nil)},
		checkpoints: map[string]any{"a": checkpoints, "b": checkpoints},
		events:      map[string]any{"a": []any{}, "b": []any{}},
		series: map[string]any{"a": object{"metrics": []any{object{"metric_name": "train_loss", "data": []any{
			object{"timestamp": ago(2 * time.Hour), "value": 3}, object{"timestamp": ago(time.Hour), "value": 2.5},
		}}}}},
	}
	c := &clock{at: noon}
	client := newClient(t, g, ticking(c))
	curves := func(id string) []any {
		return lossesOf(t, fetch(t, client, "fineTuningCurves", object{"jobIds": []string{id}}))
	}
	require.Equal(t, []any{3.0, 2.5}, curves("a"))
	for range 10 {
		require.Equal(t, []any{2.0}, curves("b"), "its checkpoints are all there is")
	}
	require.Equal(t, 2, g.calls("b/metrics"), "once more than needed, to be sure")

	g.series["b"] = g.series["a"]
	c.advance(6 * time.Minute)
	require.Equal(t, []any{3.0, 2.5}, curves("b"), "it has come since")
}
