package routes

import (
	"net/http"
	"strings"
)

const proxyPrefix = "/api/datasources/proxy/uid/"

// forward passes a request on to the platform. The path goes on as it was escaped.
func (s *server) forward(w http.ResponseWriter, r *http.Request) {
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), proxyPrefix), "/")
	s.proxy.Serve(w, r, path)
}
