package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// register adds what editors and variables offer, and the download of checkpoints.
func (s *tuningService) register(mux registry) {
	s.serve(mux, "jobs", func(ctx context.Context) (any, error) { return s.client.Jobs(ctx) })
	s.serve(mux, "models", func(ctx context.Context) (any, error) { return s.client.Models(ctx) })
	s.serve(mux, "statuses", func(ctx context.Context) (any, error) { return s.client.Statuses(ctx) })
	mux.HandleFunc("GET /checkpoints/{id}/content", s.download)
}

// serve answers GET on a path with a JSON list.
func (s *tuningService) serve(mux registry, path string, ask func(context.Context) (any, error)) {
	mux.HandleFunc("GET /"+path, func(w http.ResponseWriter, r *http.Request) {
		answer, err := any(nil), s.err
		if err == nil {
			answer, err = ask(r.Context())
		}
		if err != nil {
			refuse(w, explain(why(r.Context(), err)))
			return
		}
		writeJSON(w, http.StatusOK, answer)
	})
}

// refuse answers with the sentence for the user, where Grafana's front end looks for it.
func refuse(w http.ResponseWriter, f failure) {
	writeJSON(w, f.status, map[string]string{"message": f.message})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// checkpointID is what an id may look like. It becomes part of a path and of a file's name.
var checkpointID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)

// download passes a checkpoint on as it comes, so that its size does not matter. It takes the Editor role: checkpoints
// are the models people paid for, and each download costs the platform its traffic.
func (s *tuningService) download(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	switch {
	case !mayEdit(backend.PluginConfigFromContext(r.Context()).User):
		refuse(w, failure{status: http.StatusForbidden, message: "Downloading a checkpoint takes the Editor role in Grafana."})
		return
	case !checkpointID.MatchString(id):
		refuse(w, failure{status: http.StatusBadRequest, message: "The checkpoint id is not valid."})
		return
	case s.err != nil:
		refuse(w, explain(s.err))
		return
	}
	content, err := s.client.Download(r.Context(), id)
	if err != nil {
		refuse(w, explain(why(r.Context(), err)))
		return
	}
	defer func() { _ = content.Body.Close() }()
	header := w.Header()
	// Whatever the gateway calls it, a browser must save it and not show it.
	header.Set("Content-Type", "application/zip")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": id + ".zip"}))
	header.Set("X-Content-Type-Options", "nosniff")
	if content.Size >= 0 {
		header.Set("Content-Length", strconv.FormatInt(content.Size, 10))
	}
	if r.Method == http.MethodHead { // who asks to GET may ask for the head
		return
	}
	if err := stream(w, content.Body); err != nil {
		panic(http.ErrAbortHandler) // the head has gone out
	}
}

// mayEdit asks for the Editor role, which an Admin has too. An anonymous visitor is no user.
func mayEdit(user *backend.User) bool {
	return user != nil && (user.Role == "Editor" || user.Role == "Admin")
}

// chunk is how much of a stream is in memory at a time, in bytes.
const chunk = 256 << 10

// stream passes bytes on in chunks, each sent before the next is read.
func stream(w http.ResponseWriter, from io.Reader) error {
	buffer := make([]byte, chunk)
	for {
		n, err := io.ReadFull(from, buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return err
			}
			if flusher, ok := w.(http.Flusher); ok {
				flusher.Flush()
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the end, at or within a chunk
			return nil
		}
		if err != nil {
			return err
		}
	}
}
