package alerts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
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

// scene is a platform at a given time.
type scene struct {
	at     time.Time
	config platform.Config
	fault  *platform.Fault
}

func now(at time.Time, incidents ...scenario.Incident) scene {
	return scene{at: at, config: platform.Config{Incidents: incidents}}
}

// offering is a main API with a number of available machines. The simulator can't replace it, because signatures are valid
// only near the present, at which the simulator has machines.
func offering(machines int) scene {
	s := now(today)
	s.fault = &platform.Fault{Service: platform.ServiceMain, Path: "/capacities$", Status: http.StatusOK, Body: fmt.Sprintf(
		`{"items":[{"type":"h100.8x","location":"us-east1-a","quantity":%d},{"type":"h100.8x","location":"eu-north1-a","quantity":0}]}`, machines)}
	return s
}

// act starts the platform of a scene, and returns a data source for it.
func (s scene) act(t *testing.T) *plugin.Datasource {
	t.Helper()
	s.config.Now = func() time.Time { return s.at }
	p := platform.New(s.config)
	if s.fault != nil {
		p.Inject(*s.fault)
	}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	jsonData, err := json.Marshal(map[string]any{
		"baseUrl": server.URL, "projectId": platform.DefaultProjectID, "intelligenceUrl": server.URL + platform.TuningPath,
		"accessKeyId": platform.DefaultAccessKeyID,
	})
	require.NoError(t, err)
	made, err := plugin.New(context.Background(), backend.DataSourceInstanceSettings{
		UID: "gpucloud", JSONData: jsonData, DecryptedSecureJSONData: map[string]string{
			"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": platform.DefaultInferenceAPIKey,
			"secretKey": platform.DefaultSecretKey,
		},
	})
	require.NoError(t, err)
	ds := made.(*plugin.Datasource)
	t.Cleanup(ds.Dispose)
	return ds
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
	training, idle, incident := training(t), idle(t), incident(t)
	unreachable := now(today)
	unreachable.fault = &platform.Fault{Service: platform.ServiceMetrics, Status: http.StatusForbidden}
	return map[string]expectation{
		"platform-unreachable": {fires: unreachable, state: failed, quiet: now(today)},
		"gpu-idle":             {fires: now(training, scenario.Stall), labels: data.Labels{"vm_name": "gpu-node-0001"}, quiet: now(training), silent: true},
		"gpu-hot":              {fires: now(training), labels: data.Labels{"vm_name": "gpu-node-0003"}, quiet: now(idle)},
		"gpu-xid":              {fires: now(incident.Add(20 * time.Minute)), quiet: now(incident.Add(-time.Hour)), silent: true},
		"gpu-ecc":              {fires: now(incident.Add(20 * time.Minute)), quiet: now(incident.Add(-time.Hour)), silent: true},
		"gpu-straggler":        {fires: now(training), labels: data.Labels{"vm_name": "gpu-node-0003", "gpu": "5"}, quiet: now(idle)},
		"infiniband-link-down": {fires: now(today, scenario.LinkFlap), labels: data.Labels{"hca_number": "3"}, quiet: now(today), silent: true},
		"infiniband-errors": {
			fires: now(today, scenario.LinkFlap), labels: data.Labels{"hca_number": "3", "event": "packets with errors"}, quiet: now(today)},
		"disk-nearly-full":   {fires: now(today, scenario.FullDisk), labels: data.Labels{"mount_point": "/data"}, quiet: now(today)},
		"load-balancer-drop": {fires: now(today, scenario.LostTraffic), labels: data.Labels{"elb_name": "inference-gateway"}, quiet: now(today)},
		"slurm-nodes-down":   {fires: now(incident.Add(5*time.Hour + 30*time.Minute)), quiet: now(training)},
		"job-failed":         {fires: now(failure(t)), says: "Job pretraining-", labels: data.Labels{"status": "failed"}, quiet: now(training), silent: true},
		"job-overdue":        {fires: now(training, scenario.Late), says: "Job pretraining-", labels: data.Labels{"status": "running"}, quiet: now(training)},
		"job-loss":           {fires: now(diverging(t, 0.9)), says: "The training loss of job pretraining-", labels: data.Labels{"metric": "train_loss"}, quiet: now(training)},
		"training-loss":      {fires: now(diverging(t, 0.9)), quiet: now(training)},
		"capacity-available": {fires: offering(2), labels: data.Labels{"type": "h100.8x"}, quiet: offering(0)},
	}
}

func TestRules_FireAndResolve(t *testing.T) {
	testRules(t, func(*platform.Config) {})
}

// TestRules_DCGM46Names evaluates the rules on a platform whose exporter serves DCGM's fields under their new names.
func TestRules_DCGM46Names(t *testing.T) {
	testRules(t, func(c *platform.Config) { c.Exporter.NewNames = true })
}

// TestRules_SpecificationOnly evaluates the rules on a platform with the documented operations only. Rules that need the list
// of jobs fail with an error about it.
func TestRules_SpecificationOnly(t *testing.T) {
	testRules(t, func(c *platform.Config) { c.SpecOnly = true })
}

// listsJobs reports whether a rule needs the gateway's list of jobs.
func (r rule) listsJobs() bool {
	return slices.ContainsFunc(r.Data, func(n node) bool {
		kind, _ := n.Model["queryType"].(string)
		return strings.HasPrefix(kind, "fineTuning")
	})
}

func testRules(t *testing.T, change func(*platform.Config)) {
	all, expected := rules(t), expectations(t)
	require.Equal(t, slices.Sorted(maps.Keys(expected)), slices.Sorted(maps.Keys(all)), "every rule has an expectation")
	for id, want := range expected {
		rule := all[id]
		change(&want.fires.config)
		change(&want.quiet.config)
		if want.fires.config.SpecOnly && rule.listsJobs() {
			found := inState(evaluate(t, want.fires.act(t), rule, want.fires.at), failed)
			require.Len(t, found, 1, id)
			require.ErrorContains(t, found[0].err, "Choose jobs by id.")
			continue
		}
		t.Run(id+" fires throughout the pending period", func(t *testing.T) {
			ds := want.fires.act(t)
			for _, at := range []time.Time{want.fires.at.Add(-time.Duration(rule.For)), want.fires.at} {
				fired := inState(evaluate(t, ds, rule, at), orAlerting(want.state))
				require.NotEmpty(t, fired, "%s", at)
				require.True(t, slices.ContainsFunc(fired, func(i instance) bool { return has(i.labels, want.labels) }),
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
	for _, one := range fired {
		require.True(t, math.IsNaN(one.values["B"]), "the last loss")
		require.Less(t, one.values["C"], 5.0, "the lowest loss is a number")
	}
	readable(t, rules(t)["training-loss"], fired)
}

func TestRules_OutageIsNotEmpty(t *testing.T) {
	outage := now(today)
	outage.fault = &platform.Fault{Status: http.StatusForbidden}
	ds := outage.act(t)
	for id, rule := range rules(t) {
		t.Run(id, func(t *testing.T) {
			found := evaluate(t, ds, rule, today)
			require.Len(t, inState(found, failed), 1, "%+v", found)
			require.Equal(t, "Error", rule.ExecErrState)
			readable(t, rule, found)
		})
	}
}

func inState(all []instance, state string) []instance {
	found := slices.DeleteFunc(slices.Clone(all), func(i instance) bool { return i.state != state })
	slices.SortFunc(found, func(a, b instance) int { return byLabels(a.labels, b.labels) })
	return found
}

func orAlerting(state string) string {
	if state == "" {
		return alerting
	}
	return state
}

func has(labels, wanted data.Labels) bool {
	for name, value := range wanted {
		if labels[name] != value {
			return false
		}
	}
	return true
}
