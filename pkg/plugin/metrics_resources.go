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

// metricsResources are the Prometheus HTTP API, so that public clients can use them, and what other engines take samples from. Exports take
// minutes of the platform, so that they require the Editor role; they have slots of their own, so that they don't delay the scrapes of an
// archive.
func (ds *Datasource) metricsResources() map[string]http.HandlerFunc {
	large := newStreams(maxLarge, maxResponseWait, fmt.Sprintf("%d large responses are being read, and others wait. Try again in a moment.", maxLarge))
	api := func(fetch func(context.Context, url.Values) (*prom.Response, error)) http.HandlerFunc {
		return ds.serveProm(large, fetch)
	}
	federations := newStreams(maxFeeds, 0, "Two federations of this data source are under way. Wait until one of them has ended.")
	exports := newStreams(maxFeeds, 0, "Two exports of this data source are under way. Wait until one of them has ended.")
	all, client := map[string]http.HandlerFunc{}, ds.metrics.client
	for path, handle := range map[string]http.HandlerFunc{
		"/api/v1/query":       api(client.Query),
		"/api/v1/query_range": api(client.QueryRange),
		"/api/v1/labels":      api(client.LabelNames),
		"/api/v1/label/{name}/values": func(w http.ResponseWriter, r *http.Request) {
			api(func(ctx context.Context, form url.Values) (*prom.Response, error) {
				return client.LabelValues(ctx, r.PathValue("name"), form)
			})(w, r)
		},
		"/api/v1/series":   api(client.Series),
		"/api/v1/metadata": api(client.Metadata),
		"/federate":        ds.stream(federations, client.Federate),
		"/export":          editorsOnly("Exporting samples", ds.stream(exports, client.Export)),
	} {
		all["GET "+path], all["POST "+path] = handle, handle
	}
	return all
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
	// maxFeeds bounds the responses to other engines that are under way, of each kind: a pair of engines, one of which replaces the
	// other.
	maxFeeds = 2
)

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

// serveProm is the handler of a path of the Prometheus HTTP API. It takes a permit of queries until the response is evaluated.
func (ds *Datasource) serveProm(large *streams, fetch func(context.Context, url.Values) (*prom.Response, error)) http.HandlerFunc {
	return resource(ds.metrics.err, func(w http.ResponseWriter, r *http.Request) error {
		release, err := ds.admission.acquire(r.Context(), metricsQueries, int(max(r.ContentLength, 0)))
		if err != nil {
			return err
		}
		release = sync.OnceFunc(release)
		defer release()
		if err := parseForm(w, r); err != nil {
			return err
		}
		response, err := fetch(transport.WithBudget(r.Context(), transport.MaxRequests), r.Form)
		if err != nil {
			return err
		}
		to := w
		if response.Bytes() > maxSmallResponse {
			release() // others are evaluated while this one waits and is read
			out, err := large.open(w, r)
			if err != nil {
				return err
			}
			defer out.close()
			to = out
		}
		w.Header().Set("Content-Type", "application/json")
		return response.Write(to)
	}, writePromError)
}

// stream is the handler of a path whose response is written while it is made. One that breaks off lacks its last line.
func (ds *Datasource) stream(underWay *streams, write func(context.Context, url.Values, io.Writer) error) http.HandlerFunc {
	return resource(ds.metrics.err, func(w http.ResponseWriter, r *http.Request) error {
		out, err := underWay.open(w, r)
		if err != nil {
			return err
		}
		defer out.close()
		if err := parseForm(w, r); err != nil {
			return err
		}
		w.Header().Set("Content-Type", prom.OpenMetrics)
		return write(out.ctx, r.Form, out)
	}, writePromError)
}

// writePromError writes an error in the form of the Prometheus HTTP API.
//
// Format: https://prometheus.io/docs/prometheus/latest/querying/api/#format-overview
func writePromError(w http.ResponseWriter, f apiError) {
	writeJSON(w, f.status, map[string]string{"status": "error", "errorType": f.promType, "error": f.message})
}
