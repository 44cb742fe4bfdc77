package plugin_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// newGateway runs the simulator's gateway at noon, with jobs of every status and every edge case.
func newGateway(t *testing.T) (*platform.Platform, string) {
	t.Helper()
	p, address := newPlatform(t)
	return p, address + platform.TuningPath
}

func tuningDatasource(t *testing.T, address string) *plugin.Datasource {
	t.Helper()
	return newDatasourceWith(t, "", values{"intelligenceUrl": address},
		map[string]string{"inferenceApiKey": platform.DefaultInferenceAPIKey})
}

// ofMonth runs one query over the 30 days before noon.
func ofMonth(t *testing.T, ds *plugin.Datasource, saved values) data.Frames {
	t.Helper()
	return monthTo(t, ds, noon, saved)
}

// monthTo runs one query over the 30 days before now.
func monthTo(t *testing.T, ds *plugin.Datasource, now time.Time, saved values) data.Frames {
	t.Helper()
	q := dataQuery(t, "A", saved)
	q.TimeRange = backend.TimeRange{From: now.Add(-30 * 24 * time.Hour), To: now.Add(time.Minute)}
	response := runQueries(t, ds, q)["A"]
	require.NoError(t, response.Error)
	require.NotEmpty(t, response.Frames)
	return response.Frames
}

// column is a field's values, nil for null.
func column(t *testing.T, frame *data.Frame, name string) []any {
	t.Helper()
	field, _ := frame.FieldByName(name)
	require.NotNil(t, field, name)
	all := make([]any, field.Len())
	for i := range all {
		if value, ok := field.ConcreteAt(i); ok {
			all[i] = value
		}
	}
	return all
}

func TestSimulator_JobTable(t *testing.T) {
	_, address := newGateway(t)
	ds := tuningDatasource(t, address)
	all := values{"queryType": "fineTuningJobs", "onlyInRange": false}
	frame := ofMonth(t, ds, all)[0]
	// Details that take longer than the timeout are in a later result.
	for range 20 {
		if len(frame.Meta.Notices) == 0 {
			break
		}
		frame = ofMonth(t, ds, all)[0]
	}
	for _, status := range []string{"running", "succeeded", "failed", "cancelled", "paused", "queued", "pending", "validating_files", "stopping_soon"} {
		require.Contains(t, column(t, frame, "status"), status)
	}
	started := 0
	for row, status := range column(t, frame, "status") {
		require.NotNil(t, column(t, frame, "job_id")[row])
		require.NotEqual(t, 0.0, column(t, frame, "queue_time")[row])
		if column(t, frame, "started")[row] != nil {
			started++
		}
		if status == "queued" {
			require.Nil(t, column(t, frame, "started")[row])
		}
		if status != "failed" {
			require.Nil(t, column(t, frame, "error")[row], "an error of a healthy job is none")
		}
	}
	require.Greater(t, started, frame.Rows()/2)
}

func TestSimulator_EveryTuningQuery(t *testing.T) {
	p, address := newGateway(t)
	ds := tuningDatasource(t, address)
	checkpoints := ofMonth(t, ds, values{"queryType": "fineTuningCheckpoints"})[0]
	require.Greater(t, checkpoints.Rows(), 50)
	losses := column(t, checkpoints, "train_loss")
	require.NotEmpty(t, losses)

	curves := ofMonth(t, ds, values{"queryType": "fineTuningCurves", "metrics": []string{"train_loss"}})
	require.Greater(t, len(curves), 10)
	for _, frame := range curves {
		require.Equal(t, "train_loss", frame.Fields[1].Labels["metric"])
		require.Positive(t, frame.Rows())
	}
	// A gateway without the extension has the same values in checkpoints and events.
	p.Inject(platform.Fault{Service: platform.ServiceTuning, Path: "/metrics$", Status: http.StatusNotFound, Body: `{"error":{"message":"no"}}`})
	require.Greater(t, len(ofMonth(t, tuningDatasource(t, address), values{"queryType": "fineTuningCurves", "metrics": []string{"train_loss"}})), 10)

	steps := ofMonth(t, ds, values{"queryType": "fineTuningCurves", "xAxis": "step"})[0]
	require.Equal(t, "step", steps.Fields[0].Name)
	require.Positive(t, steps.Rows())

	events := ofMonth(t, ds, values{"queryType": "fineTuningEvents"})[0]
	require.Equal(t, data.FrameTypeLogLines, events.Meta.Type)
	require.Greater(t, events.Rows(), 100)

	require.Positive(t, ofMonth(t, ds, values{"queryType": "trainingFiles"})[0].Rows())

	annotations := ofMonth(t, ds, values{"queryType": "fineTuningAnnotations", "show": []string{"jobs", "checkpoints", "statusChanges"}, "draw": "points"})[0]
	ids := map[any]bool{}
	for row, id := range column(t, annotations, "id") {
		require.False(t, ids[id], "%v is there twice", id)
		ids[id] = true
		for _, field := range annotations.Fields {
			_, known := field.ConcreteAt(row)
			require.True(t, known)
		}
		require.False(t, annotations.Fields[1].At(row).(time.Time).Before(annotations.Fields[0].At(row).(time.Time)))
	}
	require.Greater(t, len(ids), 100)

	timeline := ofMonth(t, ds, values{"queryType": "fineTuningJobs", "format": "timeline"})[0]
	require.Equal(t, data.FieldTypeTime, timeline.Fields[0].Type())
	require.Greater(t, len(timeline.Fields), 10)
	for _, count := range ofMonth(t, ds, values{"queryType": "fineTuningJobs", "format": "count", "statuses": []string{"failed", "nobody_has_this"}}) {
		require.Equal(t, 1, count.Rows())
	}
	require.Zero(t, p.Counters().Count(platform.ServiceTuning, "unknown", -1))
}

func TestDownload_LargeCheckpoint(t *testing.T) {
	_, address := newGateway(t)
	ds := tuningDatasource(t, address)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got := 0
	_ = ds.CallResource(ctx, &backend.CallResourceRequest{
		Method: http.MethodGet, Path: "checkpoints/" + platform.LargeCheckpointID + "/content", PluginContext: asRole("Editor"),
	}, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
		if got == 0 {
			require.Equal(t, []byte("PK"), r.Body[:2], "a zip archive")
		}
		if got += len(r.Body); got > 64<<20 {
			cancel() // enough seen
		}
		return nil
	}))
	require.Greater(t, got, 64<<20)
	require.Less(t, got, 512<<20, "a canceled request stops the download")
}
