package plugin

import (
	"io"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/exposition"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// maxFeeds bounds the responses to other engines that are under way, each of which may take minutes of the platform.
const maxFeeds = 4

// errFeeds is the error of one more.
var errFeeds = &transport.Error{
	Kind: transport.ErrRateLimited, Status: http.StatusTooManyRequests,
	Message: "Four exports or federations of this data source are under way. Wait until one of them has ended.",
}

// registerFeeds adds what other engines take samples from.
func (s *metricsService) registerFeeds(mux router) {
	underWay := make(chan struct{}, maxFeeds)
	s.stream(mux, underWay, "federate", func(r *http.Request, format exposition.Format, ready func() io.Writer) error {
		return s.client.Federate(r.Context(), r.Form, format, ready)
	})
	s.stream(mux, underWay, "export", func(r *http.Request, _ exposition.Format, ready func() io.Writer) error {
		return s.client.Export(r.Context(), r.Form, ready)
	})
}

// stream registers GET and POST of a path whose response is written while it is made. An error before its first byte is one of the
// Prometheus HTTP API; one after it breaks the response, which then lacks its last line.
func (s *metricsService) stream(mux router, underWay chan struct{}, path string, write func(*http.Request, exposition.Format, func() io.Writer) error) {
	handle := func(w http.ResponseWriter, r *http.Request) {
		format, started := exposition.Accepted(r.Header.Get("Accept")), false
		if path == "export" {
			format = exposition.OpenMetrics
		}
		err := s.err
		select {
		case underWay <- struct{}{}:
			defer func() { <-underWay }()
		default:
			err = errFeeds
		}
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			if err = r.ParseForm(); err != nil {
				err = &promclient.ParamError{Name: "body", Message: "it is not a form"}
			}
		}
		if err == nil {
			err = write(r, format, func() io.Writer {
				started = true
				w.Header().Set("Content-Type", format.ContentType())
				return flushed{w}
			})
		}
		switch {
		case err == nil:
		case started:
			panic(http.ErrAbortHandler)
		default:
			s.respond(w, r, func() (*promclient.Envelope, error) { return nil, err })
		}
	}
	mux.HandleFunc("GET /"+path, handle)
	mux.HandleFunc("POST /"+path, handle)
}

// flushed flushes after each write.
type flushed struct{ http.ResponseWriter }

func (w flushed) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	if flusher, ok := w.ResponseWriter.(http.Flusher); ok {
		flusher.Flush()
	}
	return n, err
}
