package gateway

import (
	"cmp"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"

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
	if j, ok := g.extra.job(seed); ok {
		return j, true
	}
	scheduled, ok := g.config.Scenario.Job(id, t)
	if !ok {
		return job{}, false
	}
	return g.complete(scheduled, t)
}

// own returns the edge cases and the jobs that were created, which are not on the project's GPUs.
func (g *Gateway) own() []job {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Concat(g.edgeCases, g.created)
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

// few returns the jobs that aren't extra ones, by key.
func (g *Gateway) few(t int64) []job {
	all := g.own()
	for _, scheduled := range g.config.Scenario.Jobs(t-scenario.Past.Milliseconds(), t) {
		if scheduled.Created > t {
			continue
		}
		if j, ok := g.complete(scheduled, t); ok {
			all = append(all, j)
		}
	}
	slices.SortFunc(all, byKey)
	return all
}

func byKey(a, b job) int { return cmp.Compare(a.key(), b.key()) }

// listJobs responds with a page of jobs. As deployments do, has_more is true on the last page, too; an
// empty page with has_more follows.
func (g *Gateway) listJobs(w http.ResponseWriter, r *http.Request) {
	c, problem := g.readCursor(r.URL.Query(), 20, maxPage)
	if problem != nil {
		problem.refuse(w)
		return
	}
	t, from := g.now(), uint64(0)
	if c.after != "" {
		last, ok := g.job(c.after, t)
		if !ok {
			invalid("after", "after names no job: "+c.after).refuse(w)
			return
		}
		from = last.key() + 1
	}
	few := g.few(t)
	few = few[sort.Search(len(few), func(i int) bool { return few[i].key() >= from }):]
	page := slices.Concat(few[:min(c.limit, len(few))], g.extra.from(from, c.limit))
	slices.SortFunc(page, byKey)
	data := []record{}
	for _, j := range page[:min(c.limit, len(page))] {
		data = append(data, j.record(t))
	}
	write(w, http.StatusOK, record{"object": "list", "data": data, "has_more": true})
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
	write(w, http.StatusOK, j.record(t))
}
