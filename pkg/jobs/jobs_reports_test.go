package jobs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func report(id string, at time.Duration, step int, loss float64) object {
	return object{"id": id, "created_at": ago(at), "level": "info", "type": "metrics", "message": "step",
		"data": object{"step": step, "train_loss": loss}}
}

// What can't be true is not known: no tokens or bytes are negative, and no job ends before it begins.
func TestJobs_AbsurdFigures(t *testing.T) {
	started := func(at time.Duration) []any {
		return []any{object{"id": "s", "created_at": ago(at), "type": "message", "message": "Fine-tuning job started"}}
	}
	g := &gateway{
		jobs: []any{
			job("absurd", object{"trained_tokens": -1, "estimated_finish": 3600, "hyperparameters": object{"n_epochs": -1, "batch_size": "auto", "learning_rate": -1}}),
			job("ms", object{"created_at": ago(3*time.Hour) * 1000, "finished_at": "2025-06-02T11:00:00+00:00"}),
			job("backwards", object{"created_at": ago(time.Hour), "finished_at": ago(2 * time.Hour)}),
		},
		events: map[string]any{"absurd": []any{}, "ms": started(2 * time.Hour), "backwards": started(time.Hour)},
		files: []any{
			object{"id": "f1", "created_at": "2025-06-02T10:00:00Z", "bytes": -1}, object{"id": "f2", "created_at": ago(3*time.Hour) * 1000, "bytes": "12"},
		},
	}
	client := newClient(t, g)
	table := fetch(t, client, "fineTuningJobs", nil)[0]
	require.Equal(t, []any{"backwards", "absurd", "ms"}, values(t, table, "job_id"))
	require.Equal(t, []any{nil, nil, 3600.0}, values(t, table, "run_time"))
	for _, column := range []string{"trained_tokens", "n_epochs", "batch_size", "learning_rate", "estimated_finish"} {
		require.Equal(t, []any{nil, nil, nil}, values(t, table, column), column)
	}
	files := fetch(t, client, "trainingFiles", nil)[0]
	require.Equal(t, []any{nil, 12.0}, values(t, files, "bytes"))
	require.Equal(t, []any{"10:00", "09:00"}, values(t, files, "created"))
}
