package plugin

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// register adds the lists for editors and variables, and the download of checkpoints.
func (s *tuningService) register(mux router) {
	s.serve(mux, "jobs", func(ctx context.Context) (any, error) { return s.client.Jobs(ctx) })
	s.serve(mux, "models", func(ctx context.Context) (any, error) { return s.client.Models(ctx) })
	s.serve(mux, "statuses", func(ctx context.Context) (any, error) { return s.client.Statuses(ctx) })
	mux.HandleFunc("GET /checkpoints/{id}/content", s.download)
}

// serve registers GET of a path with a JSON list.
func (s *tuningService) serve(mux router, path string, fetch func(context.Context) (any, error)) {
	mux.HandleFunc("GET /"+path, func(w http.ResponseWriter, r *http.Request) {
		list, err := any(nil), s.err
		if err == nil {
			list, err = fetch(r.Context())
		}
		if err != nil {
			writeError(w, toAPIError(shutdownCause(r.Context(), err)))
			return
		}
		writeJSON(w, http.StatusOK, list)
	})
}

// writeError writes the message for the user in the form that Grafana's front end expects.
func writeError(w http.ResponseWriter, f apiError) {
	writeJSON(w, f.status, map[string]string{"message": f.message})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// checkpointID matches a valid id, which becomes part of a path and of a file name.
var checkpointID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)

// download streams a checkpoint, whose size is not limited. It requires the Editor role, because checkpoints are valuable and
// downloads cause traffic.
func (s *tuningService) download(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	switch {
	case !hasEditorRole(backend.PluginConfigFromContext(r.Context()).User):
		writeError(w, apiError{status: http.StatusForbidden, message: "Downloading a checkpoint takes the Editor role in Grafana."})
		return
	case !checkpointID.MatchString(id):
		writeError(w, apiError{status: http.StatusBadRequest, message: "The checkpoint id is not valid."})
		return
	case s.err != nil:
		writeError(w, toAPIError(s.err))
		return
	}
	content, err := s.client.Download(r.Context(), id)
	if err != nil {
		writeError(w, toAPIError(shutdownCause(r.Context(), err)))
		return
	}
	defer func() { _ = content.Body.Close() }()
	header := w.Header()
	// A browser must save the body and not render it, so the gateway's content type is not used.
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": id + ".zip"}))
	header.Set("X-Content-Type-Options", "nosniff")
	if content.Size >= 0 {
		header.Set("Content-Length", strconv.FormatInt(content.Size, 10))
	}
	if r.Method == http.MethodHead { // the mux routes HEAD to the handler of GET
		return
	}
	if err := copyFlushed(w, content.Body); err != nil {
		panic(http.ErrAbortHandler) // the header was sent
	}
}

// hasEditorRole reports the role Editor or Admin. Anonymous visitors have no user.
func hasEditorRole(user *backend.User) bool {
	return user != nil && (user.Role == "Editor" || user.Role == "Admin")
}

// copyBufferSize bounds the memory of a download.
const copyBufferSize = 256 << 10

// copyFlushed copies a body, and flushes after each buffer. What was read before an error is written.
func copyFlushed(w http.ResponseWriter, from io.Reader) error {
	buffered := bufio.NewWriterSize(flushed{w}, copyBufferSize)
	_, err := io.Copy(buffered, from)
	return cmp.Or(err, buffered.Flush())
}
