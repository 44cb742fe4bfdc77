package scenes

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"github.com/prometheus/prometheus/storage"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/promapi"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

const (
	metricsPath = "/v1/projects/scene/metrics/timeseries"
	gatewayPath = "/tuning/v1"
)

// newDatasource is a data source of the platform of a scene.
func (s *Scene) newDatasource(t *testing.T, e *Evaluation, engine *url.URL) *plugin.Datasource {
	t.Helper()
	jsonData, secrets := s.platform(t, e, engine)
	return datasource.New(t, jsonData, secrets)
}

// platform serves the lists of a scene, and its samples from the engine at an address, or if there is none, from the PromQL engine in
// this process. It returns the settings and secrets of a data source.
func (s *Scene) platform(t *testing.T, e *Evaluation, engine *url.URL) (jsonData map[string]any, secrets map[string]string) {
	t.Helper()
	platform := http.NewServeMux()
	platform.Handle(metricsPath+"/", http.StripPrefix(metricsPath, s.metrics(t, e, engine)))
	for path, body := range s.lists {
		if path[:min(len(path), len("/v1/"))] != "/v1/" {
			path = gatewayPath + path
		}
		platform.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body) // the client may have gone
		})
	}
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	jsonData, secrets = datasource.Settings(server.URL)
	jsonData["projectId"], jsonData["intelligenceUrl"] = "scene", server.URL+gatewayPath
	if s.settings != "" {
		require.NoError(t, json.Unmarshal([]byte(s.settings), &jsonData))
	}
	return jsonData, secrets
}

// metrics serves Prometheus' API below /api/v1/.
func (s *Scene) metrics(t *testing.T, e *Evaluation, engine *url.URL) http.Handler {
	t.Helper()
	if engine != nil {
		proxy, connections := httputil.NewSingleHostReverseProxy(engine), &http.Transport{} // of this test and its clock
		t.Cleanup(connections.CloseIdleConnections)
		proxy.Transport = connections
		return proxy
	}
	return API(store(s.Series), e.now)
}

// Serve serves Prometheus' API on series in the notation of promqltest, with a sample a minute from a time on, and returns its address.
func Serve(t testing.TB, from, now time.Time, lines ...string) string {
	t.Helper()
	s := Scene{start: from}
	load := s.load(0, time.Minute)
	for _, line := range lines {
		require.NoError(t, load(line))
	}
	server := httptest.NewServer(API(store(s.Series), func() time.Time { return now }))
	t.Cleanup(server.Close)
	return server.URL
}

// API serves Prometheus' API on samples.
func API(samples storage.Queryable, now func() time.Time) http.Handler {
	api, mux := promapi.New(samples, now), http.NewServeMux()
	mux.HandleFunc("GET /api/v1/query", api.Query)
	mux.HandleFunc("GET /api/v1/query_range", api.QueryRange)
	mux.HandleFunc("GET /api/v1/labels", api.Labels)
	mux.HandleFunc("GET /api/v1/label/{name}/values", func(w http.ResponseWriter, r *http.Request) {
		api.LabelValues(w, r, r.PathValue("name"))
	})
	return mux
}
