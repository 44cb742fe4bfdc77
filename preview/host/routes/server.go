// Package routes serves the Grafana HTTP routes that a data source's front end calls, with requests to
// the backend over gRPC. Bodies, statuses and headers are shaped as Grafana shapes them.
//
//	POST     /api/ds/query
//	GET      /api/datasources/uid/{uid}/health
//	ANY      /api/datasources/uid/{uid}/resources/…
//	GET, PUT /api/datasources/uid/{uid}
//	ANY      /api/datasources/proxy/uid/{uid}/…   by the routes of plugin.json
//	GET      /public/plugins/{pluginId}/…   the built plugin
//	GET      /…                             the preview page
package routes

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/hashicorp/go-hclog"
)

// Backend is a running plugin backend; process.Backend is one.
type Backend interface {
	backend.QueryDataHandler
	backend.CheckHealthHandler
	backend.CallResourceHandler
}

// Config is what the routes are served from.
type Config struct {
	Backend    Backend
	DataSource *DataSource
	// ProxyRoutes are the routes of plugin.json.
	ProxyRoutes []ProxyRoute
	// PluginDir is the folder of the built plugin, with module.js in it.
	PluginDir string
	// PageDir is the folder of the built preview page, with index.html in it.
	PageDir string
	Log     hclog.Logger
}

type server struct{ Config }

// New returns the handler for every route of the preview.
func New(config Config) http.Handler {
	s := &server{config}
	uid := s.DataSource.shown().UID
	plugin := "/public/plugins/" + s.DataSource.shown().Type
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/ds/query", s.query)
	mux.HandleFunc("GET /api/datasources/uid/"+uid, s.getSettings)
	mux.HandleFunc("PUT /api/datasources/uid/"+uid, s.putSettings)
	mux.HandleFunc("GET /api/datasources/uid/"+uid+"/health", s.health)
	mux.HandleFunc("/api/datasources/uid/"+uid+"/resources/{path...}", s.resource)
	proxied := "/api/datasources/proxy/uid/" + uid + "/"
	mux.Handle(proxied, http.StripPrefix(proxied, http.HandlerFunc(s.forward)))
	mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, http.StatusNotFound, "The preview has no such route.")
	})
	mux.Handle(plugin+"/", http.StripPrefix(plugin, assets(s.PluginDir)))
	mux.Handle("/", assets(s.PageDir))
	return sameOrigin(mux)
}

// sameOrigin refuses calls that another site's page makes through this browser, as Grafana's CSRF check does. It refuses other
// names than localhost, too: another site can let its name resolve to this machine.
func sameOrigin(next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := (&url.URL{Host: r.Host}).Hostname(); name != "localhost" && net.ParseIP(name) == nil {
			writeError(w, http.StatusForbidden, "host not allowed")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// assets serves a folder of built files. They are checked on every load, because a build replaces them in place.
func assets(dir string) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		files.ServeHTTP(w, r)
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	encoded, err := json.Marshal(body)
	if err != nil {
		writeError(w, http.StatusInternalServerError, "The response could not be encoded.")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A reader that has gone away is not an error of ours.
	_, _ = w.Write(encoded)
}

func writeError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"message": message})
}
