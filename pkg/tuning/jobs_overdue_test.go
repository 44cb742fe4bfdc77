package tuning_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestJobOverdue(t *testing.T) {
	pending := job("late", object{"status": "running", "finished_at": nil, "estimated_finish": ago(10 * time.Minute)})
	running := object{"status": "running", "finished_at": nil, "estimated_finish": ago(-time.Hour)}
	tests := map[string]struct {
		jobs  []any
		query object
		want  map[string]float64
	}{
		"seconds past the estimate, negative in time": {
			[]any{pending, job("in-time", running)}, object{},
			map[string]float64{"job=late, model=llama-8b, status=running": 600, "job=in-time, model=llama-8b, status=running": -3600}},
		"of the statuses of the query": {
			[]any{pending, job("paused", object{"status": "paused", "finished_at": nil, "estimated_finish": ago(time.Hour)})},
			object{"statuses": []string{"running"}},
			map[string]float64{"job=late, model=llama-8b, status=running": 600}},
		"a job without a model": {
			[]any{job("bare", object{"status": "running", "model": nil, "finished_at": nil, "estimated_finish": ago(time.Minute)})}, object{},
			map[string]float64{"job=bare, status=running": 60}},
		"jobs that have ended are not overdue": {
			[]any{job("done", object{"status": "succeeded", "estimated_finish": ago(time.Hour)})}, object{},
			map[string]float64{}},
		"nor are jobs of the future": {
			[]any{job("soon", object{"status": "running", "created_at": ago(-2 * time.Hour), "finished_at": nil, "estimated_finish": ago(time.Hour)})}, object{},
			map[string]float64{}},
		"an estimate of 0 is none": {
			[]any{pending, job("zero", object{"status": "running", "finished_at": nil, "estimated_finish": 0})}, object{},
			map[string]float64{"job=late, model=llama-8b, status=running": 600}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.query["format"] = "overdue"
			for _, alerting := range []bool{false, true} {
				frames, err := newClient(t, &gateway{jobs: test.jobs}).QueryData(context.Background(), "fineTuningJobs", dataQuery(t, test.query), alerting)
				require.NoError(t, err)
				require.Equal(t, test.want, counts(t, frames))
			}
		})
	}
}

func TestJobOverdue_NoEstimate(t *testing.T) {
	g := &gateway{jobs: []any{job("a", object{"status": "running", "finished_at": nil}), job("b", object{"status": "queued", "finished_at": nil})}}
	frames, err := newClient(t, g).QueryData(context.Background(), "fineTuningJobs", dataQuery(t, object{"format": "overdue"}), true)
	require.NoError(t, err)
	require.Empty(t, counts(t, frames))
	require.Contains(t, notices(frames), "no estimate for 2 jobs")
}
