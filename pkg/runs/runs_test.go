package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) *time.Time {
	at := noon.Add(-d)
	return &at
}

func number(value float64) *float64 { return &value }

// engine records the queries, and answers each range query with a value for each step.
type engine struct {
	lock    sync.Mutex
	queries []string
	scopes  []string
	// value is that of a step of a query; nil is none.
	value func(expr string, at time.Time) *float64
}

func (e *engine) record(expr, scope string) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.queries, e.scopes = append(e.queries, expr), append(e.scopes, scope)
}

func (e *engine) Range(_ context.Context, expr string, start, end time.Time, step time.Duration, scope string) (*promjson.Result, error) {
	e.record(expr, scope)
	var times []time.Time
	var values []float64
	for at := start; !at.After(end); at = at.Add(step) {
		if value := e.value(expr, at); value != nil {
			times, values = append(times, at), append(values, *value)
		}
	}
	return &promjson.Result{Type: promjson.Matrix, Frames: data.Frames{data.NewFrame("", data.NewField("Time", nil, times), data.NewField("Value", data.Labels{}, values))}}, nil
}

func (e *engine) Instant(_ context.Context, expr string, _ time.Time) (*promjson.Result, error) {
	e.record(expr, "")
	return &promjson.Result{Type: promjson.Vector}, nil
}

func (e *engine) Step(timeRange time.Duration, points int64) time.Duration { return time.Minute }

func (e *engine) Oldest(now time.Time) time.Time { return now.Add(-30 * 24 * time.Hour) }

func (e *engine) Interpolate(expr string, _, _ time.Duration) string { return expr }

// gateway has jobs.
type gateway []tuning.Run

func (g gateway) Runs(context.Context, tuning.RunFilters) ([]tuning.Run, []data.Notice, error) {
	return g, nil, nil
}

type object = map[string]any

func query(t *testing.T, c *runs.Client, queryType string, saved object) data.Frames {
	t.Helper()
	encoded, err := json.Marshal(saved)
	require.NoError(t, err)
	c.Now = func() time.Time { return noon }
	frames, err := c.QueryData(t.Context(), queryType, backend.DataQuery{
		RefID: "A", JSON: encoded, MaxDataPoints: 1000, TimeRange: backend.TimeRange{From: *ago(24 * time.Hour), To: noon},
	}, false)
	require.NoError(t, err)
	return frames
}

func constant(string, time.Time) *float64 { return number(1) }

// A label of a run is a text in a matcher, whatever is in it.
func TestRuns_SelectorOfLabels(t *testing.T) {
	for name, test := range map[string]struct{ selector, want string }{
		"equal":              {`pool="$pool"`, `pool="a\"b.c\\d"`},
		"a regex":            {`pool=~"$pool|x"`, `pool=~"a\"b\\.c\\\\d|x"`},
		"in braces":          {`{pool!="${pool}"}`, `pool!="a\"b.c\\d"`},
		"without any label":  {`pool="x"`, `pool="x"`},
		"beside another one": {`zone="z", pool!~"$pool"`, `zone="z", pool!~"a\"b\\.c\\\\d"`},
	} {
		t.Run(name, func(t *testing.T) {
			e := &engine{value: constant}
			job := tuning.Run{Job: tuning.Job{ID: "a", Status: "succeeded", Metadata: map[string]string{"pool": `a"b.c\d`}}, Start: ago(2 * time.Hour), End: ago(time.Hour), Ended: true}
			query(t, &runs.Client{Metrics: e, Jobs: gateway{job}}, "runComparison", object{"expr": "up{$selector}[$duration]", "selector": test.selector})
			require.Equal(t, []string{"up{" + test.want + "}[3600s]"}, e.queries)
			require.Equal(t, []string{"a"}, e.scopes)
		})
	}
}

// A difference is interpolated between the points of a run, and not across its gaps.
func TestRunComparison_Gaps(t *testing.T) {
	samples := func(steps ...float64) []tuning.Sample {
		var all []tuning.Sample
		for _, step := range steps {
			all = append(all, tuning.Sample{Metric: "train_loss", Step: number(step), Value: 2 * step})
		}
		return all
	}
	jobs := gateway{
		{Job: tuning.Job{ID: "base"}, Start: ago(3 * time.Hour), Samples: samples(0, 5, 10, 15, 20, 25, 30, 70, 80)},
		{Job: tuning.Job{ID: "other"}, Start: ago(2 * time.Hour), Samples: samples(0, 10, 20, 80, 90)},
	}
	frame := query(t, &runs.Client{Jobs: jobs}, "runComparison", object{"metric": "train_loss", "axis": "step", "baseline": "base", "difference": true})[0]
	require.Equal(t, []string{"step", "other"}, []string{frame.Fields[0].Name, frame.Fields[1].Name})
	var at []float64
	for i := range frame.Rows() {
		at = append(at, frame.Fields[0].At(i).(float64))
		require.Zero(t, *frame.Fields[1].At(i).(*float64))
	}
	require.Equal(t, []float64{0, 5, 10, 15, 20, 80}, at, "25, 30 and 70 are in the gap")
}

// Where a run parts is the first point from which on it stays apart.
func TestRunComparison_Divergence(t *testing.T) {
	loss := func(values ...float64) []tuning.Sample {
		var all []tuning.Sample
		for i, value := range values {
			all = append(all, tuning.Sample{Metric: "train_loss", Step: number(float64(i)), Value: value})
		}
		return all
	}
	jobs := gateway{
		{Job: tuning.Job{ID: "base"}, Start: ago(time.Hour), Samples: loss(5, 4, 3, 2, 1)},
		{Job: tuning.Job{ID: "close"}, Start: ago(2 * time.Hour), Samples: loss(5.05, 4, 3, 2, 1)},
		{Job: tuning.Job{ID: "parts"}, Start: ago(3 * time.Hour), Samples: loss(6, 4, 3.5, 2.5, 1.5)},
	}
	frame := query(t, &runs.Client{Jobs: jobs}, "runComparison", object{"metric": "train_loss", "axis": "step", "baseline": "base", "format": "divergence", "threshold": "0.1"})[0]
	from, _ := frame.FieldByName("parts_at_step")
	require.Nil(t, from.At(0))
	require.Equal(t, 2.0, *from.At(1).(*float64))
}

// Jobs whose times are unknown are named, and those that run end now.
func TestRuns_JobTimes(t *testing.T) {
	jobs := gateway{
		{Job: tuning.Job{ID: "timeless", Status: "running"}},
		{Job: tuning.Job{ID: "endless", Status: "failed"}, Start: ago(time.Hour), Ended: true},
		{Job: tuning.Job{ID: "backwards", Status: "failed"}, Start: ago(time.Hour), End: ago(2 * time.Hour), Ended: true},
		{Job: tuning.Job{ID: "live", Status: "running", TrainedTokens: number(7)}, Start: ago(time.Hour),
			Checkpoints: []tuning.Checkpoint{{}, {Created: ago(50 * time.Minute)}, {Created: ago(40 * time.Minute)}, {Created: ago(10 * time.Minute)}}},
	}
	measures := []string{"tokens", "checkpoints", "usual_checkpoint_gap", "longest_checkpoint_gap", "since_checkpoint"}
	frame := query(t, &runs.Client{Jobs: jobs}, "runs", object{"measures": measures})[0]
	require.Equal(t, 1, frame.Rows())
	var values []float64
	for _, measure := range append([]string{"length"}, measures...) {
		field, _ := frame.FieldByName(measure)
		values = append(values, *field.At(0).(*float64))
	}
	require.Equal(t, []float64{3600, 7, 4, 1800, 1800, 600}, values)
	end, _ := frame.FieldByName("end")
	require.Nil(t, end.At(0))
	require.Contains(t, frame.Meta.Notices[0].Text, "timeless, endless, backwards")
}

// Each run is one request, however many measures there are.
func TestRuns_OneQueryForAllMeasures(t *testing.T) {
	e := &engine{value: constant}
	jobs := gateway{
		{Job: tuning.Job{ID: "a", Status: "succeeded"}, Start: ago(2 * time.Hour), End: ago(time.Hour), Ended: true},
		{Job: tuning.Job{ID: "b", Status: "succeeded"}, Start: ago(4 * time.Hour), End: ago(3 * time.Hour), Ended: true},
	}
	query(t, &runs.Client{Metrics: e, Jobs: jobs}, "runs", object{})
	require.Len(t, e.queries, 2)
	for _, expr := range e.queries {
		require.Less(t, len(expr), 8<<10, "longer ones are not cached")
		for _, part := range []string{`"gpu_time"`, `"idle"`, `"energy"`, `"xids"`} {
			require.Equal(t, 1, strings.Count(expr, part), part)
		}
	}
}

// Without the metrics service a table has what the gateway knows. Numbers, which alert rules evaluate, are an error.
func TestRuns_WithoutMetrics(t *testing.T) {
	jobs := gateway{{Job: tuning.Job{ID: "a", Status: "running", TrainedTokens: number(7)}, Start: ago(time.Hour)}}
	client := &runs.Client{Jobs: jobs, MetricsErr: errors.New("no token")}
	frame := query(t, client, "runs", object{})[0]
	require.Contains(t, frame.Meta.Notices[0].Text, "Measures of GPUs are left out. no token")
	tokens, _ := frame.FieldByName("tokens")
	require.Equal(t, 7.0, *tokens.At(0).(*float64))

	_, err := client.QueryData(t.Context(), "runs", backend.DataQuery{JSON: []byte(`{"format":"number"}`), TimeRange: backend.TimeRange{From: *ago(time.Hour), To: noon}}, false)
	require.EqualError(t, err, "no token")
}
