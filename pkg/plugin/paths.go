package plugin

import (
	"net/http"
	"path"
)

// exactPaths answers 404 where the multiplexer would redirect to a cleaned path: nobody who means well asks for one.
func exactPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Clean(r.URL.Path) != r.URL.Path {
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
