package plugin

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

// maxFeeds bounds the responses to other engines that are under way, of each kind: a pair of engines, one of which replaces the
// other.
const maxFeeds = 2

// registerFeeds adds what other engines take samples from. Exports take minutes of the platform, so that they require the Editor
// role; they have slots of their own, so that they don't delay the scrapes of an archive.
func (s *metricsService) registerFeeds(mux router) {
	federations := newStreams(maxFeeds, 0, "Two federations of this data source are under way. Wait until one of them has ended.")
	s.stream(mux, federations, "federate", s.client.Federate)
	exports := newStreams(maxFeeds, 0, "Two exports of this data source are under way. Wait until one of them has ended.")
	s.stream(editorsOnly{mux, "Exporting samples"}, exports, "export", s.client.Export)
}

// stream registers GET and POST of a path whose response is written while it is made. An error before its first byte is one of the
// Prometheus HTTP API; one after it breaks the response, which then lacks its last line.
func (s *metricsService) stream(mux router, underWay *streams, path string, write func(context.Context, url.Values, func(contentType string) io.Writer) error) {
	handle := func(w http.ResponseWriter, r *http.Request) {
		started, err := false, s.err
		var out *stream
		if err == nil {
			out, err = underWay.open(w, r)
		}
		if err == nil {
			defer out.close()
			err = parseForm(w, r)
		}
		if err == nil {
			err = write(out.ctx, r.Form, func(contentType string) io.Writer {
				started = true
				w.Header().Set("Content-Type", contentType)
				return out
			})
		}
		switch {
		case err == nil:
		case started:
			panic(http.ErrAbortHandler)
		default:
			s.respondError(w, err)
		}
	}
	mux.HandleFunc("GET /"+path, handle)
	mux.HandleFunc("POST /"+path, handle)
}
