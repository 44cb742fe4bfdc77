package plugin

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

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
