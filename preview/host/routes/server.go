package routes

import (
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/go-hclog"

	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/process"
	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/proxy"
	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/settings"
)

// Backend is a running plugin backend; process.Backend is one.
type Backend interface {
	Clients() (process.Clients, error)
}

// Config is what the routes are served from.
type Config struct {
	PluginID string
	Backend  Backend
	Settings *settings.Store
	// ProxyRoutes are the routes of plugin.json.
	ProxyRoutes []proxy.Route
	// PluginDir is the folder of the built plugin, with module.js in it.
	PluginDir string
	// PageDir is the folder of the built preview page, with index.html in it.
	PageDir string
	Log     hclog.Logger
}

type server struct {
	Config
	proxy *proxy.Proxy
}

// New returns the handler for every route of the preview.
func New(config Config) http.Handler {
	s := &server{config, proxy.New(proxy.Config{
		Routes:  config.ProxyRoutes,
		Context: config.Settings.PluginContext,
		Log:     config.Log,
	})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/ds/query", s.query)
	mux.HandleFunc("GET /api/datasources/uid/{uid}", s.forDataSource(s.getSettings))
	mux.HandleFunc("PUT /api/datasources/uid/{uid}", s.forDataSource(s.putSettings))
	mux.HandleFunc("GET /api/datasources/uid/{uid}/health", s.forDataSource(s.health))
	mux.HandleFunc("/api/datasources/uid/{uid}/resources", s.forDataSource(s.resource))
	mux.HandleFunc("/api/datasources/uid/{uid}/resources/{path...}", s.forDataSource(s.resource))
	mux.HandleFunc(proxyPrefix+"{uid}/{path...}", s.forDataSource(s.forward))
	mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, http.StatusNotFound, "The preview has no such route.")
	})
	mux.Handle("/public/plugins/"+s.PluginID+"/", http.StripPrefix("/public/plugins/"+s.PluginID, assets(s.PluginDir)))
	mux.Handle("/", assets(s.PageDir))
	return sameOrigin(mux)
}

const proxyPrefix = "/api/datasources/proxy/uid/"

// forward passes a request on to the platform. The path goes on as it was escaped.
func (s *server) forward(w http.ResponseWriter, r *http.Request) {
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), proxyPrefix), "/")
	s.proxy.Serve(w, r, path)
}

// forDataSource responds with 404 for every uid but that of the one data source there is.
func (s *server) forDataSource(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("uid") != s.Settings.Get().UID {
			writeError(w, http.StatusNotFound, "Data source not found")
			return
		}
		next(w, r)
	}
}

// sameOrigin refuses calls that another site's page makes through this browser, as Grafana's CSRF check does. It refuses other
// names than localhost, too: another site can let its name resolve to this machine.
func sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := (&url.URL{Host: r.Host}).Hostname(); name != "localhost" && net.ParseIP(name) == nil {
			writeError(w, http.StatusForbidden, "host not allowed")
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			parsed, err := url.Parse(origin)
			if err != nil || parsed.Host != r.Host {
				writeError(w, http.StatusForbidden, "origin not allowed")
				return
			}
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
