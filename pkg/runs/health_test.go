package runs_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
)

// falling is a curve from 3 to 1 and then more values.
func falling(count int, more ...any) []any {
	var all []any
	for i := range count {
		all = append(all, 3-2*float64(i)/float64(count))
	}
	return append(all, more...)
}

// running is a job that reports a metric each minute until noon.
func running(id, metric string, values []any) job {
	return job{
		id: id, status: "running", started: time.Duration(len(values)) * time.Minute, every: time.Minute, metrics: map[string][]any{metric: values},
	}
}

func TestTrainingHealth_Findings(t *testing.T) {
	for name, test := range map[string]struct {
		metric                      string
		values                      []any
		finding, severity, evidence string
	}{
		"too few points":                     {"loss", falling(4), "tooFewPoints", "unknown", "Too few points: 4, and it takes 10: train_loss."},
		"a text that is not a number":        {"loss", falling(20, "NaN"), "notFinite", "critical", "The newest value is not a number"},
		"infinite texts":                     {"loss", falling(20, "Infinity", "-Infinity"), "notFinite", "critical", "The newest 2 values are not a number"},
		"numbers as Python writes them":      {"loss", falling(20, bare("NaN"), bare("Infinity"), bare("-Infinity")), "notFinite", "critical", "The newest 3 values are not a number"},
		"an accuracy that rises":             {"accuracy", []any{.1, .2, .3, .4, .45, .5, .55, .6, .62, .64, .66, .68}, "healthy", "ok", "Nothing was found in 12 points: accuracy."},
		"an accuracy that falls":             {"accuracy", []any{.1, .2, .3, .4, .5, .6, .65, .7, .7, .7, .5, .4, .3, .2, .1, .1}, "diverging", "critical", "below the best"},
		"an error rate that falls":           {"error_rate", []any{.9, .8, .7, .6, .5, .4, .35, .3, .3, .3, .28, .27}, "healthy", "ok", "Nothing was found in 12 points"},
		"a loss that rises":                  {"loss", falling(30, 1.5, 1.8, 2.2, 2.6, 2.9), "diverging", "critical", "above the best"},
		"a loss that jumps and comes back":   {"loss", falling(20, 9, 1, 1, 1, 1, 1), "healthy", "ok", ""},
		"a metric without a better or worse": {"grad_norm", falling(20), "tooFewPoints", "unknown", "Too few points: 0, "},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, &jobServer{jobs: []job{running("ftjob-1", test.metric, test.values)}}, nil)
			found := rows(query(t, c, "trainingHealth", object{})[0])
			require.NotEmpty(t, found)
			require.Equal(t, test.finding, found[0]["finding"])
			require.Equal(t, test.severity, found[0]["severity"])
			require.Contains(t, found[0]["evidence"], test.evidence)
		})
	}
}

// flat is a curve of a batch's usual noise around 2.3.
func flat(count int) []any {
	chance := rand.New(rand.NewPCG(1, 1))
	var all []any
	for range count {
		all = append(all, 2.3+0.02*chance.NormFloat64())
	}
	return all
}

// fleet has a job of each kind: one that is healthy, one whose loss rises since its 31st report, one whose validation rises since its
// 61st, and one that makes no step since 11:00.
func fleet() []job {
	overfits := running("ftjob-overfits", "loss", falling(120))
	var valid []any
	for i := range 120 {
		valid = append(valid, 2-0.02*float64(min(i, 60))+0.03*float64(max(0, i-60)))
	}
	overfits.metrics["valid_loss"] = valid
	stalled := running("ftjob-stalled", "loss", falling(40))
	stalled.started += time.Hour
	return []job{
		running("ftjob-healthy", "loss", falling(60)), running("ftjob-diverges", "loss", falling(30, 1.5, 1.8, 2.2, 2.6, 2.9)), overfits, stalled,
	}
}

func TestTrainingHealth_Table(t *testing.T) {
	frame := query(t, newClient(t, &jobServer{jobs: fleet()}, nil), "trainingHealth", object{"statuses": []string{"running"}})[0]
	found := map[any]object{}
	for _, row := range rows(frame) {
		found[row["job"]] = row
	}
	for id, want := range map[string]struct{ finding, advice string }{
		"ftjob-healthy":  {"healthy", ""},
		"ftjob-diverges": {"diverging", "Stop it, and start again from a checkpoint before that, with a lower learning rate."},
		"ftjob-overfits": {"overfitting", "Stop it, and use the checkpoint of step 620 or the nearest."},
		"ftjob-stalled":  {"stalled", "Look at its nodes and its log, and cancel it if no step comes."},
	} {
		require.Equal(t, want.finding, found[id]["finding"], id)
		if want.advice != "" {
			require.Equal(t, want.advice, found[id]["advice"])
		}
	}
	require.Equal(t, noon.Add(-time.Hour), found["ftjob-stalled"]["since"])
	require.WithinDuration(t, noon.Add(-5*time.Minute), found["ftjob-diverges"]["since"].(time.Time), 2*time.Minute)
	// The most urgent first.
	severities := []any{}
	for _, row := range rows(frame) {
		severities = append(severities, row["severity"])
	}
	require.Equal(t, []any{"critical", "critical", "warning", "ok"}, severities)
}

// TestTrainingHealth_Finish has a job that made 300 of 1,000 steps in 30 minutes, and others of which one succeeded: it took 20 minutes after
// its last step. The query selects running jobs only, and the finish has these 20 minutes all the same.
func TestTrainingHealth_Finish(t *testing.T) {
	half := running("ftjob-half", "loss", falling(30))
	half.total, half.estimated = 1000, 30*time.Minute
	done := running("ftjob-done", "loss", falling(60))
	done.status, done.started, done.ended, done.total = "succeeded", 5*time.Hour, 5*time.Hour-80*time.Minute, 600
	// Of one that ended before its last step, and one that ends after the range, nothing is learned.
	stopped, future := done, done
	stopped.id, stopped.ended, stopped.total = "ftjob-stopped", time.Hour, 5000
	future.id, future.ended = "ftjob-future", -time.Hour
	c := newClient(t, &jobServer{jobs: []job{half, done, stopped, future}}, nil)
	found := rows(query(t, c, "trainingHealth", object{"format": "eta", "findings": []string{"overfitting"}, "statuses": []string{"running"}})[0])
	require.Len(t, found, 1)
	require.Equal(t, "ftjob-half", found[0]["job"])
	require.WithinDuration(t, noon.Add(90*time.Minute), found[0]["eta"].(time.Time), time.Second) // 700 steps of 6 s, and 20 minutes
	require.InDelta(t, 6, found[0]["seconds_per_step"], 0.01)
	require.InDelta(t, 0.3, found[0]["progress"], 0.001)
	require.Equal(t, "30 reported steps", found[0]["from"])
	require.True(t, found[0]["earliest"].(time.Time).Before(found[0]["latest"].(time.Time)))
	late := rows(query(t, c, "trainingHealth", object{"statuses": []string{"running"}})[0])[0]
	require.Equal(t, "late", late["finding"])
	require.Contains(t, late["evidence"], "By its steps it finishes 1 h 0 min after its estimate")
}

func TestTrainingHealth_FinishUnknown(t *testing.T) {
	paused := running("ftjob-paused", "loss", falling(30))
	paused.status, paused.total = "paused", 1000
	few := running("ftjob-few", "loss", falling(4))
	few.total = 1000
	stalled := fleet()[3]
	stalled.total = 1000
	c := newClient(t, &jobServer{jobs: []job{running("ftjob-endless", "loss", falling(30)), paused, few, stalled}}, nil)
	from := map[any]any{}
	for _, row := range rows(query(t, c, "trainingHealth", object{"format": "eta"})[0]) {
		require.Nil(t, row["eta"])
		from[row["job"]] = row["from"]
	}
	require.Equal(t, map[any]any{
		"ftjob-endless": "none: the number of steps is unknown", "ftjob-paused": "none: the status is paused",
		"ftjob-few": "none: too few points: 4", "ftjob-stalled": "none: no step comes",
	}, from)
}

// A gateway that lists the oldest events first may have more of a job than are read at once: the steps that are not read yet are no stall.
// Of more events than are kept, the newest are.
func TestTrainingHealth_ManyEvents(t *testing.T) {
	for _, events := range []int{1900, 6000} {
		long := job{id: "ftjob-1", status: "running", started: 2 * time.Hour, events: events}
		frame := query(t, newClient(t, &jobServer{jobs: []job{long}}, nil), "trainingHealth", object{})[0]
		require.Equal(t, "stalled", rows(frame)[0]["finding"])
	}
}

func TestTrainingHealth_EstimatePassed(t *testing.T) {
	overdue := running("ftjob-1", "loss", falling(60))
	overdue.estimated = -30 * time.Minute
	found := rows(query(t, newClient(t, &jobServer{jobs: []job{overdue}}, nil), "trainingHealth", object{})[0])
	require.Equal(t, "late", found[0]["finding"])
	require.Contains(t, found[0]["evidence"], "It was to finish 30 min ago.")
}

func TestTrainingHealth_Numbers(t *testing.T) {
	all := []string{"notFinite", "diverging", "stalled", "late", "overfitting"}
	for name, test := range map[string]struct {
		saved object
		kinds []string
	}{
		"all":    {object{"format": "number"}, all},
		"chosen": {object{"format": "number", "findings": []string{"diverging", "NotFinite"}}, []string{"notFinite", "diverging"}},
	} {
		t.Run(name, func(t *testing.T) {
			values := map[string]float64{}
			for _, frame := range query(t, newClient(t, &jobServer{jobs: fleet()}, nil), "trainingHealth", test.saved) {
				require.Equal(t, data.FrameTypeNumericMulti, frame.Meta.Type)
				field := frame.Fields[0]
				require.Equal(t, "llama", field.Labels["model"])
				values[field.Labels["job"]+" "+field.Labels["finding"]] = field.At(0).(float64)
			}
			require.Len(t, values, 4*len(test.kinds))
			for key, value := range values {
				wrong := map[string]bool{"ftjob-diverges diverging": true, "ftjob-overfits overfitting": true, "ftjob-stalled stalled": true}[key]
				require.InDelta(t, map[bool]float64{true: 1, false: 0}[wrong], value, 0, key)
			}
		})
	}
}

// TestTrainingHealth_NumberOfEnded has a value that was infinite: a rule on it resolves.
func TestTrainingHealth_NumberOfEnded(t *testing.T) {
	c := newClient(t, &jobServer{jobs: []job{running("ftjob-1", "loss", falling(20, "Infinity", 1, 1))}}, nil)
	found := query(t, c, "trainingHealth", object{"format": "number", "findings": []string{"notFinite"}})
	require.Len(t, found, 1)
	require.InDelta(t, 0, found[0].Fields[0].At(0), 0)
}

// Runs are looked at as they were at the end of the range: this one became not finite after it, and ended.
func TestTrainingHealth_AtTheEndOfTheRange(t *testing.T) {
	later := running("ftjob-1", "loss", falling(120))
	later.started, later.ended, later.status = 3*time.Hour, 10*time.Minute, "failed"
	for range 50 {
		later.metrics["loss"] = append(later.metrics["loss"], "NaN")
	}
	c := newClient(t, &jobServer{jobs: []job{later}}, nil)
	found, err := c.QueryData(t.Context(), backend.DataQuery{
		QueryType: "trainingHealth",
		JSON:      []byte(`{"format": "number", "findings": ["notFinite"]}`), TimeRange: backend.TimeRange{From: noon.Add(-24 * time.Hour), To: noon.Add(-time.Hour)},
	}, false)
	require.NoError(t, err)
	require.Equal(t, "ftjob-1", found[0].Fields[0].Labels["job"])
	require.Zero(t, found[0].Fields[0].At(0))
	require.Empty(t, query(t, c, "trainingHealth", object{"format": "number"})[0].Fields, "it has ended")
}

// Every member of a job but its id and status may be missing. Without times it is no run of a report, and its curves are examined.
func TestTrainingHealth_WithoutTimes(t *testing.T) {
	c := &runs.Client{Jobs: gateway{{Job: jobs.Job{ID: "timeless", Status: "running"}, Samples: []jobs.Sample{{Metric: "train_loss"}}}}}
	require.Equal(t, "tooFewPoints", rows(query(t, c, "trainingHealth", object{})[0])[0]["finding"])
	require.Equal(t, "none: the number of steps is unknown", rows(query(t, c, "trainingHealth", object{"format": "eta"})[0])[0]["from"])
}

func TestTrainingHealth_BlankVariables(t *testing.T) {
	c := newClient(t, &jobServer{jobs: fleet()}, nil)
	for option, want := range map[string]string{"metrics": "Metric: the variable has no value", "jobIds": "Job: the variable has no value"} {
		frame := query(t, c, "trainingHealth", object{option: " "})[0]
		require.Zero(t, frame.Rows())
		require.Contains(t, texts(data.Frames{frame}), want)
	}
	found := query(t, c, "trainingHealth", object{"findings": " ", "format": "number"})
	require.Empty(t, found[0].Fields)
	require.Contains(t, texts(found), "Findings: the variable has no value")
}

// What could not be read is a notice in a table. Numbers are an error: that of the job would be missing, and 0 of all others.
func TestTrainingHealth_NumbersAreComplete(t *testing.T) {
	broken := running("ftjob-broken", "loss", falling(20))
	broken.isBroken = true
	c := newClient(t, &jobServer{jobs: []job{broken, running("ftjob-1", "loss", falling(20))}}, nil)
	require.Contains(t, texts(query(t, c, "trainingHealth", object{})), "no such metrics")
	_, err := try(t.Context(), c, "trainingHealth", object{"format": "number"}, false)
	require.ErrorContains(t, err, "no such metrics")
}

func TestTrainingHealth_Annotations(t *testing.T) {
	c := newClient(t, &jobServer{jobs: fleet()}, nil)
	found := rows(query(t, c, "trainingHealth", object{"format": "annotations", "findings": []string{"diverging"}})[0])
	require.Len(t, found, 1)
	require.Contains(t, found[0]["title"], "Diverging from here on: ")
	require.Equal(t, found[0]["time"], found[0]["timeEnd"])
	require.Equal(t, "red", found[0]["color"])
}

// minutes are the values of a curve as a gauge that is sampled each minute.
func minutes(values []any) []float64 {
	var all []float64
	for _, value := range values {
		all = append(all, value.(float64))
	}
	return all
}

func TestTrainingHealth_Series(t *testing.T) {
	steps := make([]float64, 120)
	for i := range steps {
		steps[i] = float64(7 * i)
	}
	c := newClient(t, nil, pods{
		"falls": {"training_loss": minutes(falling(120))},
		"rises": {"training_loss": minutes(falling(60, 1.5, 1.8, 2.2, 2.6, 2.9))},
		"flat":  {"training_loss": minutes(flat(60))},
		"steps": {"training_step": steps},
	})
	frame := query(t, c, "trainingHealth", object{"expr": `{__name__=~"training_.*"}`})[0]
	found := map[any]any{}
	for _, row := range rows(frame) {
		require.Equal(t, "running", row["status"])
		found[row["pod_name"]] = row["finding"]
	}
	require.Equal(t, map[any]any{"falls": "healthy", "rises": "diverging", "flat": "healthy", "steps": "healthy"}, found)
	require.Contains(t, texts(data.Frames{frame}), "The name training_step does not say whether lower or higher values are better")
}

// TestTrainingHealth_Resumed has a job that goes on from a checkpoint: that it has not improved since its start can't be said.
func TestTrainingHealth_Resumed(t *testing.T) {
	resumed := running("ftjob-1", "loss", flat(60))
	resumed.from = 500
	c := newClient(t, &jobServer{jobs: []job{resumed}}, nil)
	require.Equal(t, "healthy", rows(query(t, c, "trainingHealth", object{})[0])[0]["finding"])
}

// TestTrainingHealth_SeriesAgain has a pod that ended and began again, after a gap: its loss is high again, and that is no divergence.
func TestTrainingHealth_SeriesAgain(t *testing.T) {
	gap := make([]any, 15)
	for i := range gap {
		gap[i] = float64(missing)
	}
	again := append(append(falling(60), gap...), falling(60)[:20]...)
	c := newClient(t, nil, pods{"again": {"training_loss": minutes(again)}})
	require.Equal(t, "healthy", rows(query(t, c, "trainingHealth", object{"expr": "training_loss"})[0])[0]["finding"])
}

// TestTrainingHealth_SeriesSeenInPart has a range that begins within a run: that it has not improved since can't be said.
func TestTrainingHealth_SeriesSeenInPart(t *testing.T) {
	c := newClient(t, nil, pods{"flat": {"training_loss": minutes(flat(24 * 60))}})
	require.Equal(t, "healthy", rows(query(t, c, "trainingHealth", object{"expr": "training_loss"})[0])[0]["finding"])
}

func TestTrainingHealth_Refused(t *testing.T) {
	c := newClient(t, &jobServer{}, nil)
	for name, test := range map[string]struct {
		saved object
		want  string
	}{
		"a format":               {object{"format": "graph"}, `Format: "graph" is not known. Use table, eta, number or annotations.`},
		"a finding":              {object{"findings": []string{"bad"}}, `Findings: "bad" is not known. Use eta, notFinite, `},
		"a finding that is gone": {object{"findings": []string{"plateau"}}, `"plateau" is not known. Use eta, notFinite, diverging, stalled, late or overfitting.`},
		"an emptied variable":    {object{"expr": " "}, "PromQL: the variable has no value. Choose one, or write the metric itself."},
		"an expression too long": {object{"expr": strings.Repeat("x", 9000)}, "PromQL: it has 9000 bytes, and the limit is 8192."},
		"an unknown job":         {object{"jobIds": "ftjob-none"}, "knows no job named ftjob-none"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := try(t.Context(), c, "trainingHealth", test.saved, false)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestTrainingHealth_ServiceMissing(t *testing.T) {
	noJobs, noMetrics := errors.New("no jobServer"), errors.New("no metrics")
	c := &runs.Client{JobsErr: noJobs, MetricsErr: noMetrics}
	_, err := try(t.Context(), c, "trainingHealth", object{}, false)
	require.ErrorIs(t, err, noJobs)
	_, err = try(t.Context(), c, "trainingHealth", object{"expr": "training_loss"}, false)
	require.ErrorIs(t, err, noMetrics)
}
