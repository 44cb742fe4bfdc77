package alerts_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// scene is a platform at a given time.
type scene struct {
	at     time.Time
	config platform.Config
	faults []platform.Fault
	// price of a kilowatt-hour, or 0.
	price float64
}

func now(at time.Time, incidents ...scenario.Incident) scene {
	return scene{at: at, config: platform.Config{Incidents: incidents}}
}

// with has a list of a service respond with a body.
func (s scene) with(service, path, body string) scene {
	s.faults = append(s.faults, platform.Fault{Service: service, Path: path, Status: http.StatusOK, Body: body})
	return s
}

// room is a main API with a number of available machines where the project has quota for them. The simulator can't replace it, because
// signatures are valid only near the present, at which the simulator has machines.
func room(machines int) scene {
	s := now(today).with(platform.ServiceMain, "/capacities$", fmt.Sprintf(
		`{"items":[{"type":"h100.8x","location":"us-east1-a","quantity":%d,"quota_type":"gpus.h100"},{"type":"h100.8x","location":"eu-north1-a","quantity":0,"quota_type":"gpus.h100"}]}`, machines))
	for path, items := range map[string]string{
		"/quotas$":             `{"name":"gpus.h100","location":"us-east1-a","limit":100,"used":20},{"name":"gpus.h100","location":"eu-north1-a","limit":100,"used":100}`,
		"/types$":              `{"product_name":"h100.8x","num_gpu":8,"gpu_type":"h100"}`,
		"/kubernetes/|/slurm/": "",
	} {
		s = s.with(platform.ServiceMain, path, `{"items":[`+items+`]}`)
	}
	return s
}

// quota is a main API with a quota of 100 of which so much is used, and others that are not the project's.
func quota(used int) scene {
	return now(today).with(platform.ServiceMain, "/quotas$", fmt.Sprintf(
		`{"items":[{"name":"gpus.h100","location":"us-east1-a","limit":100,"used":%d},{"name":"gpus.b200","location":"us-east1-a","limit":0,"used":0},{"name":"jobs","limit":-1,"used":5}]}`, used))
}

// sharedDisk is a main API whose disks have a size, in bytes.
func sharedDisk(size float64) scene {
	return now(today).with(platform.ServiceMain, "/disks$", fmt.Sprintf(
		`{"items":[{"id":"d1","name":"pretraining-shared","size_bytes":%[1]g},{"id":"d2","name":"boot","size_bytes":1},{"id":"d3","name":"boot","size_bytes":1}]}`, size))
}

// lastCheckpoint is a time at which jobs have written two checkpoints, the last so long ago.
func lastCheckpoint(at time.Time, ago time.Duration) scene {
	last := at.Add(-ago).Unix()
	return now(at).with(platform.ServiceTuning, "/checkpoints$", fmt.Sprintf(
		`{"object":"list","data":[{"id":"a","step_number":10,"created_at":%d},{"id":"b","step_number":20,"created_at":%d}]}`, last-600, last))
}

// priced is a time, with a price of energy.
func priced(at time.Time, kilowattHour float64) scene {
	s := now(at)
	s.price = kilowattHour
	return s
}

// act starts the platform of a scene, and returns a data source for it.
func (s scene) act(t *testing.T) *plugin.Datasource {
	t.Helper()
	s.config.Now = func() time.Time { return s.at }
	p := platform.New(s.config)
	for _, fault := range s.faults {
		p.Inject(fault)
	}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	jsonData, secrets := datasource.Settings(server.URL)
	jsonData["prices"] = map[string]any{"kilowattHour": s.price}
	return datasource.New(t, jsonData, secrets)
}

// expectation is the expected result of a rule.
type expectation struct {
	fires scene
	// says is part of the description of the first alert.
	says string
	// labels are some labels of an alerting instance.
	labels data.Labels
	// state while it fires: alerting if empty.
	state string
	quiet scene
	// silent is true if the rule has no data instead of normal instances while it does not fire.
	silent bool
}

func expectations(t *testing.T) map[string]expectation {
	t.Helper()
	training := training(t)
	unreachable := now(today)
	unreachable.faults = []platform.Fault{{Service: platform.ServiceMetrics, Status: http.StatusForbidden}}
	return map[string]expectation{
		"platform-unreachable": {fires: unreachable, state: failed, quiet: now(today)},
		"job-failed":           {fires: now(failure(t)), says: "Job pretraining-", labels: data.Labels{"status": "failed"}, quiet: now(training), silent: true},
		"job-overdue":          {fires: now(training, scenario.Late), says: "Job pretraining-", labels: data.Labels{"finding": "late"}, quiet: now(training)},
		"job-loss":             {fires: now(diverging(t, 0.9)), says: "A loss or an accuracy of job pretraining-", labels: data.Labels{"finding": "diverging"}, quiet: now(training)},
		"job-stalled":          {fires: now(training, scenario.Stall), labels: data.Labels{"finding": "stalled"}, quiet: now(training)},
		"run-utilization":      {fires: now(training, scenario.Stall), says: "% on average", quiet: now(training)},
		"run-checkpoint":       {fires: lastCheckpoint(training, 31*time.Minute), says: "no checkpoint for 31m 0s; usually it takes 10m", quiet: lastCheckpoint(training, 29*time.Minute)},
		"run-budget":           {fires: priced(training, 1000), says: "has cost", quiet: priced(training, 0.25)},
		"training-loss":        {fires: now(diverging(t, 0.9)), quiet: now(training)},
		"quota-nearly-used":    {fires: quota(91), says: "91 of 100 of the quota gpus.h100 in us-east1-a", labels: data.Labels{"name": "gpus.h100"}, quiet: quota(89)},
		"shared-disk-full":     {fires: sharedDisk(1e12), says: "Shared disk pretraining-shared is used", labels: data.Labels{"disk_name": "pretraining-shared"}, quiet: sharedDisk(9e14)},
		"gpus-free":            {fires: room(8), says: "64 h100 can run on new machines in us-east1-a.", labels: data.Labels{"type": "h100", "location": "us-east1-a"}, quiet: room(7)},
	}
}

// TestRules_OfLists has the rules on jobs, runs and lists, on the simulated platform. The others are in TestRules_OfSeries.
func TestRules_OfLists(t *testing.T) {
	all, expected := rules(t), expectations(t)
	tested := slices.AppendSeq(slices.Collect(maps.Keys(expected)), maps.Keys(changes()))
	require.Equal(t, slices.Sorted(slices.Values(tested)), slices.Sorted(maps.Keys(all)), "every rule is tested once")
	for id, want := range expected {
		rule := all[id]
		t.Run(id+" fires throughout the pending period", func(t *testing.T) {
			ds := want.fires.act(t)
			for _, at := range []time.Time{want.fires.at.Add(-time.Duration(rule.For)), want.fires.at} {
				fired := inState(evaluate(t, ds, rule, at), cmp.Or(want.state, alerting))
				require.NotEmpty(t, fired, "%s", at)
				require.True(t, slices.ContainsFunc(fired, func(i instance) bool { return i.labels.Contains(want.labels) }),
					"no alert has %s; the first has %s", want.labels, fired[0].labels)
				readable(t, rule, fired)
				require.Contains(t, expand(t, rule, fired[0])["description"], want.says)
			}
		})
		t.Run(id+" is quiet", func(t *testing.T) {
			found := evaluate(t, want.quiet.act(t), rule, want.quiet.at)
			state := normal
			if want.silent {
				state = noData
				require.Equal(t, "OK", rule.NoDataState)
			}
			require.Empty(t, inState(found, alerting))
			require.Len(t, inState(found, state), len(found), "%+v", found)
			readable(t, rule, found)
		})
	}
}

func TestRules_LossNaN(t *testing.T) {
	scene := now(diverging(t, 0.985))
	fired := inState(evaluate(t, scene.act(t), rules(t)["training-loss"], scene.at), alerting)
	require.NotEmpty(t, fired)
	require.True(t, slices.ContainsFunc(fired, func(i instance) bool { return i.labels["finding"] == "notFinite" }))
	readable(t, rules(t)["training-loss"], fired)
}

func TestRules_OutageIsNotEmpty(t *testing.T) {
	outage := now(today)
	outage.faults = []platform.Fault{{Status: http.StatusForbidden}}
	ds := outage.act(t)
	for id, rule := range rules(t) {
		t.Run(id, func(t *testing.T) {
			found := evaluate(t, ds, rule, today)
			require.Len(t, inState(found, failed), 1, "%+v", found)
			want := "KeepLast"
			if id == "platform-unreachable" {
				want = "Error"
			}
			require.Equal(t, want, rule.ExecErrState)
			readable(t, rule, found)
		})
	}
}

func inState(all []instance, state string) []instance {
	found := slices.DeleteFunc(slices.Clone(all), func(i instance) bool { return i.state != state })
	// Sorted, so that failures are reproducible.
	slices.SortFunc(found, func(a, b instance) int { return cmp.Compare(a.labels.String(), b.labels.String()) })
	return found
}

// today is a Wednesday afternoon without an obvious incident.
var today = time.Date(2026, 5, 20, 15, 4, 0, 0, time.UTC)

// month is the scenario of the four weeks before today, to find times of events.
func month() (s *scenario.Scenario, from, to int64) {
	s = scenario.New(scenario.Config{Nodes: 8, GPUsPerNode: 8, Now: today})
	return s, today.Add(-28 * 24 * time.Hour).UnixMilli(), today.UnixMilli()
}

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// jobWhere finds a job of the month.
func jobWhere(t *testing.T, is func(scenario.Job) bool) scenario.Job {
	t.Helper()
	s, from, to := month()
	for _, job := range s.Jobs(from, to) {
		if is(job) {
			return job
		}
	}
	require.FailNow(t, "there is no such job in the month")
	return scenario.Job{}
}

// training is 40 minutes into a stretch of training on the largest pool.
func training(t *testing.T) time.Time {
	t.Helper()
	const while = int64(45 * time.Minute / time.Millisecond)
	var start int64
	jobWhere(t, func(j scenario.Job) bool {
		for _, p := range j.Phases {
			if j.NodePool == scenario.Pretraining && p.Kind == scenario.Training && p.End-p.Start > while {
				start = p.Start
				return true
			}
		}
		return false
	})
	return at(start).Add(40 * time.Minute)
}

// failure is 5 minutes after a job failed.
func failure(t *testing.T) time.Time {
	t.Helper()
	job := jobWhere(t, func(j scenario.Job) bool { return j.Outcome == scenario.Failed })
	return at(job.Finished).Add(5 * time.Minute)
}

// diverging is the time at which a job whose loss diverges has completed a share of its steps.
func diverging(t *testing.T, share float64) time.Time {
	t.Helper()
	job := jobWhere(t, func(j scenario.Job) bool {
		return j.Failure == scenario.FailureDiverged && j.Finished-j.Started > int64(time.Hour/time.Millisecond)
	})
	when, ok := job.TimeOf(int(share * float64(job.Step(job.Finished))))
	require.True(t, ok)
	return at(when)
}
