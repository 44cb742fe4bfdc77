package gateway

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// event is something that happens to a job at a time.
type event struct {
	at             int64
	level, message string
	data           record // of a metrics event
}

// reports is how many metrics events a job has that runs to its end.
const reports = 24

// history returns what happens to a job up to t, oldest first.
func (j *job) history(t int64) []event {
	all := []event{{at: j.Created, level: "info", message: "Created fine-tuning job: " + j.ID}}
	add := func(at int64, level, message string, data record) {
		if at <= t && at <= j.Finished {
			all = append(all, event{at, level, message, data})
		}
	}
	add(j.Created+1, "info", "Validating training file: "+j.training, nil)
	for i, p := range j.Phases {
		switch p.Kind {
		case scenario.Queued:
			add(p.Start, "info", "Files validated, moving job to queued state", nil)
		case scenario.Loading:
			if i == 0 || j.Phases[i-1].Kind == scenario.Queued {
				add(p.Start, "info", "Fine-tuning job started", nil)
			}
		case scenario.Paused:
			add(p.Start, "warn", "Fine-tuning job paused", nil)
			if p.End < j.Finished {
				add(p.End, "info", "Fine-tuning job resumed", nil)
			}
		}
	}
	for i := 1; i <= reports; i++ {
		step := max(j.Steps*i/reports, 1)
		if at, ok := j.TimeOf(step); ok {
			data := j.measures(step)
			message := fmt.Sprintf("Step %d/%d: training loss=%v", step, j.Steps, cmp.Or[any](data["train_loss"], "nan"))
			data["step"], data["total_steps"] = step, j.Steps
			add(at, "info", message, data)
		}
	}
	for n, at := range j.Checkpoints(t) {
		add(at, "info", fmt.Sprintf("Checkpoint created at step %d: %s", j.Step(at), checkpointID(j.seed, n)), nil)
	}
	switch j.Outcome {
	case scenario.Failed:
		add(j.Finished, "error", "Fine-tuning job failed: "+j.Failure, nil)
	case scenario.Cancelled:
		add(j.Finished, "warn", "Fine-tuning job cancelled", nil)
	default:
		add(j.Finished, "info", "The job has successfully completed", nil)
		if at := j.Finished + j.naming(); at <= t {
			all = append(all, event{at, "info", "New fine-tuned model created: " + j.tunedModel(), nil})
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return all
}

// listEvents responds with a page of events. Their order is arbitrary and stays the same.
func (g *Gateway) listEvents(w http.ResponseWriter, r *http.Request, j job, t int64) {
	history := j.history(t)
	order := make([]int, len(history))
	for n := range order {
		order[n] = n
	}
	key := func(n int) uint64 { return scenario.Mix(j.seed, 41, uint64(n)) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	all := make([]record, len(history))
	for i, n := range order {
		all[i] = j.eventRecord(n, history[n])
	}
	g.writePage(w, r, all, 20, false)
}

func (j *job) eventRecord(n int, e event) record {
	r := record{
		"id": fmt.Sprintf("ftevent-%016x-%03d", j.seed, n), "object": "fine_tuning.job.event", "created_at": seconds(e.at),
		"level": e.level, "message": e.message, "type": "message", "data": nil,
	}
	if e.data != nil {
		r["type"], r["data"] = "metrics", e.data
	}
	if j.mangle.event != nil {
		j.mangle.event(r, n)
	}
	return r
}
