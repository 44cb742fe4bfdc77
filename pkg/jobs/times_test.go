package jobs_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTimes_Formats(t *testing.T) {
	at := noon.Add(-2*time.Hour + 250*time.Millisecond)
	for form, write := range map[string]func(time.Time) any{
		"seconds":              func(at time.Time) any { return float64(at.UnixMilli()) / 1e3 },
		"milliseconds":         func(at time.Time) any { return at.UnixMilli() },
		"microseconds":         func(at time.Time) any { return at.UnixMicro() },
		"nanoseconds":          func(at time.Time) any { return at.UnixNano() },
		"a number in a string": func(at time.Time) any { return strconv.FormatInt(at.UnixMilli(), 10) },
		"RFC 3339":             func(at time.Time) any { return at.Format(time.RFC3339Nano) },
		"RFC 3339 and an offset": func(at time.Time) any {
			return at.In(time.FixedZone("", 2*3600)).Format(time.RFC3339Nano)
		},
		"without an offset": func(at time.Time) any { return at.Format("2006-01-02T15:04:05.000000") },
	} {
		t.Run(form, func(t *testing.T) {
			g := &gateway{
				jobs: []any{job("a", object{"created_at": write(at), "finished_at": write(at.Add(time.Hour)), "estimated_finish": 0})},
				checkpoints: map[string]any{"a": []any{
					object{"id": "c", "created_at": write(at.Add(30 * time.Minute)), "metrics": object{"train_loss": 0.5}},
				}},
				events: map[string]any{"a": []any{object{"id": "e", "created_at": write(at.Add(2 * time.Minute)), "message": "m"}}},
				files:  []any{object{"id": "f", "created_at": write(at.Add(3 * time.Minute))}},
				series: map[string]any{"a": object{"metrics": []any{
					object{"metric_name": "loss", "data": []any{object{"timestamp": write(at.Add(time.Minute)), "value": 1}}},
				}}},
			}
			client := newClient(t, g)
			created, _ := fetch(t, client, "fineTuningJobs", nil)[0].FieldByName("created")
			require.Equal(t, at, *created.At(0).(*time.Time))
			annotations := fetch(t, client, "fineTuningAnnotations", nil)[0]
			require.Equal(t, []any{"10:00", "10:30"}, values(t, annotations, "time"))
			require.Equal(t, []any{"11:00", "10:30"}, values(t, annotations, "timeEnd"))
			require.Equal(t, []any{"10:01"}, values(t, fetch(t, client, "fineTuningCurves", nil)[0], "Time"))
			require.Equal(t, []any{"10:02"}, values(t, fetch(t, client, "fineTuningEvents", nil)[0], "timestamp"))
			require.Equal(t, []any{"10:03"}, values(t, fetch(t, client, "trainingFiles", nil)[0], "created"))
		})
	}
}

// A frame has 64-bit nanoseconds, in which the year 9999 overflows to 1816.
func TestTimes_OutOfRange(t *testing.T) {
	g := &gateway{jobs: []any{
		job("a", object{"status": "running", "finished_at": "9999-12-31T23:59:59Z", "estimated_finish": 253402300799}),
		job("b", object{"status": "running", "finished_at": "0001-01-01T00:00:00Z", "estimated_finish": -62135596800}),
	}}
	frame := fetch(t, newClient(t, g), "fineTuningJobs", nil)[0]
	require.Equal(t, []any{nil, nil}, values(t, frame, "finished"))
	require.Equal(t, []any{nil, nil}, values(t, frame, "estimated_finish"))
}
