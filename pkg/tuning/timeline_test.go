package tuning_test

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
	frames := ask(t, newClient(t, g), "fineTuningJobs", object{"format": "timeline"})
	frame := frames[0]
	require.Contains(t, notices(frames), "does not tell the times of 1 job")
	times := values(t, frame, "Time")
	require.Equal(t, []any{"12:00", "09:00", "09:10", "09:30", "10:00", "11:00", "11:30", "12:00"}, times)
	require.Equal(t, []any{nil, "validating_files", "queued", "queued", "running", "succeeded", "succeeded", nil}, values(t, frame, "with-events"))
	require.Equal(t, []any{nil, "in progress", "in progress", "in progress", "in progress", "succeeded", "succeeded", nil}, values(t, frame, "without-events"))
	require.Equal(t, []any{nil, "waiting", "waiting", "running", "running", "running", "running", nil}, values(t, frame, "live"))
	require.Equal(t, []any{nil, nil, nil, nil, nil, nil, "queued", nil}, values(t, frame, "queued"))
	field, _ := frame.FieldByName("with-events")
	require.Equal(t, "support (with-events)", field.Config.DisplayNameFromDS)
	require.NotEmpty(t, field.Config.Mappings)
}

func TestATimelineHasAnEnd(t *testing.T) {
	g := &gateway{jobs: manyJobs(150)}
	frames := ask(t, newClient(t, g), "fineTuningJobs", object{"format": "timeline"})
	require.Len(t, frames[0].Fields, 101)
	require.Contains(t, notices(frames), "Only the newest 100 of 150 jobs")

	frame := ask(t, newClient(t, &gateway{}), "fineTuningJobs", object{"format": "timeline"})[0]
	require.Zero(t, frame.Rows())
}
