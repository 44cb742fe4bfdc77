package gateway

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/story"
)

// listed is how long after its creation a job of each lane is listed: a few dozen jobs in all.
var listed = [story.Serving]time.Duration{
	story.Pretraining: 21 * 24 * time.Hour,
	story.FineTuning:  7 * 24 * time.Hour,
	story.Experiments: 36 * time.Hour,
}

// job returns the job with an id, as it is known at t.
func (g *Gateway) job(id string, t int64) (job, bool) {
	seed, ok := seedOf(id)
	if !ok {
		return job{}, false
	}
	if i := slices.IndexFunc(g.odd, func(j job) bool { return j.seed == seed }); i >= 0 {
		return g.odd[i], true
	}
	if j, ok := g.extra.job(seed); ok {
		return j, true
	}
	scheduled, ok := g.config.Story.Job(id, t)
	if !ok {
		return job{}, false
	}
	return g.complete(scheduled, t)
}

// complete adds to a job of the story what the gateway knows; false if the job is too old to be known.
func (g *Gateway) complete(scheduled story.Job, t int64) (job, bool) {
	g.mu.RLock()
	given, created := g.created[scheduled.ID]
	g.mu.RUnlock()
	if created {
		seed, _ := seedOf(scheduled.ID)
		return job{Job: scheduled, details: given, seed: seed}, true
	}
	if t-scheduled.Created >= listed[scheduled.Lane].Milliseconds() {
		return job{}, false
	}
	full := tell(scheduled)
	full.metadata = record{
		"gpus":      strconv.Itoa(scheduled.Nodes * g.config.Story.Fleet().GPUsPerNode),
		"node_pool": scheduled.Lane.String(),
	}
	return full, true
}

// few returns the jobs that aren't extra ones, by key.
func (g *Gateway) few(t int64) []job {
	all := slices.Clone(g.odd)
	for _, scheduled := range g.config.Story.Jobs(t-story.Past.Milliseconds(), t) {
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

// listJobs answers with a page of jobs. As deployments do, it promises more on the last page, too; what
// follows is an empty page that goes on promising.
func (g *Gateway) listJobs(w http.ResponseWriter, r *http.Request) {
	c, problem := g.readCursor(r.URL.Query(), 20, maxPage)
	if problem != nil {
		g.refuse(w, *problem)
		return
	}
	t, from := g.now(), uint64(0)
	if c.after != "" {
		last, ok := g.job(c.after, t)
		if !ok {
			g.refuse(w, invalid("after", "after names no job: "+c.after))
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
	g.write(w, http.StatusOK, record{"object": "list", "data": data, "has_more": true})
}

// forJob makes an answer about the job with an id.
func (g *Gateway) forJob(id string, answer func(http.ResponseWriter, *http.Request, job, int64)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		t := g.now()
		j, ok := g.job(id, t)
		if !ok {
			g.refuse(w, notFound("fine-tuning job", id))
			return
		}
		answer(w, r, j, t)
	}
}

func (g *Gateway) writeJob(w http.ResponseWriter, _ *http.Request, j job, t int64) {
	g.write(w, http.StatusOK, j.record(t))
}

// changeJob makes the answer to cancel, pause or resume.
func (g *Gateway) changeJob(action string) func(http.ResponseWriter, *http.Request, job, int64) {
	change := map[string]func(string, int64) (story.Job, error){
		"cancel": g.config.Story.Cancel, "pause": g.config.Story.Pause, "resume": g.config.Story.Resume,
	}[action]
	return func(w http.ResponseWriter, _ *http.Request, j job, t int64) {
		scheduled, err := change(j.ID, t)
		if errors.Is(err, story.ErrNoJob) { // the odd and the extra jobs aren't part of the story
			err = errors.New("the job can't be changed")
		}
		if err != nil {
			g.refuse(w, failure{http.StatusBadRequest, "Cannot " + action + " " + j.ID + ": " + err.Error() + ".", "", "invalid_job_state"})
			return
		}
		j.Job = scheduled
		g.write(w, http.StatusOK, j.record(t))
	}
}
