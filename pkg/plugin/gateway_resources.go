package plugin

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// resources are the lists for editors and variables, each of which takes a permit of queries, and the download of checkpoints, which
// requires the Editor role, because checkpoints are valuable and downloads cause traffic.
func (ds *Datasource) gatewayResources() map[string]http.HandlerFunc {
	downloads := newStreams(maxDownloads, 0, "Four downloads of this data source are under way. Wait until one of them has ended.")
	return map[string]http.HandlerFunc{
		"GET /jobs":                     ds.serveList(func(ctx context.Context) (any, error) { return ds.gateway.client.Jobs(ctx) }),
		"GET /models":                   ds.serveList(func(ctx context.Context) (any, error) { return ds.gateway.client.Models(ctx) }),
		"GET /statuses":                 ds.serveList(func(ctx context.Context) (any, error) { return ds.gateway.client.Statuses(ctx) }),
		"GET /checkpoints/{id}/content": editorsOnly("Downloading a checkpoint", ds.download(downloads)),
	}
}

// serveList has nothing where the gateway is not set up: dashboards have variables of all services, and many use one of them.
func (ds *Datasource) serveList(fetch func(context.Context) (any, error)) http.HandlerFunc {
	if _, missing := errors.AsType[notSetUp](ds.gateway.err); missing {
		return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, []any{}) }
	}
	return resource(ds.gateway.err, func(w http.ResponseWriter, r *http.Request) error {
		release, err := ds.admission.acquire(r.Context(), gatewayQueries, 0)
		if err != nil {
			return err
		}
		defer release()
		list, err := fetch(transport.WithBudget(r.Context(), transport.MaxRequests))
		if err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, list)
		return nil
	}, writeError)
}

// maxDownloads bounds the downloads of checkpoints that are under way, which may be of many gigabytes each.
const maxDownloads = 4

// checkpointID matches a valid id, which becomes part of a path and of a file name.
var checkpointID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)

// download is the handler that streams a checkpoint, whose size is not limited.
func (ds *Datasource) download(underWay *streams) http.HandlerFunc {
	return resource(ds.gateway.err, func(w http.ResponseWriter, r *http.Request) error {
		id := r.PathValue("id")
		if !checkpointID.MatchString(id) {
			return settingsError("The checkpoint id is not valid.")
		}
		out, err := underWay.open(w, r)
		if err != nil {
			return err
		}
		defer out.close()
		content, err := ds.gateway.client.Download(out.ctx, id)
		if err != nil {
			return err
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
			return nil
		}
		// What was read before an error is written.
		buffered := bufio.NewWriterSize(out, copyBufferSize)
		_, err = io.Copy(buffered, content.Body)
		return cmp.Or(err, buffered.Flush())
	}, writeError)
}

const copyBufferSize = 256 << 10
