package gateway

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// listed is how long after its creation a job of each pool is listed: a few dozen jobs in all.
var listed = [scenario.Serving]time.Duration{
	scenario.Pretraining: 21 * 24 * time.Hour,
	scenario.FineTuning:  7 * 24 * time.Hour,
	scenario.Experiments: 36 * time.Hour,
}

// job returns the job with an id, as it is known at t.
func (g *Gateway) job(id string, t int64) (job, bool) {
	seed, ok := seedOf(id)
	if !ok {
		return job{}, false
	}
	own := g.own()
	if i := slices.IndexFunc(own, func(j job) bool { return j.seed == seed }); i >= 0 {
		return own[i], true
	}
	scheduled, ok := g.config.Scenario.Job(id, t)
	if !ok {
		return job{}, false
	}
	return g.complete(scheduled, t)
}

// own returns the jobs that are not on the project's GPUs. They don't change any more.
func (g *Gateway) own() []job {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Clone(g.jobs)
}

// complete adds to a job of the scenario what the gateway knows; false if the job is too old to be known.
func (g *Gateway) complete(scheduled scenario.Job, t int64) (job, bool) {
	if t-scheduled.Created >= listed[scheduled.NodePool].Milliseconds() {
		return job{}, false
	}
	full := fromScenario(scheduled)
	full.metadata = record{
		"gpus":      strconv.Itoa(scheduled.Nodes * g.config.Scenario.Fleet().GPUsPerNode),
		"node_pool": scheduled.NodePool.String(),
	}
	return full, true
}

// listJobs responds with a page of jobs, whose order means nothing. As deployments do, has_more is true on the last page, too; an
// empty page with has_more follows.
func (g *Gateway) listJobs(w http.ResponseWriter, r *http.Request) {
	t := g.now()
	all := g.own()
	for _, scheduled := range g.config.Scenario.Jobs(t-scenario.Past.Milliseconds(), t) {
		if j, ok := g.complete(scheduled, t); ok {
			all = append(all, j)
		}
	}
	slices.SortFunc(all, func(a, b job) int { return cmp.Compare(scenario.Mix(a.seed, 11), scenario.Mix(b.seed, 11)) })
	records := make([]record, len(all))
	for i := range all {
		records[i] = all[i].record(t)
	}
	g.writePage(w, r, records, 20, true)
}

// forJob makes a response about the job with an id.
func (g *Gateway) forJob(id string, handle func(http.ResponseWriter, *http.Request, job, int64)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		t := g.now()
		j, ok := g.job(id, t)
		if !ok {
			notFound("fine-tuning job", id).refuse(w)
			return
		}
		handle(w, r, j, t)
	}
}

func (g *Gateway) writeJob(w http.ResponseWriter, _ *http.Request, j job, t int64) {
	respond.JSON(w, http.StatusOK, j.record(t))
}
