package alerts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// healthyJob is a fine-tuning job that reports every few steps, is evaluated and written to disk now and then, and ends well. Times are
// in minutes, 0 for what is never.
type healthyJob struct {
	id, pool                    string
	created, started, ended     int
	reports, checkpoints, pause int
	// end is how it ended.
	end string
}

// healthyJobs are those of a training fleet: one after the other has its nodes for a day, and others of a few hours have GPUs that are
// not known. Some wait for two hours until they begin, and some are canceled by their owners.
func healthyJobs() (all []healthyJob) {
	for n := range days * day / (25 * hour) {
		from := n * 25 * hour
		all = append(all, healthyJob{fmt.Sprintf("ft-day-%d", n), "train-h100", from + 50, from + hour, from + 25*hour, 5, 30, 1, "succeeded"})
	}
	for n := range days * 3 {
		from := n*8*hour + 20
		all = append(all, healthyJob{fmt.Sprintf("ft-short-%d", n), "", from, from + n%3*hour, from + (4+n%3)*hour, 2, 20, 3, []string{"succeeded", "succeeded", "cancelled"}[n%3]})
	}
	return all
}

// number is that of the job.
func (j healthyJob) number() int {
	n, _ := strconv.Atoi(j.id[strings.LastIndex(j.id, "-")+1:])
	return n
}

func (j healthyJob) record(m int) map[string]any {
	is := map[string]any{"id": j.id, "status": "queued", "model": "llama", "created_at": minute(j.created).Unix(), "metadata": map[string]any{"node_pool": j.pool}}
	if m >= j.started {
		// Estimates are right to 3 %, either way.
		late := 0.03 * noise(j.number(), m/120) * float64(j.ended-j.started)
		is["status"], is["estimated_finish"] = "running", minute(j.ended+int(late)).Unix()
	}
	if m >= j.ended {
		is["status"], is["finished_at"] = j.end, minute(j.ended).Unix()
	}
	return is
}

// loss falls, with noise that is correlated from one report to the next.
func (j healthyJob) loss(report int) float64 {
	correlated := 0.6*noise(j.number(), report, 1) + 0.4*noise(j.number(), report/3, 2)
	return 1.6 + 2.2*math.Exp(-float64(report)/40) + 0.05*correlated
}

// curves are what the job has reported by a minute. It makes ten steps a minute, and none while a checkpoint is written.
func (j healthyJob) curves(m int) map[string]any {
	var training, validation []map[string]any
	for report, at := 1, 0; ; report++ {
		if at += j.reports; report*j.reports%j.checkpoints == 0 {
			at += j.pause
		}
		if j.started+at > min(m, j.ended) {
			break
		}
		point := func(value float64) map[string]any {
			return map[string]any{"step": 10 * j.reports * report, "timestamp": minute(j.started + at).Unix(), "value": value}
		}
		training = append(training, point(j.loss(report)))
		if report%6 == 0 {
			validation = append(validation, point(j.loss(report)+0.1+0.03*noise(report, 3)))
		}
	}
	length := (j.ended - j.started) * j.checkpoints / (j.checkpoints + j.pause)
	total := map[string]any{"timestamp": minute(j.started).Unix(), "value": 10 * length}
	return map[string]any{"metrics": []map[string]any{
		{"metric_name": "train_loss", "data": training}, {"metric_name": "valid_loss", "data": validation},
		{"metric_name": "total_steps", "data": []map[string]any{total}},
	}}
}

func (j healthyJob) written(m int) (all []map[string]any) {
	for at := j.started + j.checkpoints; at <= min(m, j.ended); at += j.checkpoints + j.pause {
		all = append(all, map[string]any{"id": fmt.Sprintf("%s-%d", j.id, at), "step_number": 10 * (at - j.started), "created_at": minute(at).Unix()})
	}
	return all
}

// healthyLists serves the gateway and the main API of a project at a minute: jobs, quotas that are used by half and more, a shared disk with
// room, and fewer machines on offer than the rule waits for.
func healthyLists(m int) http.Handler {
	mux := http.NewServeMux()
	write := func(w http.ResponseWriter, body any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body)
	}
	list := func(w http.ResponseWriter, items []map[string]any) {
		write(w, map[string]any{"object": "list", "data": items, "items": items, "has_more": false})
	}
	jobs := platform.TuningPath + "/v1/fine_tuning/jobs"
	var records []map[string]any
	for _, j := range healthyJobs() {
		if j.created > m {
			continue
		}
		records = append(records, j.record(m))
		mux.HandleFunc("GET "+jobs+"/"+j.id, func(w http.ResponseWriter, _ *http.Request) { write(w, j.record(m)) })
		mux.HandleFunc("GET "+jobs+"/"+j.id+"/metrics", func(w http.ResponseWriter, _ *http.Request) { write(w, j.curves(m)) })
		mux.HandleFunc("GET "+jobs+"/"+j.id+"/events", func(w http.ResponseWriter, _ *http.Request) { list(w, nil) })
		mux.HandleFunc("GET "+jobs+"/"+j.id+"/checkpoints", func(w http.ResponseWriter, _ *http.Request) { list(w, j.written(m)) })
	}
	mux.HandleFunc("GET "+jobs, func(w http.ResponseWriter, _ *http.Request) { list(w, records) })
	project := "GET /v1/projects/" + platform.DefaultProjectID
	for path, items := range map[string][]map[string]any{
		project + "/quotas":               {{"name": "gpus.h100", "location": "east", "limit": 100, "used": 65 + int(20*noise(m/300, 4))}},
		project + "/storage/disks":        {{"id": "d", "name": "data", "size_bytes": 2e13}},
		project + "/compute/vms/types":    {{"product_name": "h100.8x", "num_gpu": 8, "gpu_type": "h100"}},
		project + "/{list...}":            nil,
		"GET /v1/capacities":              {{"type": "h100.8x", "location": "east", "quantity": m / 200 % 5, "quota_type": "gpus.h100"}},
		"GET /v1/organizations/{rest...}": nil,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { list(w, items) })
	}
	return mux
}

// inHealthyProject is a data source of a training fleet and its lists at a minute, which has cached nothing.
func inHealthyProject(t *testing.T, w *world, m int, test func(*plugin.Datasource)) {
	t.Helper()
	mux, metrics := http.NewServeMux(), "/v1/projects/"+platform.DefaultProjectID+"/metrics/timeseries"
	mux.Handle(metrics+"/", http.StripPrefix(metrics, scenes.API(w, func() time.Time { return minute(m) })))
	mux.Handle("/", healthyLists(m))
	server := httptest.NewServer(mux)
	defer server.Close()
	jsonData, secrets := datasource.Settings(server.URL)
	jsonData["prices"] = map[string]any{"gpuHour": map[string]any{"NVIDIA H100 80GB HBM3": 2}, "currency": "USD"}
	ds := datasource.New(t, jsonData, secrets)
	defer ds.Dispose()
	test(ds)
}

// TestRules_HealthyLists follows the rules on jobs, runs and lists through days of a healthy training fleet: every 37 minutes, at
// other minutes of what jobs do at regular times, or where much is read every 111, and at the interval of the rule where it is the case.
func TestRules_HealthyLists(t *testing.T) {
	w := trainingFleet()
	for _, j := range healthyJobs() {
		w.add(1, "training_loss", func(m int) float64 {
			if m < j.started || m >= j.ended {
				return missed
			}
			return j.loss((m - j.started) / 5)
		}, "metrics_source", "custom-metrics", "pod_name", j.id)
	}
	all, often, from, to := rules(t), 37, 2*day, w.length-1
	maps.DeleteFunc(all, func(_ string, r rule) bool { return r.isPromQL() })
	every := func(id string) int {
		if strings.HasPrefix(id, "run-") || id == "gpus-free" {
			return 3 * often
		}
		return often
	}
	// Rules that are evaluated in the same minute read the same lists: once.
	rough := map[string][]map[string]bool{}
	for m := from; m <= to; m += often {
		inHealthyProject(t, w, m, func(ds *plugin.Datasource) {
			for id, r := range all {
				if (m-from)%every(id) == 0 {
					rough[id] = append(rough[id], alertsAmong(t, r, evaluate(t, ds, r, minute(m))))
				}
			}
		})
	}
	for id, r := range all {
		t.Run(id, func(t *testing.T) {
			evaluations := func(t *testing.T, r rule, from, to, step int) (found []map[string]bool) {
				t.Helper()
				if step == every(id) {
					return rough[id]
				}
				for m := from; m <= to; m += step {
					inHealthyProject(t, w, m, func(ds *plugin.Datasource) {
						found = append(found, alertsAmong(t, r, evaluate(t, ds, r, minute(m))))
					})
				}
				return found
			}
			fired, evaluated := follow(t, evaluations, r, from, to, every(id))
			require.Empty(t, fired)
			t.Logf("evaluated %d times over %d days", evaluated, days-2)
		})
	}
}
