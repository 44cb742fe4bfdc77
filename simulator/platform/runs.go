package platform

import (
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
)

// Runs returns what is true of the runs that held GPUs somewhere from a time to another, of each as a whole.
func (p *Platform) Runs(from, to time.Time) []metrics.Run { return p.store.Runs(from, to) }

// Run returns what is true of a run from a time to another, and false if there is no such run.
func (p *Platform) Run(id string, from, to time.Time) (metrics.Run, bool) {
	return p.store.Run(id, from, to)
}

func (p *Platform) getRun(w http.ResponseWriter, r *http.Request) {
	from, to, ok := rangeOf(w, r.URL.Query(), time.UnixMilli(0), p.config.Now())
	if !ok {
		return
	}
	run, found := p.Run(r.PathValue("id"), from, to)
	if !found {
		writeNotFound(w)
		return
	}
	writeJSON(w, http.StatusOK, run)
}

// rangeOf reads start and end, which are RFC 3339 times; what is missing is as given. It responds if one is not a time.
func rangeOf(w http.ResponseWriter, params url.Values, from, to time.Time) (time.Time, time.Time, bool) {
	for name, at := range map[string]*time.Time{"start": &from, "end": &to} {
		if !params.Has(name) {
			continue
		}
		var err error
		if *at, err = time.Parse(time.RFC3339, params.Get(name)); err != nil {
			writeError(w, http.StatusBadRequest, codeBadRequest, name+" is not an RFC 3339 time")
			return from, to, false
		}
	}
	return from, to, true
}
