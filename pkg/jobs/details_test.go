package jobs_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestConsoleLink_InvalidAddress(t *testing.T) {
	g := &gateway{jobs: []any{job("a", nil)}}
	for _, console := range []string{"", "javascript:alert(1)", "console"} {
		client := newClient(t, g, func(c *config) { c.Links.Console = console })
		id, _ := fetch(t, client, "fineTuningJobs", nil)[0].FieldByName("job_id")
		require.Len(t, id.Config.Links, 1)
	}
}

func TestDetails_NamedJobsOutsideRange(t *testing.T) {
	g := &gateway{
		jobs:        []any{job("old", object{"created_at": ago(100 * time.Hour), "finished_at": ago(90 * time.Hour)})},
		checkpoints: map[string]any{"old": []any{checkpoint("c", 1, 95*time.Hour, object{"train_loss": 0.5})}},
		events:      map[string]any{"old": []any{event("e", 95*time.Hour, "Created")}},
	}
	client := newClient(t, g)
	require.Equal(t, 0, fetch(t, client, "fineTuningCheckpoints", nil)[0].Rows())
	named := object{"jobIds": []string{"old"}}
	require.Equal(t, 1, fetch(t, client, "fineTuningCheckpoints", named)[0].Rows())
	require.Equal(t, 0, fetch(t, client, "fineTuningEvents", named)[0].Rows())
	require.Empty(t, fetch(t, client, "fineTuningCurves", named)[0].Fields)
}

func TestCurves(t *testing.T) {
	g := &gateway{
		jobs: []any{job("metrics", nil), job("checkpoints", object{"suffix": "chat"}), job("bare", nil)},
		series: map[string]any{"metrics": object{"metrics": []any{
			object{"metric_name": "Eval loss", "data": []any{
				object{"step": 2, "timestamp": ago(100 * time.Minute), "value": 0.6}, object{"step": 1, "timestamp": ago(110 * time.Minute), "value": 0.7},
				object{"step": 3, "value": "none"}, "odd"}},
			object{"metric_name": "current step", "data": []any{object{"value": 2}}},
			object{"metric_name": nil, "data": nil}, "odd",
		}}},
		checkpoints: map[string]any{"checkpoints": []any{
			checkpoint("c1", 10, 80*time.Minute, object{"step": 10, "train_loss": 0.5}),
			checkpoint("c2", 20, 70*time.Minute, object{"step": 20, "train_loss": 0.4}),
			checkpoint("c0", 5, 30*time.Hour, object{"step": 5, "train_loss": 0.9}),
		}},
		events: map[string]any{"checkpoints": []any{
			object{"id": "e1", "created_at": ago(90 * time.Minute), "type": "metrics", "message": "Step 8", "data": object{"step": 8, "train_loss": 0.6, "total_steps": 20}},
			object{"id": "e2", "created_at": ago(80 * time.Minute), "type": "metrics", "data": object{"step": 10, "train_loss": 0.51}},
			object{"id": "e3", "type": "metrics", "data": object{"train_loss": 9}},
		}},
	}
	client := newClient(t, g)
	frames := fetch(t, client, "fineTuningCurves", nil)
	require.Len(t, frames, 2)
	got := map[string][]any{}
	for _, frame := range frames {
		require.Equal(t, data.FrameTypeTimeSeriesMulti, frame.Meta.Type)
		require.Equal(t, "llama-8b", frame.Fields[1].Labels["model"])
		got[frame.Fields[1].Labels["job"]+" "+frame.Fields[1].Labels["metric"]] = append(values(t, frame, "Time"), values(t, frame, frame.Fields[1].Name)...)
	}
	require.Equal(t, map[string][]any{
		"metrics valid_loss":     {"10:10", "10:20", 0.7, 0.6},
		"checkpoints train_loss": {"10:40", "10:50", 0.5, 0.4}, // of three, where events have two
	}, got)
	require.Contains(t, notices(frames), "Job chat: 1 point without a time left out")

	require.Empty(t, fetch(t, client, "fineTuningCurves", object{"metrics": []string{"other"}})[0].Fields)

	g.checkpoints["metrics"] = []any{checkpoint("m1", 3, 90*time.Minute, object{"valid_loss": 0.1, "train_accuracy": 0.8})}
	both := fetch(t, newClient(t, g), "fineTuningCurves", object{"metrics": []string{"Eval loss", "train_accuracy"}, "jobIds": []string{"metrics"}})
	require.Len(t, both, 2)
	require.Equal(t, []any{0.8}, values(t, both[0], "train_accuracy"), "what its metrics lack comes from its checkpoints")
	require.Equal(t, []any{0.7, 0.6}, values(t, both[1], "valid_loss"), "and a curve from one source")
}

func TestDetails_FailureKeepsJobs(t *testing.T) {
	g := &gateway{jobs: []any{job("a", nil), job("b", nil)}}
	g.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/v1/fine_tuning/jobs" {
			return false
		}
		fail(w, http.StatusInternalServerError, "disk full")
		return true
	}
	client := newClient(t, g)
	frames := fetch(t, client, "fineTuningJobs", nil)
	require.Equal(t, 2, frames[0].Rows())
	require.Contains(t, notices(frames), "failed (500): disk full")
	frames = fetch(t, client, "fineTuningAnnotations", nil)
	require.Equal(t, 2, frames[0].Rows())
	require.Contains(t, notices(frames), "The checkpoints of 2 jobs can't be read.")
	for _, queryType := range []string{"fineTuningCheckpoints", "fineTuningEvents", "fineTuningCurves", "trainingFiles"} {
		_, err := try(t, client, queryType, nil)
		require.ErrorIs(t, err, transport.ErrUnavailable, "an outage is an error, not an empty result: %s", queryType)
	}
}

func TestRequests_ReadOnly(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "from the environment")
	t.Setenv("OPENAI_ORG_ID", "from the environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	g := &gateway{jobs: []any{job("a", nil)}, checkpoints: map[string]any{"a": []any{}}, events: map[string]any{"a": []any{}}, series: map[string]any{"a": object{}}}
	client := newClient(t, g)
	for _, queryType := range jobs.QueryTypes() {
		fetch(t, client, queryType, nil)
		g.lock.Lock()
		for name := range g.headers {
			require.Contains(t, []string{"Accept", "Accept-Encoding", "Authorization", "User-Agent"}, name)
		}
		g.lock.Unlock()
	}
	require.False(t, g.notReadOnly.Load())
}
