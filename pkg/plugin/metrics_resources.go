package plugin

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// register adds the Prometheus HTTP API, so that public clients can use the resources. Each takes a permit of queries until it is
// evaluated.
func (s *metricsService) register(mux router, queries *admission) {
	s.queries = queries
	s.serve(mux, "api/v1/query", func(r *http.Request) (*prom.Response, error) { return s.client.Query(r.Context(), r.Form) })
	s.serve(mux, "api/v1/query_range", func(r *http.Request) (*prom.Response, error) { return s.client.QueryRange(r.Context(), r.Form) })
	s.serve(mux, "api/v1/labels", func(r *http.Request) (*prom.Response, error) { return s.client.LabelNames(r.Context(), r.Form) })
	s.serve(mux, "api/v1/label/{name}/values", func(r *http.Request) (*prom.Response, error) {
		return s.client.LabelValues(r.Context(), r.PathValue("name"), r.Form)
	})
	s.serve(mux, "api/v1/series", func(r *http.Request) (*prom.Response, error) { return s.client.Series(r.Context(), r.Form) })
	s.serve(mux, "api/v1/metadata", func(r *http.Request) (*prom.Response, error) { return s.client.Metadata(r.Context(), r.Form) })
	s.large = newStreams(maxLarge, maxResponseWait, fmt.Sprintf("%d large responses are being read, and others wait. Try again in a moment.", maxLarge))
	s.registerFeeds(mux)
}

const (
	// maxForm bounds a posted query, in bytes.
	maxForm = 1 << 20
	// maxLarge bounds the responses over maxSmallResponse bytes that are written at the same time. A smaller one does not wait for
	// its reader.
	maxLarge         = 2
	maxSmallResponse = 1 << 20
	// maxResponseWait is how long one more of them waits. It is less than the 30 s after which clients give up.
	maxResponseWait = 20 * time.Second
)

// serve registers GET and POST of a path of the Prometheus HTTP API.
func (s *metricsService) serve(mux router, path string, fetch func(*http.Request) (*prom.Response, error)) {
	handle := func(w http.ResponseWriter, r *http.Request) {
		s.respond(w, r, func(ctx context.Context) (*prom.Response, error) {
			if err := parseForm(w, r); err != nil {
				return nil, err
			}
			return fetch(r.WithContext(withCacheControl(ctx, r.Header, nil)))
		})
	}
	mux.HandleFunc("GET /"+path, handle)
	mux.HandleFunc("POST /"+path, handle)
}

// parseForm reads the parameters of a request. Its error is a *[query.Error].
func parseForm(w http.ResponseWriter, r *http.Request) error {
	if r.Body == nil { // so Grafana passes an empty one on
		r.Body = http.NoBody
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if r.ParseForm() != nil {
		return &query.Error{Field: `invalid parameter "body"`, Message: "it is not a form"}
	}
	return nil
}

// respond writes a result or an error in the form of the Prometheus HTTP API.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#format-overview
func (s *metricsService) respond(w http.ResponseWriter, r *http.Request, fetch func(context.Context) (*prom.Response, error)) {
	if s.err != nil {
		s.respondError(w, s.err)
		return
	}
	release, err := s.queries.acquire(r.Context(), metricsQueries, int(max(r.ContentLength, 0)))
	if err != nil {
		s.respondError(w, err)
		return
	}
	release = sync.OnceFunc(release)
	defer release()
	response, err := fetch(transport.WithBudget(r.Context(), transport.MaxRequests))
	to := w
	if err == nil && response.Bytes() > maxSmallResponse {
		release() // others are evaluated while this one waits and is read
		var large *stream
		if large, err = s.large.open(w, r); err == nil {
			defer large.close()
			to = large
		}
	}
	if err != nil {
		s.respondError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := response.Write(to); err != nil {
		panic(http.ErrAbortHandler) // the header was sent
	}
}

func (s *metricsService) respondError(w http.ResponseWriter, err error) {
	f := toResourceError(err)
	writeJSON(w, f.status, promError{"error", f.promType, f.message})
}

type promError struct {
	Status    string `json:"status"`
	ErrorType string `json:"errorType"`
	Error     string `json:"error"`
}
