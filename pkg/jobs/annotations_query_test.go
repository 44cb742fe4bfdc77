package jobs_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
)

// requireValid checks Grafana's requirements of an annotation frame.
func requireValid(t *testing.T, frame *data.Frame) {
	t.Helper()
	ids := map[any]bool{}
	for _, name := range []string{"time", "timeEnd", "title", "text", "tags", "id", "color"} {
		for _, value := range values(t, frame, name) {
			require.NotNil(t, value, name)
		}
	}
	times, ends := frame.Fields[0], frame.Fields[1]
	for row := range frame.Rows() {
		require.False(t, ends.At(row).(time.Time).Before(times.At(row).(time.Time)), "nothing ends before it begins")
		id := frame.Fields[5].At(row)
		require.False(t, ids[id], "id %s is there twice", id)
		ids[id] = true
	}
}

func TestAnnotations(t *testing.T) {
	g := &gateway{
		jobs: []any{
			job("done", object{"suffix": "support", "trained_tokens": 5000}),
			job("live", object{"status": "running", "finished_at": nil, "model": "qwen"}),
			job("early", object{"created_at": ago(40 * time.Hour), "finished_at": ago(20 * time.Hour), "status": "failed", "error": object{"message": "<b>boom</b> & gone"}}),
			job("before", object{"created_at": ago(40 * time.Hour), "finished_at": ago(30 * time.Hour)}),
			job("no-end", object{"finished_at": nil, "status": "cancelled"}),
			job("no-start", object{"created_at": nil}),
			job("timeless", object{"created_at": nil, "finished_at": nil, "status": "paused"}),
		},
		checkpoints: map[string]any{"done": []any{
			checkpoint("ckpt-1", 10, 80*time.Minute, object{"train_loss": 0.51234, "valid_loss": 0.6}),
			object{"id": "ckpt-2", "metrics": object{}},
			checkpoint("long-ago", 1, 30*time.Hour, nil),
		}},
		events: map[string]any{"done": []any{
			event("e1", 150*time.Minute, "Fine-tuning job started"), object{"id": "e2", "message": "Fine-tuning job paused"},
		}},
	}
	g.withEmptyDetails()
	client := newClient(t, g)
	frames := fetch(t, client, "fineTuningAnnotations", nil)
	frame := frames[0]
	requireValid(t, frame)
	require.Equal(t, []any{"job:early", "job:done", "job:live", "job:no-end", "checkpoint:ckpt-1", "job:no-start"}, values(t, frame, "id"))
	require.Equal(t, []any{"20:00", "09:00", "09:00", "09:00", "10:40", "11:00"}, values(t, frame, "time"))
	require.Equal(t, []any{"16:00", "11:00", "12:00", "09:00", "10:40", "11:00"}, values(t, frame, "timeEnd"))
	require.Equal(t, []any{"red", "green", "blue", "gray", "gray", "green"}, values(t, frame, "color"))
	require.Equal(t, []any{"failed,llama-8b", "succeeded,llama-8b", "running,qwen", "cancelled,llama-8b", "succeeded,llama-8b", "succeeded,llama-8b"}, values(t, frame, "tags"))
	text := values(t, frame, "text")
	require.Contains(t, text[0], "&lt;b&gt;boom&lt;/b&gt; &amp; gone")
	require.Contains(t, text[1], "succeeded · llama-8b · 2h0m0s · done")
	require.Contains(t, text[4], "support · succeeded · llama-8b · train_loss 0.5123 · valid_loss 0.6 · ckpt-1")
	require.Equal(t, "Checkpoint at step 10", values(t, frame, "title")[4])
	require.Contains(t, notices(frames), "2 events left out: the gateway has no time")

	require.Equal(t, values(t, frame, "id"), values(t, fetch(t, newClient(t, g), "fineTuningAnnotations", nil)[0], "id"), "ids are the same each time")

	only := fetch(t, client, "fineTuningAnnotations", object{"statuses": []string{"failed"}, "models": []string{"llama-8b"}, "show": []string{"jobs"}})
	require.Equal(t, []any{"job:early"}, values(t, only[0], "id"))

	empty := fetch(t, client, "fineTuningAnnotations", object{"jobIds": []string{""}})
	require.Len(t, empty[0].Fields, 7)
	require.Zero(t, empty[0].Rows())
}

// A slow gateway must not delay a dashboard.
func TestAnnotations_SlowDetails(t *testing.T) {
	g := &gateway{jobs: []any{job("a", nil)}, checkpoints: map[string]any{"a": []any{checkpoint("c", 1, time.Hour, nil)}}}
	inBubble(t, g, unlimited, func(t *testing.T, served *limited, client *jobs.Client) {
		release := make(chan struct{})
		g.handle = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/v1/fine_tuning/jobs" {
				<-release
			}
			return false
		}
		frames := fetch(t, client, "fineTuningAnnotations", nil)
		require.Equal(t, []any{"job:a"}, values(t, frames[0], "id"))
		require.Contains(t, notices(frames), "still being read")
		close(release)
		time.Sleep(time.Second)
		require.Equal(t, 2, fetch(t, client, "fineTuningAnnotations", nil)[0].Rows())
		require.Equal(t, 1, served.count("/checkpoints"))
	})
}
