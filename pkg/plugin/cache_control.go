package plugin

import (
	"context"
	"net/http"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
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
		return prom.NoCache(ctx)
	}
	for directive := range strings.SplitSeq(strings.Join(all.Values(cacheControl), ","), ",") {
		if name := strings.TrimSpace(directive); strings.EqualFold(name, "no-cache") || strings.EqualFold(name, "no-store") {
			return prom.NoCache(ctx)
		}
	}
	return ctx
}

// registerCache adds the resource that clears the caches of this data source. It requires the Editor role, because an empty
// cache causes requests to the platform for all users.
func (ds *Datasource) registerCache(mux router) {
	editorsOnly{mux, "Refreshing the cache"}.HandleFunc("POST /cache/refresh", func(w http.ResponseWriter, _ *http.Request) {
		ds.metrics.clearCache()
		ds.gateway.clearCache()
		ds.mainAPI.clearCache()
		writeJSON(w, http.StatusOK, map[string]string{"message": "The cache is empty. The next queries are sent to the platform."})
	})
}
