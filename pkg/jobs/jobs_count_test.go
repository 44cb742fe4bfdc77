package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// counts reads numeric-multi frames: a number by its labels.
func counts(t *testing.T, frames data.Frames) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	for _, frame := range frames {
		require.Equal(t, data.FrameTypeNumericMulti, frame.Meta.Type)
		if len(frame.Fields) == 0 {
			continue
		}
		require.Len(t, frame.Fields, 1)
		require.Equal(t, 1, frame.Rows())
		labels := frame.Fields[0].Labels.String()
		require.NotContains(t, got, labels, "each label set once")
		got[labels] = frame.Fields[0].At(0).(float64)
	}
	return got
}

func TestJobCount(t *testing.T) {
	g := &gateway{
		jobs: []any{
			job("failed-now", object{"status": "failed", "finished_at": ago(10 * time.Minute)}),
			job("failed-before", object{"status": "failed", "finished_at": ago(20 * time.Minute)}),
			job("failed-whenever", object{"status": "failed", "finished_at": nil}),
			job("failed-by-event", object{"status": "failed", "finished_at": nil, "model": "qwen"}),
			job("running", object{"status": "running", "finished_at": nil}),
			job("nameless", object{"status": "paused", "finished_at": nil, "model": nil}),
			job("soon", object{"status": "queued", "created_at": ago(-time.Hour), "finished_at": nil}),
		},
		events: map[string]any{"failed-by-event": []any{
			object{"id": "e", "created_at": ago(5 * time.Minute), "level": "error", "message": "The job failed due to an internal error."},
		}},
	}
	last15m := func(saved object) backend.DataQuery {
		q := dataQuery(t, saved)
		q.TimeRange.From = noon.Add(-15 * time.Minute)
		return q
	}
	tests := map[string]struct {
		query object
		want  map[string]float64
	}{
		"any job failed in the last 15 minutes": {
			object{"statuses": []string{"failed"}},
			map[string]float64{"model=llama-8b, status=failed": 1, "model=qwen, status=failed": 1}},
		"0 for a status without jobs": {
			object{"statuses": []string{"cancelled"}},
			map[string]float64{"model=llama-8b, status=cancelled": 0, "model=qwen, status=cancelled": 0}},
		"for the models of the query": {
			object{"statuses": []string{"failed"}, "models": []string{"mistral"}},
			map[string]float64{"model=mistral, status=failed": 0}},
		"all statuses": {
			object{},
			map[string]float64{"model=llama-8b, status=failed": 1, "model=qwen, status=failed": 1, "model=llama-8b, status=running": 1, "status=paused": 1}},
		"of any time": {
			object{"statuses": []string{"failed"}, "onlyInRange": false},
			map[string]float64{"model=llama-8b, status=failed": 3, "model=qwen, status=failed": 1}},
		"of one job that has not failed": {
			object{"statuses": []string{"failed"}, "jobIds": []string{"running"}},
			map[string]float64{"model=llama-8b, status=failed": 0}},
		"nothing": {
			object{"jobIds": []string{""}},
			map[string]float64{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.query["format"] = "count"
			frames, err := queryData(newClient(t, g), context.Background(), "fineTuningJobs", last15m(test.query), false)
			require.NoError(t, err)
			require.Equal(t, test.want, counts(t, frames))
		})
	}

	frames, err := queryData(newClient(t, g), context.Background(), "fineTuningJobs", last15m(object{"statuses": []string{"failed"}}), true)
	require.NoError(t, err)
	require.Len(t, counts(t, frames), 2, "an alert rule gets numbers in every format")
	require.Contains(t, notices(frames), "does not report when 1 job ended")
}

func TestJobCount_ByJob(t *testing.T) {
	g := &gateway{jobs: []any{
		job("now", object{"status": "FAILED", "finished_at": ago(10 * time.Minute), "suffix": "my-run"}),
		job("before", object{"status": "failed", "finished_at": ago(20 * time.Minute)}),
		job("whenever", object{"status": "failed", "finished_at": nil}),
		job("bare", object{"status": "failed", "finished_at": ago(time.Minute), "model": nil}),
		job("", object{"status": "failed", "finished_at": ago(time.Minute)}),
		job("running", object{"status": "running", "finished_at": nil}),
	}}
	for _, alerting := range []bool{false, true} {
		query := dataQuery(t, object{"statuses": []string{"failed"}, "format": "countByJob"})
		query.TimeRange.From = noon.Add(-15 * time.Minute)
		frames, err := queryData(newClient(t, g), context.Background(), "fineTuningJobs", query, alerting)
		require.NoError(t, err)
		require.Equal(t, map[string]float64{
			"job=now, job_name=my-run, model=llama-8b, status=failed": 1,
			"job=bare, status=failed":                                 1,
		}, counts(t, frames))
		require.Contains(t, notices(frames), "does not report when 1 job ended")
		require.Contains(t, notices(frames), "no id for 1 job")
	}
	frames := fetch(t, newClient(t, &gateway{}), "fineTuningJobs", object{"format": "countByJob", "statuses": []string{"failed"}})
	require.Empty(t, counts(t, frames))
}

func TestJobCount_Zero(t *testing.T) {
	frames := fetch(t, newClient(t, &gateway{}), "fineTuningJobs", object{"format": "count", "statuses": []string{"failed"}})
	require.Equal(t, map[string]float64{"status=failed": 0}, counts(t, frames))
}

func TestJobCount_NamesAndColors(t *testing.T) {
	frames := fetch(t, newClient(t, &gateway{jobs: []any{
		job("a", object{"status": "running", "finished_at": nil}),
		job("b", object{"status": "stopping_soon", "finished_at": nil, "model": nil}),
	}}), "fineTuningJobs", object{"format": "count"})
	got := map[string]any{}
	for _, frame := range frames {
		config := frame.Fields[0].Config
		got[config.DisplayNameFromDS] = config.Color["fixedColor"]
	}
	require.Equal(t, map[string]any{"running · llama-8b": "blue", "stopping_soon": "purple"}, got)
}
