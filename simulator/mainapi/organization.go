package mainapi

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// kept is how far back usage and audit logs go.
const kept = 30 * 24 * time.Hour

// usage lists the GPU hours of each pool by day, in UTC, oldest first: those that were paid for, and those in
// which the GPUs computed. The usual range is a week; a day that has just begun is listed as far as it goes.
func (a *API) usage(q *ask) []item {
	st := a.config.Scenario
	f := st.Fleet()
	from, to := q.span(7*24*time.Hour, kept)
	var items []item
	for t := from; t < to; {
		end := min(t-t%day+day, to)
		for pool := scenario.Pretraining; pool < scenario.NodePools; pool++ {
			first, last := f.Range(pool)
			if first == last {
				continue
			}
			r := st.Reader(pool, end)
			before, after := r.Until(t), r.Until(end)
			gpus := float64((last - first) * f.GPUsPerNode)
			items = append(items, item{
				"start_time": stamp(t), "end_time": stamp(end), "project_id": a.config.ProjectID, "nodepool_name": pool.String(),
				"type":      productOf(f.Nodes[first].GPUModel).typeName(f.GPUsPerNode),
				"gpu_hours": gpus * float64(end-t) / 3600e3, "gpu_hours_active": gpus * (after.Compute - before.Compute) / 3600,
			})
		}
		t = end
	}
	return items
}

const day = 24 * 3600e3 // milliseconds

// entry is an entry of the audit log.
type entry struct {
	at, end                         int64 // end is 0 for what has no length
	actor, action, kind, id, result string
	message                         string
}

// auditLogs lists what was done in the organization, newest first. The usual range is a day.
func (a *API) auditLogs(q *ask) []item {
	from, to := q.span(24*time.Hour, kept)
	var log []entry
	for _, j := range a.config.Scenario.Jobs(from, to) {
		log = append(log, told(&j, q.now)...)
	}
	log = append(log, a.repairs(to, q.now)...)
	log = slices.DeleteFunc(log, func(e entry) bool { return e.at < from || e.at > to })
	slices.SortFunc(log, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.id, b.id), cmp.Compare(a.action, b.action))
	})
	items := make([]item, len(log))
	for i, e := range log {
		items[i] = e.item()
	}
	return items
}

// told returns what a job has left in the log.
func told(j *scenario.Job, now int64) []entry {
	person := []string{"amal@example.com", "joan@example.com", "wei@example.com"}[j.NodePool]
	var log []entry
	add := func(at, end int64, actor, action, result, message string) {
		if at <= now {
			log = append(log, entry{at, end, actor, "fine_tuning.job." + action, "fine_tuning_job", j.ID, result, message})
		}
	}
	add(j.Created, 0, person, "create", "success", fmt.Sprintf("Created a job on %s", j.Model))
	if j.Started > 0 {
		end := int64(0)
		if j.Finished <= now {
			end = j.Finished
		}
		add(j.Started, end, scheduler, "start", "success", fmt.Sprintf("Started on the nodes of %s: %d", j.NodePool, j.Nodes))
	}
	for _, p := range j.Phases {
		if p.Kind != scenario.Paused {
			continue
		}
		add(p.Start, 0, person, "pause", "success", "Paused")
		if p.End < j.Finished {
			add(p.End, 0, person, "resume", "success", "Resumed")
		}
	}
	switch j.Outcome {
	case scenario.Failed:
		add(j.Finished, 0, scheduler, "fail", "failure", "Failed: "+j.Failure)
	case scenario.Cancelled:
		add(j.Finished, 0, person, "cancel", "success", "Cancelled")
	default:
		add(j.Finished, 0, scheduler, "finish", "success", "Finished")
	}
	return log
}

// The actors that are no persons.
const (
	scheduler = "scheduler"
	monitor   = "node-health"
)

// repairs returns what the failures of GPUs up to a time have left in the log.
func (a *API) repairs(to, now int64) []entry {
	var log []entry
	for _, i := range a.config.Scenario.NodeFailures(a.config.Scenario.Begin(), to) {
		node := a.config.Scenario.Fleet().Nodes[i.GPU.Node].Name
		drain := entry{at: i.At, actor: monitor, action: "compute.vm.drain", kind: "vm", id: node, result: "success"}
		drain.message = fmt.Sprintf("Drained %s: GPU %d reported XID %d", node, i.GPU.Index, i.XID)
		if i.Repaired <= now {
			back := drain
			drain.end = i.Repaired
			back.at, back.action, back.message = i.Repaired, "compute.vm.undrain", fmt.Sprintf("Returned %s to service", node)
			log = append(log, back)
		}
		log = append(log, drain)
	}
	return log
}

func (e *entry) item() item {
	id := fnv.New64a()
	_, _ = fmt.Fprint(id, e.at, e.action, e.id) // a hash takes everything
	one := item{
		"id": fmt.Sprintf("log-%016x", id.Sum64()), "time": stamp(e.at), "end_time": nil, "actor": e.actor, "action": e.action,
		"resource_type": e.kind, "resource_id": e.id, "result": e.result, "message": e.message,
	}
	if e.end != 0 {
		one["end_time"] = stamp(e.end)
	}
	return one
}
