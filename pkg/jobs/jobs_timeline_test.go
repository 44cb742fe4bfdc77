package jobs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func event(id string, at time.Duration, message string) object {
	return object{"id": id, "created_at": ago(at), "level": "info", "message": message, "type": "message"}
}

func TestTimeline(t *testing.T) {
	g := &gateway{
		jobs: []any{
			job("with-events", object{"suffix": "support"}),
			job("without-events", object{"suffix": "support"}),
			job("live", object{"status": "running", "finished_at": nil}),
			job("queued", object{"status": "queued", "created_at": ago(30 * time.Minute), "finished_at": nil}),
			job("timeless", object{"created_at": nil, "finished_at": nil}),
		},
		events: map[string]any{
			"with-events": []any{
				event("3", 2*time.Hour, "Fine-tuning job started"),
				event("2", 170*time.Minute, "Files validated, moving job to queued state"),
				event("1", 180*time.Minute, "Validating training file: file-1"),
			},
			"live": []any{event("1", 150*time.Minute, "Status changed to running")},
		},
	}
	frames := fetch(t, newClient(t, g), "fineTuningJobs", object{"format": "timeline"})
	frame := frames[0]
	require.Contains(t, notices(frames), "does not report the times of 1 job")
	times := values(t, frame, "Time")
	require.Equal(t, []any{"12:00", "09:00", "09:10", "09:30", "10:00", "11:00", "11:30", "12:00"}, times)
	require.Equal(t, []any{nil, "validating_files", "queued", "queued", "running", nil, nil, nil}, values(t, frame, "with-events"), "a row ends when its job ends")
	require.Equal(t, []any{nil, "in progress", "in progress", "in progress", "in progress", nil, nil, nil}, values(t, frame, "without-events"))
	require.Equal(t, []any{nil, "waiting", "waiting", "running", "running", "running", "running", nil}, values(t, frame, "live"))
	require.Equal(t, []any{nil, nil, nil, nil, nil, nil, "queued", nil}, values(t, frame, "queued"))
	field, _ := frame.FieldByName("with-events")
	require.Equal(t, "support (with-events): succeeded", field.Config.DisplayNameFromDS)
	require.NotEmpty(t, field.Config.Mappings)
}

// The name of a failed job's row has its status, because the row ends with the job.
func TestTimeline_RowName(t *testing.T) {
	g := &gateway{
		jobs: []any{
			job("ok", object{"suffix": "support"}),
			job("bad", object{"suffix": "billing", "status": "failed"}),
			job("live", object{"suffix": "search", "status": "running", "finished_at": nil}),
		},
		events: map[string]any{},
	}
	client := newClient(t, g, func(c *config) { c.Links.Console = "https://console.example.com/jobs/{jobId}" })
	frame := fetch(t, client, "fineTuningJobs", object{"format": "timeline"})[0]
	for id, name := range map[string]string{"ok": "support: succeeded", "bad": "billing: failed", "live": "search"} {
		field, _ := frame.FieldByName(id)
		require.Equal(t, name, field.Config.DisplayNameFromDS)
		require.Equal(t, "https://console.example.com/jobs/${__field.labels.job:percentencode}", field.Config.Links[0].URL)
	}
}

// Records and events of a gateway may have different words for a status, which is one state.
func TestTimeline_WordsOfAStatus(t *testing.T) {
	g := &gateway{
		jobs:   []any{job("loud", object{"status": "RUNNING", "finished_at": nil})},
		events: map[string]any{"loud": []any{event("1", 2*time.Hour, "Job started"), event("2", time.Hour, "Loaded the model")}},
	}
	frame := fetch(t, newClient(t, g), "fineTuningJobs", object{"format": "timeline"})[0]
	require.Equal(t, []any{"12:00", "09:00", "10:00", "12:00"}, values(t, frame, "Time"))
	require.Equal(t, []any{nil, "waiting", "running", nil}, values(t, frame, "loud"))
}
