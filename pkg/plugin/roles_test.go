package plugin

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

// Roles that are tested. Grafana rejects requests for resources by users who may not query the data source. An anonymous
// visitor has the role Viewer for a route, and no user in the backend.
const (
	anonymous = "anonymous"
	viewer    = "Viewer"
	editor    = "Editor"
	admin     = "Admin"
)

var (
	everybody = []string{anonymous, viewer, editor, admin}
	editors   = []string{editor, admin}
)

// resourceRoles are all resources: their pattern, a path that matches, and the roles with access.
var resourceRoles = map[string]struct {
	path    string
	allowed []string
}{
	"POST /cache/refresh":             {"cache/refresh", editors},
	"GET /api/v1/query":               {"api/v1/query", everybody},
	"POST /api/v1/query":              {"api/v1/query", everybody},
	"GET /api/v1/query_range":         {"api/v1/query_range", everybody},
	"POST /api/v1/query_range":        {"api/v1/query_range", everybody},
	"GET /api/v1/labels":              {"api/v1/labels", everybody},
	"POST /api/v1/labels":             {"api/v1/labels", everybody},
	"GET /api/v1/label/{name}/values": {"api/v1/label/gpu/values", everybody},
	"POST /api/v1/label/{name}/values": {
		"api/v1/label/gpu/values", everybody},
	"GET /api/v1/series":            {"api/v1/series", everybody},
	"POST /api/v1/series":           {"api/v1/series", everybody},
	"GET /api/v1/metadata":          {"api/v1/metadata", everybody},
	"POST /api/v1/metadata":         {"api/v1/metadata", everybody},
	"GET /federate":                 {"federate", everybody},
	"POST /federate":                {"federate", everybody},
	"GET /export":                   {"export", editors},
	"POST /export":                  {"export", editors},
	"GET /jobs":                     {"jobs", everybody},
	"GET /models":                   {"models", everybody},
	"GET /statuses":                 {"statuses", everybody},
	"GET /checkpoints/{id}/content": {"checkpoints/ckpt-1/content", editors},
}

func TestRoles_Resources(t *testing.T) {
	require.ElementsMatch(t, slices.Collect(maps.Keys(resourceRoles)), slices.Collect(maps.Keys((&Datasource{}).resourceHandlers())), "a resource is not listed, or not there")

	// Without settings, a request that is allowed fails with an error about them.
	instance, err := New(t.Context(), backend.DataSourceInstanceSettings{})
	require.NoError(t, err)
	for pattern, resource := range resourceRoles {
		method, _, _ := strings.Cut(pattern, " ")
		for _, role := range everybody {
			t.Run(pattern+" as "+role, func(t *testing.T) {
				req := &backend.CallResourceRequest{Method: method, Path: resource.path, URL: resource.path}
				if role != anonymous {
					req.PluginContext.User = &backend.User{Login: "someone", Role: role}
				}
				status := 0
				err := instance.(*Datasource).CallResource(t.Context(), req, backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
					status = max(status, r.Status)
					return nil
				}))
				require.NoError(t, err)
				want := http.StatusBadRequest
				if resource.path == "cache/refresh" {
					want = http.StatusOK // it needs no settings
				}
				if !slices.Contains(resource.allowed, role) {
					want = http.StatusForbidden
				}
				require.Equal(t, want, status)
			})
		}
	}
}

// A request that matches no route goes to the data source's top-level address, which is empty. What Grafana makes of the routes
// is tested in Grafana, by tests/e2e/roles.spec.ts.
func TestRoles_Routes(t *testing.T) {
	content, err := os.ReadFile("../../src/plugin.json")
	require.NoError(t, err)
	var described struct {
		Backend bool
		Routes  []map[string]any
		Roles   json.RawMessage
	}
	require.NoError(t, json.Unmarshal(content, &described))
	require.True(t, described.Backend)
	require.Empty(t, described.Roles, "roles of one's own would change who may do what")
	var routes []map[string]any
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		routes = append(routes, map[string]any{
			"path": "tuning/v1/", "method": method, "reqRole": editor, "url": "{{ .JsonData.intelligenceUrl }}/v1",
			"headers": []any{map[string]any{"name": "Authorization", "content": "Bearer {{ .SecureJsonData.inferenceApiKey }}"}},
		})
	}
	require.ElementsMatch(t, routes, described.Routes, "one credential, for the service that it is for, and nothing else that Grafana passes on")
}

func TestRoles_QueriesAndHealth(t *testing.T) {
	t.Parallel()
	now := time.Now()
	ds := connected(t, now)
	for _, role := range everybody {
		t.Run(role, func(t *testing.T) {
			var caller backend.PluginContext
			if role != anonymous {
				caller.User = &backend.User{Login: "someone", Role: role}
			}
			for _, saved := range []string{`{"expr":"vector(1)"}`, `{"queryType":"fineTuningJobs"}`, `{"queryType":"capacities"}`} {
				response, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{PluginContext: caller, Queries: []backend.DataQuery{{
					RefID: "A", JSON: []byte(saved), MaxDataPoints: 100, Interval: time.Minute, TimeRange: backend.TimeRange{From: now.Add(-time.Hour), To: now},
				}}})
				require.NoError(t, err)
				require.NoError(t, response.Responses["A"].Error)
			}
			checked, err := ds.CheckHealth(t.Context(), &backend.CheckHealthRequest{PluginContext: caller})
			require.NoError(t, err)
			require.Equal(t, backend.HealthStatusOk, checked.Status, checked.Message)
		})
	}
}
