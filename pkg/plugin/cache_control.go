package plugin

import (
	"context"
	"net/http"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
)

const (
	cacheControl = "Cache-Control"
	// cacheSkip is Grafana's header for requests that its own query cache must not answer.
	cacheSkip = "X-Cache-Skip"
)

// withCacheControl makes a context that bypasses the cache of metrics if a header says so. Grafana passes on all headers of a
// request to a resource; for queries an older or newer Grafana may put them into the plain map.
func withCacheControl(ctx context.Context, headers http.Header, plain map[string]string) context.Context {
	all := headers.Clone()
	if all == nil {
		all = http.Header{}
	}
	for name, value := range plain {
		all.Add(name, value)
	}
	if strings.EqualFold(all.Get(cacheSkip), "true") {
		return promclient.NoCache(ctx)
	}
	for directive := range strings.SplitSeq(strings.Join(all.Values(cacheControl), ","), ",") {
		if name := strings.TrimSpace(directive); strings.EqualFold(name, "no-cache") || strings.EqualFold(name, "no-store") {
			return promclient.NoCache(ctx)
		}
	}
	return ctx
}

// registerCache adds the resource that drops what is kept for this data source. It takes the Editor role: what is dropped has
// to be asked of the platform again, for everyone.
func (ds *Datasource) registerCache(mux registry) {
	mux.HandleFunc("POST /cache/refresh", func(w http.ResponseWriter, r *http.Request) {
		if user := backend.PluginConfigFromContext(r.Context()).User; !mayEdit(user) {
			refuse(w, failure{status: http.StatusForbidden, message: "Refreshing the cache takes the Editor role in Grafana."})
			return
		}
		ds.metrics.clearCache()
		ds.tuning.clearCache()
		ds.platform.clearCache()
		writeJSON(w, http.StatusOK, map[string]string{"message": "The cache is empty. The next queries are answered by the platform."})
	})
}
