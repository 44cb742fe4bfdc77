package plugin

import (
	"net/http"
	"path"
)

// exactPaths responds with 404 where http.ServeMux would redirect to a cleaned path, because no client needs such paths. A request
// without a body, which Grafana passes on as nil, has an empty one, as those of an [http.Server] have.
func exactPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Clean(r.URL.Path) != r.URL.Path {
			http.NotFound(w, r)
			return
		}
		if r.Body == nil {
			r.Body = http.NoBody
		}
		next.ServeHTTP(w, r)
	})
}
