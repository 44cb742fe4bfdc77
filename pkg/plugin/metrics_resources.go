package plugin

import (
	"encoding/json"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
)

// register adds the Prometheus HTTP API, so that public clients can use the resources, and "suggestions", which Grafana's
// Prometheus editor requests.
func (s *metricsService) register(mux router) {
	s.serve(mux, "api/v1/query", func(r *http.Request) (*promclient.Envelope, error) { return s.client.Query(r.Context(), r.Form) })
	s.serve(mux, "api/v1/query_range", func(r *http.Request) (*promclient.Envelope, error) { return s.client.QueryRange(r.Context(), r.Form) })
	s.serve(mux, "api/v1/labels", func(r *http.Request) (*promclient.Envelope, error) { return s.client.LabelNames(r.Context(), r.Form) })
	s.serve(mux, "api/v1/label/{name}/values", func(r *http.Request) (*promclient.Envelope, error) {
		return s.client.LabelValues(r.Context(), r.PathValue("name"), r.Form)
	})
	s.serve(mux, "api/v1/series", func(r *http.Request) (*promclient.Envelope, error) { return s.client.Series(r.Context(), r.Form) })
	s.serve(mux, "api/v1/metadata", func(r *http.Request) (*promclient.Envelope, error) { return s.client.Metadata(r.Context(), r.Form) })
	s.registerFeeds(mux)
	mux.HandleFunc("POST /suggestions", func(w http.ResponseWriter, r *http.Request) {
		var wanted promclient.SuggestionRequest
		s.respond(w, r, func() (*promclient.Envelope, error) {
			if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxSuggestion)).Decode(&wanted); err != nil {
				return nil, &promclient.ParamError{Name: "body", Message: "it is not a suggestion request"}
			}
			return s.client.Suggestions(withCacheControl(r.Context(), r.Header, nil), wanted)
		})
	})
}

const (
	// maxForm bounds a posted query, in bytes.
	maxForm = 1 << 20
	// maxSuggestion bounds a request for suggestions, in bytes.
	maxSuggestion = 256 << 10
)

// serve registers GET and POST of a path of the Prometheus HTTP API.
func (s *metricsService) serve(mux router, path string, fetch func(*http.Request) (*promclient.Envelope, error)) {
	handle := func(w http.ResponseWriter, r *http.Request) {
		s.respond(w, r, func() (*promclient.Envelope, error) {
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			if err := r.ParseForm(); err != nil {
				return nil, &promclient.ParamError{Name: "body", Message: "it is not a form"}
			}
			return fetch(r.WithContext(withCacheControl(r.Context(), r.Header, nil)))
		})
	}
	mux.HandleFunc("GET /"+path, handle)
	mux.HandleFunc("POST /"+path, handle)
}

// respond writes a result or an error in the form of the Prometheus HTTP API.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#format-overview
func (s *metricsService) respond(w http.ResponseWriter, r *http.Request, fetch func() (*promclient.Envelope, error)) {
	envelope, err := (*promclient.Envelope)(nil), s.err
	if err == nil {
		envelope, err = fetch()
	}
	status, body := http.StatusOK, any(envelope)
	if err != nil {
		f := toAPIError(shutdownCause(r.Context(), err))
		status, body = f.status, promError{"error", f.promType, f.message}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

type promError struct {
	Status    string `json:"status"`
	ErrorType string `json:"errorType"`
	Error     string `json:"error"`
}
