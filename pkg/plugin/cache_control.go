package plugin

import (
	"context"
	"net/http"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
)

// withCacheControl makes a context that bypasses the cache of metrics if a header requests it: X-Cache-Skip is Grafana's own, for requests
// that bypass its query cache. Grafana forwards all headers of a resource's request. Versions of Grafana differ in whether those of a
// query are in headers or in the map.
func withCacheControl(ctx context.Context, headers http.Header, more map[string]string) context.Context {
	control := strings.ToLower(strings.Join(headers.Values("Cache-Control"), ",") + more["Cache-Control"])
	if strings.EqualFold(headers.Get("X-Cache-Skip"), "true") || strings.Contains(control, "no-cache") || strings.Contains(control, "no-store") {
		return results.NoCache(ctx)
	}
	return ctx
}

// refreshCache clears the caches of this data source. It requires the Editor role, because an empty cache causes requests to the platform
// for all users.
func (ds *Datasource) refreshCache(w http.ResponseWriter, _ *http.Request) {
	ds.each(serviceClient.ClearCache)
	writeJSON(w, http.StatusOK, map[string]string{"message": "The cache is empty. The next queries are sent to the platform."})
}
