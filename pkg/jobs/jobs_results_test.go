package jobs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func report(id string, at time.Duration, step int, loss float64) object {
	return object{"id": id, "created_at": ago(at), "level": "info", "type": "metrics", "message": "step",
		"data": object{"step": step, "train_loss": loss}}
}

// startTime is the event of a job's start two hours ago.
func startTime() object {
	return object{"id": "start", "created_at": ago(2 * time.Hour), "level": "info", "type": "message", "message": "Fine-tuning job started"}
}

func TestJobResults(t *testing.T) {
	g := &gateway{
		jobs: []any{
			job("waiting", object{"status": "queued", "finished_at": nil, "created_at": ago(time.Minute)}),
			job("worse", object{"suffix": "support-a", "metadata": object{"gpus": "16", "node_pool": "finetuning"}}),
			job("better", object{"suffix": "support-b"}),
			job("failed", object{"status": "failed", "suffix": "support-c", "error": object{"message": "CUDA out of memory"}}),
		},
		checkpoints: map[string]any{
			"worse": []any{
				checkpoint("w2", 20, 70*time.Minute, object{"train_loss": 0.6, "valid_loss": 0.7}),
				checkpoint("w1", 10, 80*time.Minute, object{"train_loss": 0.1, "valid_loss": 0.2}),
			},
			"better": []any{checkpoint("b1", 10, 80*time.Minute, object{"train_loss": 0.4, "valid_loss": 0.5})},
		},
		events: map[string]any{
			"worse":  []any{startTime()},
			"better": []any{startTime()},
			"failed": []any{startTime(), report("r", 90*time.Minute, 5, 0.9)},
		},
	}
	frames := fetch(t, newClient(t, g), "fineTuningJobs", object{"format": "results"})
	for name, want := range map[string][]any{
		"job_id":      {"better", "worse", "failed", "waiting"},
		"name":        {"support-b", "support-a", "support-c", "waiting"},
		"best":        {"best", nil, nil, nil},
		"valid_loss":  {0.5, 0.7, nil, nil},
		"train_loss":  {0.4, 0.6, 0.9, nil},
		"error":       {nil, nil, "CUDA out of memory", nil},
		"last_report": {"10:40", "10:50", "10:30", nil},
		"until":       {"11:00", "11:00", "11:00", "12:00"},
		"run_time":    {3600.0, 3600.0, 3600.0, nil},
		"gpus":        {nil, 16.0, nil, nil},
		"gpu_hours":   {nil, 16.0, nil, nil},
		"node_pool":   {nil, "finetuning", nil, nil},
	} {
		require.Equal(t, want, values(t, frames[0], name), name)
	}
	require.Contains(t, notices(frames), "metadata.gpus is missing from 3 of 4 jobs: without it, GPU-hours are not known.")
}

// What can't be true is not known: no GPU, tokens or bytes are negative, no job has a billion GPUs, and none ends before it begins.
func TestJobs_AbsurdFigures(t *testing.T) {
	absurd := []any{-8, 1e9, "eight", 0, "-8", true, nil, "1e999"}
	g := &gateway{events: map[string]any{}, files: []any{
		object{"id": "f1", "created_at": "2025-06-02T10:00:00Z", "bytes": -1}, object{"id": "f2", "created_at": ago(3*time.Hour) * 1000, "bytes": "12"},
	}}
	for i, gpus := range absurd {
		id := fmt.Sprint("job-", i)
		g.jobs = append(g.jobs, job(id, object{
			"metadata": object{"gpus": gpus}, "trained_tokens": -1, "estimated_finish": 3600,
			"hyperparameters": object{"n_epochs": -1, "batch_size": "auto", "learning_rate": -1},
		}))
		g.events[id] = []any{startTime()}
	}
	tooMany := object{"gpus": 8}
	for i := range 100 {
		tooMany[fmt.Sprint("m", i)] = "x"
	}
	g.jobs = append(g.jobs, job("too many", object{"metadata": tooMany, "hyperparameters": object{}}))
	g.jobs = append(g.jobs, job("ms", object{"metadata": object{"gpus": 8}, "created_at": ago(3*time.Hour) * 1000, "finished_at": "2025-06-02T11:00:00+00:00"}),
		job("backwards", object{"metadata": object{"gpus": 8}, "created_at": ago(time.Hour), "finished_at": ago(2 * time.Hour)}))
	g.events["ms"], g.events["backwards"] = []any{startTime()}, []any{object{"id": "s", "created_at": ago(time.Hour), "type": "message", "message": "Fine-tuning job started"}}
	client := newClient(t, g)
	results := fetch(t, client, "fineTuningJobs", object{"format": "results"})
	for i, id := range values(t, results[0], "job_id") {
		gpus, hours := values(t, results[0], "gpus")[i], values(t, results[0], "gpu_hours")[i]
		switch id {
		case "ms":
			require.Equal(t, []any{8.0, 8.0}, []any{gpus, hours})
		case "backwards":
			require.Equal(t, []any{8.0, nil}, []any{gpus, hours})
		default:
			require.Equal(t, []any{nil, nil}, []any{gpus, hours}, id)
		}
	}
	table := fetch(t, client, "fineTuningJobs", nil)[0]
	for _, column := range []string{"trained_tokens", "n_epochs", "batch_size", "learning_rate", "estimated_finish"} {
		require.Equal(t, make([]any, len(g.jobs)), values(t, table, column), column)
	}
	files := fetch(t, client, "trainingFiles", nil)[0]
	require.Equal(t, []any{nil, 12.0}, values(t, files, "bytes"))
	require.Equal(t, []any{"10:00", "09:00"}, values(t, files, "created"))
}

func TestJobResults_BestSucceeded(t *testing.T) {
	g := &gateway{
		jobs: []any{job("failed", object{"status": "failed"}), job("done", nil), job("other", nil)},
		checkpoints: map[string]any{
			"failed": []any{checkpoint("f", 1, 80*time.Minute, object{"valid_loss": 0.1})},
			"done":   []any{checkpoint("d", 1, 80*time.Minute, object{"train_loss": 0.3})},
			"other":  []any{checkpoint("o", 1, 80*time.Minute, object{"train_loss": 0.4})},
		},
	}
	frame := fetch(t, newClient(t, g), "fineTuningJobs", object{"format": "results"})[0]
	require.Equal(t, []any{"failed", "done", "other"}, values(t, frame, "job_id"))
	require.Equal(t, []any{nil, "best", nil}, values(t, frame, "best"), "by training loss where no job that succeeded has a validation loss")
}

func TestJobResults_JobsOnly(t *testing.T) {
	g := &gateway{jobs: []any{job("a", nil)}, handle: func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/jobs") {
			return false
		}
		http.NotFound(w, r)
		return true
	}}
	frames := fetch(t, newClient(t, g), "fineTuningJobs", object{"format": "results"})
	require.Equal(t, []any{"a"}, values(t, frames[0], "name"))
	require.Equal(t, []any{nil}, values(t, frames[0], "train_loss"))
}

func TestEvents_JobName(t *testing.T) {
	g := &gateway{
		jobs:   []any{job("ftjob-1", object{"suffix": "support"})},
		events: map[string]any{"ftjob-1": []any{startTime()}},
	}
	frame := fetch(t, newClient(t, g), "fineTuningEvents", nil)[0]
	require.Equal(t, []any{"support"}, values(t, frame, "name"))
	require.Equal(t, []any{"ftjob-1"}, values(t, frame, "job_id"))
	labels, _ := frame.FieldByName("labels")
	require.JSONEq(t, `{"job":"ftjob-1","name":"support","model":"llama-8b","status":"running","type":"message"}`, string(labels.At(0).(json.RawMessage)))
}
