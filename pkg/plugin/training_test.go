package plugin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// trainingPlatform is a simulator with incidents.
type trainingPlatform struct {
	*platform.Platform
	ds *plugin.Datasource
}

// newTrainingPlatform has its clock at a time at which jobs of all pools run and have made a third of their steps, so that there is
// something to see in their curves.
func newTrainingPlatform(t *testing.T, incidents ...scenario.Incident) (trainingPlatform, time.Time) {
	t.Helper()
	for now := noon; now.Before(noon.Add(7 * 24 * time.Hour)); now = now.Add(30 * time.Minute) {
		calm := platform.New(platform.Config{Now: func() time.Time { return now }})
		running := 0
		for _, job := range calm.Trainings(now.Add(-time.Minute), now) {
			if job.Finish.After(now.Add(time.Hour)) && job.Step*3 > job.Steps && job.Step*5 < job.Steps*4 {
				running++
			}
		}
		if running < 3 {
			continue
		}
		p, address := newPlatformWith(t, platform.Config{Incidents: incidents, Now: func() time.Time { return now }})
		return trainingPlatform{p, newDatasourceWith(t, address, values{"intelligenceUrl": address + platform.TuningPath}, map[string]string{
			"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": platform.DefaultInferenceAPIKey,
		})}, now
	}
	t.Fatal("at no time do three jobs run")
	return trainingPlatform{}, noon
}

// try runs a query of the type over the day before now.
func (p trainingPlatform) try(t *testing.T, now time.Time, saved values) backend.DataResponse {
	t.Helper()
	saved["queryType"] = "trainingHealth"
	q := dataQuery(t, "A", saved)
	q.TimeRange = backend.TimeRange{From: now.Add(-24 * time.Hour), To: now}
	return runQueries(t, p.ds, q)["A"]
}

func (p trainingPlatform) frames(t *testing.T, now time.Time, saved values) data.Frames {
	t.Helper()
	response := p.try(t, now, saved)
	require.NoError(t, response.Error)
	return response.Frames
}

// rowsOf are the rows of a table.
func rowsOf(frame *data.Frame) []map[string]any {
	rows := make([]map[string]any, frame.Rows())
	for i := range rows {
		rows[i] = map[string]any{}
		for _, field := range frame.Fields {
			if value, ok := field.ConcreteAt(i); ok {
				rows[i][field.Name] = value
			}
		}
	}
	return rows
}

// findingsOf are the findings of a table that still are the case, by job.
func findingsOf(frame *data.Frame) map[any][]any {
	found := map[any][]any{}
	for _, row := range rowsOf(frame) {
		if row["until"] == nil {
			found[row["job"]] = append(found[row["job"]], row["finding"])
		}
	}
	return found
}

var running = []string{"running"}

func TestTrainingHealth_Jobs(t *testing.T) {
	p, now := newTrainingPlatform(t, scenario.BadTraining)
	frame := p.frames(t, now, values{"statuses": running})[0]
	require.Equal(t, []string{
		"run", "status", "severity", "finding", "metric", "better", "since", "since_step", "until", "value", "evidence", "certainty", "advice",
		"job", "job_name", "model",
	}, fieldNames(frame))
	found := findingsOf(frame)
	expected := map[scenario.Pathology]string{scenario.Diverges: "diverging", scenario.Overfits: "overfitting", scenario.TurnsNaN: "notFinite"}
	seen := map[scenario.Pathology]bool{}
	for _, job := range p.Trainings(now.Add(-time.Minute), now) {
		if job.Pathology == "" {
			require.NotContains(t, found[job.ID], "diverging")
			continue
		}
		require.Contains(t, found[job.ID], expected[job.Pathology], job.ID)
		seen[job.Pathology] = true
		for _, row := range rowsOf(frame) {
			if row["job"] == job.ID && row["finding"] == expected[job.Pathology] {
				// A curve of the gateway has at most 150 points, of which a finding takes some.
				late := job.Finish.Sub(*job.Since) / 10
				require.WithinRange(t, row["since"].(time.Time), job.Since.Add(-late), job.Since.Add(late), job.ID)
				require.Equal(t, "lower", row["better"])
				require.NotEmpty(t, row["evidence"])
				require.Contains(t, row["advice"], "Stop it")
			}
		}
	}
	require.Len(t, seen, 3)
	// The most urgent first.
	require.Equal(t, "critical", rowsOf(frame)[0]["severity"])
}

func TestTrainingHealth_NothingWrong(t *testing.T) {
	p, now := newTrainingPlatform(t)
	rows := rowsOf(p.frames(t, now, values{"statuses": running})[0])
	require.GreaterOrEqual(t, len(rows), 3)
	for _, row := range rows {
		require.NotEqual(t, "critical", row["severity"], row)
	}
	require.Equal(t, "healthy", rows[len(rows)-1]["finding"])
	require.Contains(t, rows[len(rows)-1]["evidence"], "Nothing was found in ")
}

func TestTrainingHealth_Stalled(t *testing.T) {
	p, now := newTrainingPlatform(t, scenario.Stall)
	later := now.Add(time.Hour)
	q := dataQuery(t, "A", values{"queryType": "trainingHealth", "statuses": running})
	q.TimeRange = backend.TimeRange{From: now.Add(-24 * time.Hour), To: later}
	hanging := 0
	for _, job := range p.Trainings(now.Add(-time.Minute), now) {
		if job.Hangs != nil {
			hanging++
		}
	}
	require.Positive(t, hanging)
	// The pods' metrics come each minute, those of the gateway only with a step.
	for name, query := range map[string]values{
		"jobs":   {"statuses": running},
		"series": {"expr": `training_step{metrics_source="custom-metrics"}`},
	} {
		t.Run(name, func(t *testing.T) {
			stalled := 0
			for _, row := range rowsOf(p.frames(t, now, query)[0]) {
				if row["finding"] == "stalled" {
					stalled++
					require.Greater(t, row["value"], 900.0)
					require.Contains(t, row["evidence"], "is usual")
				}
			}
			require.Positive(t, stalled)
		})
	}
}

func TestTrainingHealth_ETA(t *testing.T) {
	p, now := newTrainingPlatform(t)
	truth := map[string]platform.Training{}
	for _, job := range p.Trainings(now.Add(-time.Minute), now) {
		truth[job.ID] = job
	}
	frame := p.frames(t, now, values{"format": "eta"})[0]
	require.Equal(t, []string{
		"run", "status", "progress", "step", "total_steps", "eta", "earliest", "latest", "left", "estimated_finish", "behind", "seconds_per_step",
		"from", "job", "job_name", "model",
	}, fieldNames(frame))
	known := 0
	for _, row := range rowsOf(frame) {
		job, ok := truth[row["job"].(string)]
		if !ok || row["eta"] == nil {
			continue
		}
		known++
		left := job.Finish.Sub(now)
		require.WithinDuration(t, job.Finish, row["eta"].(time.Time), left/5, job.ID)
		require.True(t, row["earliest"].(time.Time).Before(row["latest"].(time.Time)))
		require.InDelta(t, float64(job.Steps), row["total_steps"], 0)
		require.True(t, job.Planned.Truncate(time.Second).Equal(row["estimated_finish"].(time.Time)))
	}
	require.GreaterOrEqual(t, known, 3)
}

func TestTrainingHealth_Late(t *testing.T) {
	p, now := newTrainingPlatform(t, scenario.Late)
	late := 0
	for _, row := range rowsOf(p.frames(t, now, values{"statuses": running})[0]) {
		if row["finding"] == "late" {
			late++
			require.Contains(t, row["evidence"], "It was to finish 30 min ago.")
		}
	}
	require.GreaterOrEqual(t, late, 3)
}

func TestTrainingHealth_Numbers(t *testing.T) {
	p, now := newTrainingPlatform(t, scenario.BadTraining)
	for name, test := range map[string]struct {
		query values
		kinds []string
	}{
		"all":    {values{"format": "number"}, []string{"notFinite", "diverging", "stalled", "late", "overfitting", "plateau", "spike", "eta"}},
		"chosen": {values{"format": "number", "findings": []string{"diverging", "NotFinite"}}, []string{"notFinite", "diverging"}},
	} {
		t.Run(name, func(t *testing.T) {
			kinds, wrong := map[string]int{}, 0.0
			for _, frame := range p.frames(t, now, test.query) {
				require.Equal(t, data.FrameTypeNumericMulti, frame.Meta.Type)
				field := frame.Fields[0]
				kinds[field.Labels["finding"]]++
				require.NotEmpty(t, field.Labels["job"])
				value, err := field.FloatAt(0)
				require.NoError(t, err)
				if field.Name == "eta" {
					require.Equal(t, "s", field.Config.Unit)
					continue
				}
				require.Contains(t, []float64{0, 1}, value)
				wrong += value
			}
			require.GreaterOrEqual(t, wrong, 2.0)
			require.Len(t, kinds, len(test.kinds))
			for _, kind := range test.kinds {
				require.Positive(t, kinds[kind], kind)
			}
		})
	}
}

func TestTrainingHealth_Annotations(t *testing.T) {
	p, now := newTrainingPlatform(t, scenario.BadTraining)
	frame := p.frames(t, now, values{"format": "annotations", "findings": []string{"diverging", "notFinite"}})[0]
	require.Equal(t, []string{"time", "timeEnd", "title", "text", "tags", "id", "color"}, fieldNames(frame))
	var titles []string
	for _, row := range rowsOf(frame) {
		titles = append(titles, row["title"].(string))
		require.Equal(t, row["time"], row["timeEnd"])
	}
	require.Contains(t, strings.Join(titles, "\n"), "Diverging since ")
}

func TestTrainingHealth_Series(t *testing.T) {
	p, now := newTrainingPlatform(t, scenario.BadTraining)
	for name, expr := range map[string]string{
		"a metric":       `training_loss{metrics_source="custom-metrics"}`,
		"an aggregation": `max by (pod_name) (training_loss{metrics_source="custom-metrics"})`,
	} {
		t.Run(name, func(t *testing.T) {
			found := map[any]bool{}
			for _, row := range rowsOf(p.frames(t, now, values{"expr": expr})[0]) {
				require.NotEmpty(t, row["pod_name"])
				if row["status"] == "running" && row["until"] == nil {
					found[row["finding"]] = true
				}
			}
			require.True(t, found["diverging"])
			require.True(t, found["notFinite"])
		})
	}
}

// curveGateway has a running job with as many points of a metric.
func curveGateway(t *testing.T, metric string, values []any) string {
	t.Helper()
	started := noon.Add(-50 * time.Minute).Unix()
	return serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := `{"object":"list","data":[],"has_more":false}`
		switch {
		case strings.HasSuffix(r.URL.Path, "/jobs/ftjob-1"):
			body = encode(map[string]any{"id": "ftjob-1", "status": "running", "created_at": started, "model": "llama"})
		case strings.HasSuffix(r.URL.Path, "/metrics"):
			var points []any
			for i, value := range values {
				points = append(points, map[string]any{"step": 10 * (i + 1), "timestamp": started + int64(60*(i+1)), "value": value})
			}
			body = encode(map[string]any{"metrics": []any{map[string]any{"metric_name": metric, "data": points}}})
		}
		_, _ = w.Write([]byte(body))
	})
}

func TestTrainingHealth_Answers(t *testing.T) {
	falling := func(count int, more ...any) []any {
		var all []any
		for i := range count {
			all = append(all, 3-2*float64(i)/float64(count))
		}
		return append(all, more...)
	}
	for name, test := range map[string]struct {
		metric            string
		values            []any
		finding, evidence string
	}{
		"too few points":                     {"loss", falling(4), "tooFewPoints", "Too few points: 4, and it takes 10: train_loss."},
		"a text that is not a number":        {"loss", falling(20, "NaN"), "notFinite", "The newest 1 value is not a number"},
		"infinite texts":                     {"loss", falling(20, "Infinity", "-Infinity"), "notFinite", "The newest 2 values are not a number"},
		"an accuracy that rises is good":     {"accuracy", []any{.1, .2, .3, .4, .45, .5, .55, .6, .62, .64, .66, .68}, "healthy", "Nothing was found in 12 points: accuracy."},
		"an accuracy that falls is not":      {"accuracy", []any{.1, .2, .3, .4, .5, .6, .65, .7, .7, .7, .5, .4, .3, .2, .1, .1}, "diverging", "below the best"},
		"a loss that rises":                  {"loss", falling(30, 1.5, 1.8, 2.2, 2.6, 2.9), "diverging", "above the best"},
		"one outlier that comes back":        {"loss", falling(20, 9, 1, 1, 1, 1, 1), "spike", "and came back."},
		"values of a metric without a sense": {"grad_norm", falling(20), "tooFewPoints", "Too few points: none"},
	} {
		t.Run(name, func(t *testing.T) {
			address := curveGateway(t, test.metric, test.values)
			p := trainingPlatform{ds: newDatasourceWith(t, address, values{"intelligenceUrl": address}, map[string]string{"inferenceApiKey": "k"})}
			rows := rowsOf(p.frames(t, noon.Add(-50*time.Minute+time.Duration(len(test.values)+1)*time.Minute), values{"jobIds": "ftjob-1"})[0])
			require.NotEmpty(t, rows)
			require.Equal(t, test.finding, rows[0]["finding"])
			require.Contains(t, rows[0]["evidence"], test.evidence)
		})
	}
}

func TestTrainingHealth_Refused(t *testing.T) {
	p, now := newTrainingPlatform(t)
	for name, test := range map[string]struct {
		query values
		want  string
	}{
		"a format":                 {values{"format": "graph"}, `Format: "graph" is not known. Use table, eta, number or annotations.`},
		"a finding":                {values{"findings": []string{"bad"}}, `Findings: "bad" is not known. Use eta, notFinite, `},
		"an expression too long":   {values{"expr": strings.Repeat("x", 9000)}, "PromQL: it has 9000 bytes, and the limit is 8192."},
		"an expression's mistakes": {values{"expr": "rate("}, "parse error"},
		"an unknown job":           {values{"jobIds": "ftjob-none"}, "knows no job named ftjob-none"},
	} {
		t.Run(name, func(t *testing.T) {
			response := p.try(t, now, test.query)
			require.ErrorContains(t, response.Error, test.want)
		})
	}
}

func TestTrainingHealth_ServiceMissing(t *testing.T) {
	_, address := newPlatform(t)
	p := trainingPlatform{ds: newDatasource(t, address, nil)}
	require.ErrorContains(t, p.try(t, noon, values{}).Error, "gateway")
	require.NoError(t, p.try(t, noon, values{"expr": "training_loss"}).Error)
}
