package jobs_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnmatched_StatusOrModel(t *testing.T) {
	g := &gateway{jobs: []any{job("a", object{"status": "failed"}), job("b", object{"model": "qwen"})}}
	for name, test := range map[string]struct {
		query  object
		notice string
	}{
		"a status":                        {object{"statuses": []string{"started"}}, "No job has the status started. Jobs have: failed, succeeded."},
		"a model":                         {object{"models": []string{"lama"}}, "No job has the model lama. Jobs have: llama-8b, qwen."},
		"not a status that jobs can have": {object{"statuses": []string{"paused"}}, ""},
		"not beside a right one":          {object{"statuses": []string{"started", "failed"}}, ""},
		"not a status that a job has":     {object{"statuses": []string{"FAILED"}, "models": []string{"qwen"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.notice, notices(fetch(t, newClient(t, g), "fineTuningJobs", test.query)))
		})
	}
}

func TestUnmatched_Metric(t *testing.T) {
	checkpoint := object{"id": "c", "created_at": ago(90 * 60e9), "step_number": 10, "metrics": object{"train_loss": 1.5, "step": 10}}
	g := &gateway{jobs: []any{job("a", nil)}, checkpoints: map[string]any{"a": []any{checkpoint}}}

	misspelt := fetch(t, newClient(t, g), "fineTuningCurves", object{"metrics": []string{"trainloss"}})
	require.Equal(t, "No job has the metric trainloss. Jobs have: train_loss.", notices(misspelt))

	right := fetch(t, newClient(t, g), "fineTuningCurves", object{"metrics": []string{"trainloss", "train_loss"}})
	require.Empty(t, notices(right))
}
