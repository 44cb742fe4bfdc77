package plugin

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// register adds the lists for editors and variables, each of which takes a permit of queries, and the download of checkpoints.
func (s *gatewayService) register(mux router, queries *admission) {
	s.serve(mux, queries, "jobs", func(ctx context.Context) (any, error) { return s.client.Jobs(ctx) })
	s.serve(mux, queries, "models", func(ctx context.Context) (any, error) { return s.client.Models(ctx) })
	s.serve(mux, queries, "statuses", func(ctx context.Context) (any, error) { return s.client.Statuses(ctx) })
	downloads := newStreams(maxDownloads, 0, "Four downloads of this data source are under way. Wait until one of them has ended.")
	editorsOnly{mux, "Downloading a checkpoint"}.HandleFunc("GET /checkpoints/{id}/content", func(w http.ResponseWriter, r *http.Request) {
		s.download(w, r, downloads)
	})
}

// serve registers GET of a path with a JSON list.
func (s *gatewayService) serve(mux router, queries *admission, path string, fetch func(context.Context) (any, error)) {
	admitted := func(ctx context.Context) (any, error) {
		if s.err != nil {
			return nil, s.err
		}
		release, err := queries.acquire(ctx, gatewayQueries, 0)
		if err != nil {
			return nil, err
		}
		defer release()
		return fetch(transport.WithBudget(ctx, transport.MaxRequests))
	}
	mux.HandleFunc("GET /"+path, func(w http.ResponseWriter, r *http.Request) {
		list, err := admitted(r.Context())
		if err != nil {
			writeError(w, toResourceError(err))
			return
		}
		writeJSON(w, http.StatusOK, list)
	})
}

// maxDownloads bounds the downloads of checkpoints that are under way, which may be of many gigabytes each.
const maxDownloads = 4

// checkpointID matches a valid id, which becomes part of a path and of a file name.
var checkpointID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)

// download streams a checkpoint, whose size is not limited. It requires the Editor role, because checkpoints are valuable and
// downloads cause traffic.
func (s *gatewayService) download(w http.ResponseWriter, r *http.Request, underWay *streams) {
	id := r.PathValue("id")
	switch {
	case !checkpointID.MatchString(id):
		writeError(w, apiError{status: http.StatusBadRequest, message: "The checkpoint id is not valid."})
		return
	case s.err != nil:
		writeError(w, toAPIError(s.err))
		return
	}
	out, err := underWay.open(w, r)
	if err != nil {
		writeError(w, toResourceError(err))
		return
	}
	defer out.close()
	content, err := s.client.Download(out.ctx, id)
	if err != nil {
		writeError(w, toResourceError(err))
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
	if err := copyBuffered(out, content.Body); err != nil {
		panic(http.ErrAbortHandler) // the header was sent
	}
}

// copyBufferSize bounds the memory of a download.
const copyBufferSize = 256 << 10

// copyBuffered copies a body in pieces of that size. What was read before an error is written.
func copyBuffered(to io.Writer, from io.Reader) error {
	buffered := bufio.NewWriterSize(to, copyBufferSize)
	_, err := io.Copy(buffered, from)
	return cmp.Or(err, buffered.Flush())
}
