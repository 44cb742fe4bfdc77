package plugin

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/proxy"
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
	"POST /suggestions":             {"suggestions", everybody},
	"GET /jobs":                     {"jobs", everybody},
	"GET /models":                   {"models", everybody},
	"GET /statuses":                 {"statuses", everybody},
	"GET /checkpoints/{id}/content": {"checkpoints/ckpt-1/content", editors},
}

// routeRoles are all routes of plugin.json, by method and path, and the roles with access.
var routeRoles = map[string][]string{
	"GET tuning/v1/":  editors,
	"POST tuning/v1/": editors,
}

// recorder is a router that records the patterns.
type recorder map[string]bool

func (r recorder) HandleFunc(pattern string, _ func(http.ResponseWriter, *http.Request)) {
	r[pattern] = true
}

func TestRoles_Resources(t *testing.T) {
	ds := &Datasource{}
	registered := recorder{}
	ds.metrics.register(registered, ds.admission)
	ds.gateway.register(registered, ds.admission)
	ds.registerCache(registered)
	require.ElementsMatch(t, slices.Collect(maps.Keys(resourceRoles)), slices.Collect(maps.Keys(registered)), "a resource is not listed, or not there")

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

// pluginJSON is the part of src/plugin.json about roles.
type pluginJSON struct {
	Backend bool
	Routes  []struct {
		proxy.Route
		ReqAction string `json:"reqAction"`
	}
	Roles json.RawMessage
}

func readPluginJSON(t *testing.T) (described pluginJSON, routes []proxy.Route) {
	t.Helper()
	content, err := os.ReadFile("../../src/plugin.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &described))
	require.True(t, described.Backend)
	require.Empty(t, described.Roles, "roles of one's own would change who may do what")
	for _, route := range described.Routes {
		require.Empty(t, route.ReqAction, "an action would take the role's place")
		routes = append(routes, route.Route)
	}
	return described, routes
}

func TestRoles_Routes(t *testing.T) {
	var reached []string
	gateway := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached = append(reached, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(gateway.Close)
	_, routes := readPluginJSON(t)
	var listed []string
	for _, route := range routes {
		listed = append(listed, route.Method+" "+route.Path)
		require.Equal(t, "{{ .JsonData.intelligenceUrl }}/v1", route.URL)
		require.Equal(t, []proxy.Header{{Name: "Authorization", Content: "Bearer {{ .SecureJsonData.inferenceApiKey }}"}}, route.Headers, "one credential, for the service that it is for")
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(routeRoles)), listed)

	runQueries := func(role, method, path string) int {
		host := proxy.New(proxy.Config{Routes: routes, Log: hclog.NewNullLogger(), Context: func() backend.PluginContext {
			return backend.PluginContext{
				User: &backend.User{Role: role},
				DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{
					JSONData:                []byte(`{"baseUrl":"` + gateway.URL + `/main","intelligenceUrl":"` + gateway.URL + `"}`),
					DecryptedSecureJSONData: map[string]string{"monitoringToken": "t", "inferenceApiKey": "key", "secretKey": "s"},
				},
			}
		}})
		body := httptest.NewRecorder()
		host.Serve(body, httptest.NewRequestWithContext(context.Background(), method, "/", nil), path)
		return body.Code
	}
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		for _, role := range everybody {
			as := role
			if role == anonymous {
				as = viewer
			}
			reached = nil
			status := runQueries(as, method, "tuning/v1/files")
			allowed, open := routeRoles[method+" tuning/v1/"]
			switch {
			case !open:
				require.Equal(t, http.StatusBadGateway, status, "%s as %s: nothing is behind the top-level address", method, role)
				require.Empty(t, reached)
			case slices.Contains(allowed, role):
				require.Equal(t, http.StatusOK, status)
				require.Equal(t, []string{method + " /v1/files Bearer key"}, reached)
			default:
				require.Equal(t, http.StatusForbidden, status, "%s as %s", method, role)
				require.Empty(t, reached)
			}
		}
	}
	for _, elsewhere := range []string{"", "v1/files", "api/v1/query", "tuning", "tuning/v2/files", "tuning/../v1/files", "metrics/api/v1/query", "main/v1/capacities"} {
		reached = nil
		require.Equal(t, http.StatusBadGateway, runQueries(admin, "GET", elsewhere), elsewhere)
		require.Empty(t, reached)
	}
}

func TestRoles_QueriesAndHealth(t *testing.T) {
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
