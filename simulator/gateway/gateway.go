package gateway

import (
	"cmp"
	"crypto/subtle"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// DefaultJobDuration is how long a created job takes.
const DefaultJobDuration = 90 * time.Second

// Config sets up a gateway.
type Config struct {
	Scenario    *scenario.Scenario
	Now         func() time.Time
	Key         string        // the inference API key
	JobDuration time.Duration // how long a created job takes from its creation to its end; DefaultJobDuration
	ExtraJobs   int           // finished jobs with six checkpoints each, over the past 30 days

	MaxLimit int  // a list with a larger limit is refused; 0: the limit is lowered
	SpecOnly bool // serve only the operations that the platform's specification names

	RateLimit int // requests a minute; 0: any number
}

// Gateway is safe for concurrent use.
type Gateway struct {
	config  Config
	limiter *rate.Limiter

	mu      sync.RWMutex
	jobs    []job   // beside the scenario's: edge cases, extra ones, those that were created
	uploads []*file // oldest first
	sets    []*file // the files that were there before

	serial atomic.Uint64 // numbers what is created
}

// New makes a gateway.
func New(c Config) *Gateway {
	c.JobDuration = cmp.Or(c.JobDuration, DefaultJobDuration)
	limiter := rate.NewLimiter(rate.Inf, 0)
	if c.RateLimit > 0 {
		limiter = rate.NewLimiter(rate.Every(time.Minute/time.Duration(c.RateLimit)), c.RateLimit) // full at first
	}
	begun := c.Now().Truncate(time.Minute)
	return &Gateway{
		config: c, limiter: limiter, jobs: append(newEdgeCaseJobs(begun), newExtraJobs(c.ExtraJobs, begun)...), sets: dataSets(begun),
	}
}

func (g *Gateway) now() int64 { return g.config.Now().UnixMilli() }

// unknown is the name of what the gateway doesn't have.
const unknown = "unknown"

// methods are the handlers of an endpoint, by method.
type methods map[string]http.HandlerFunc

// Route returns the name of the endpoint at a path below the gateway's address, and what serves it. It
// checks the inference API key first.
func (g *Gateway) Route(path string) (endpoint string, serve http.HandlerFunc) {
	endpoint, handlers := unknown, methods(nil)
	if rest, ok := strings.CutPrefix(path, "/v1/"); ok {
		endpoint, handlers = g.find(strings.Split(rest, "/"))
		if g.config.SpecOnly {
			handlers = specified(endpoint, handlers)
		}
	}
	return endpoint, func(w http.ResponseWriter, r *http.Request) {
		if wait := g.overRate(); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			failure{http.StatusTooManyRequests, "Rate limit reached.", "", "rate_limit_exceeded"}.refuse(w)
			return
		}
		scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(key), []byte(g.config.Key)) != 1 {
			failure{http.StatusUnauthorized, "Incorrect API key provided.", "", "invalid_api_key"}.refuse(w)
			return
		}
		if handlers == nil {
			failure{http.StatusNotFound, "Invalid URL (" + r.Method + " " + r.URL.Path + ")", "", "unknown_url"}.refuse(w)
			return
		}
		handle, ok := handlers[r.Method]
		if !ok {
			failure{http.StatusMethodNotAllowed, "Not allowed to " + r.Method + " here.", "", "method_not_allowed"}.refuse(w)
			return
		}
		handle(w, r)
	}
}

// overRate is how long it is until the rate limit admits a request; 0 if it admits this one.
func (g *Gateway) overRate() time.Duration {
	now := g.config.Now()
	reservation := g.limiter.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

// find looks an endpoint up by the segments of its path below /v1.
func (g *Gateway) find(path []string) (string, methods) {
	get := func(handler http.HandlerFunc) methods { return methods{http.MethodGet: handler} }
	switch {
	case len(path) == 1 && path[0] == "models":
		return "models", get(g.listModels)
	case path[0] == "files":
		return g.findFile(path[1:])
	case len(path) < 2 || path[0] != "fine_tuning" || path[1] != "jobs":
		return unknown, nil
	case len(path) == 2:
		return "jobs", methods{http.MethodGet: g.listJobs, http.MethodPost: g.createJob}
	case len(path) == 3 && path[2] != "":
		return "job", get(g.forJob(path[2], g.writeJob))
	case len(path) != 4:
		return unknown, nil
	}
	switch id := path[2]; path[3] {
	case "events":
		return "events", get(g.forJob(id, g.listEvents))
	case "checkpoints":
		return "checkpoints", get(g.forJob(id, g.listCheckpoints))
	case "metrics":
		return "metrics", get(g.forJob(id, g.writeCurves))
	}
	return unknown, nil
}

func (g *Gateway) findFile(path []string) (string, methods) {
	switch {
	case len(path) == 0:
		return "files", methods{http.MethodGet: g.listFiles, http.MethodPost: g.upload}
	case len(path) == 2 && path[1] == "content":
		return "file_content", methods{http.MethodGet: func(w http.ResponseWriter, _ *http.Request) { g.writeContent(w, path[0]) }}
	}
	return unknown, nil
}
