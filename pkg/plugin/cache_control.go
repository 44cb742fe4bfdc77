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
	// cacheSkip is Grafana's header for requests that bypass its own query cache.
	cacheSkip = "X-Cache-Skip"
)

// withCacheControl makes a context that bypasses the cache of metrics if a header requests it. Grafana forwards all headers of
// a resource's request. Versions of Grafana differ in whether those of a query are in headers or in the map.
func withCacheControl(ctx context.Context, headers http.Header, more map[string]string) context.Context {
	all := headers.Clone()
	if all == nil {
		all = http.Header{}
	}
	for name, value := range more {
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

// registerCache adds the resource that clears the caches of this data source. It requires the Editor role, because an empty
// cache causes requests to the platform for all users.
func (ds *Datasource) registerCache(mux router) {
	mux.HandleFunc("POST /cache/refresh", func(w http.ResponseWriter, r *http.Request) {
		if user := backend.PluginConfigFromContext(r.Context()).User; !hasEditorRole(user) {
			writeError(w, apiError{status: http.StatusForbidden, message: "Refreshing the cache takes the Editor role in Grafana."})
			return
		}
		ds.metrics.clearCache()
		ds.tuning.clearCache()
		ds.platform.clearCache()
		writeJSON(w, http.StatusOK, map[string]string{"message": "The cache is empty. The next queries are sent to the platform."})
	})
}
