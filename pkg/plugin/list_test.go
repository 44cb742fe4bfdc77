// cspell:ignore Vjcm Wtle
package plugin_test

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

const mainSecret = "c2VjcmV0LWtleQ"

const someCapacities = `{"items":[{"type":"h100.8x","location":"eu-1","quantity":3}]}`

// newMainAPIAt is a data source with the main API only.
func newMainAPIAt(t *testing.T, address, secret string) *plugin.Datasource {
	t.Helper()
	return newDatasourceWith(t, address, values{"accessKeyId": "AK"}, map[string]string{"secretKey": secret})
}

func TestList_PathPlaceholders(t *testing.T) {
	const list = "/v1/projects/{projectId}/organizations/{organizationId}/x"
	for name, test := range map[string]struct {
		settings values
		path     string
		requests string
		problem  string
	}{
		"both ids":                      {values{"projectId": "p-1", "organizationId": "org-1"}, list, "/v1/projects/p-1/organizations/org-1/x", ""},
		"ids that became numbers":       {values{"projectId": 1, "organizationId": 42}, list, "/v1/projects/1/organizations/42/x", ""},
		"an id that became a bool":      {values{"organizationId": true}, "/v1/organizations/{organizationId}/x", "/v1/organizations/true/x", ""},
		"no organization":               {nil, list, "", "{organizationId} stands for the organization id, and none is set. Set it in the data source's settings, section Main API"},
		"an empty one":                  {values{"organizationId": " "}, list, "", "none is set"},
		"no project":                    {values{"projectId": nil, "organizationId": "o"}, list, "", "section Connection"},
		"an organization with a slash":  {values{"organizationId": "a/b"}, list, "", "can't be part of a path"},
		"an organization that climbs":   {values{"organizationId": ".."}, list, "", `"." and ".."`},
		"an organization that encodes":  {values{"organizationId": "%2e"}, list, "", "can't be part of a path"},
		"a placeholder of another kind": {nil, "/v1/clusters/{clusterId}", "", "{projectId} or {organizationId}"},
		"a brace alone":                 {nil, "/v1/x{", "", "and may hold"},
	} {
		t.Run(name, func(t *testing.T) {
			var requests []string
			address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
				requests = append(requests, r.URL.Path)
				_, _ = w.Write([]byte(`{"items":[{"id":"a"}]}`))
			})
			settings := values{"accessKeyId": "AK"}
			maps.Copy(settings, test.settings)
			ds := newDatasourceWith(t, address, settings, map[string]string{"secretKey": mainSecret})
			response := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "platform", "path": test.path}))["A"]
			if test.problem != "" {
				require.ErrorContains(t, response.Error, test.problem)
				require.Equal(t, backend.ErrorSourceDownstream, response.ErrorSource)
				require.Equal(t, backend.StatusBadRequest, response.Status)
				require.Empty(t, requests, "nothing is sent")
				return
			}
			require.NoError(t, response.Error)
			require.Equal(t, []string{test.requests}, requests)
		})
	}
}

func TestMainAPI_CredentialErrors(t *testing.T) {
	for secret, want := range map[string]string{
		"":             "No secret key is set",
		"c2VjcmV0MQ==": "is not base64 without padding",
		"a+b/":         "is not base64 without padding",
		"***":          "is not base64",
	} {
		ds := newMainAPIAt(t, "http://127.0.0.1:1", secret)
		response := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "capacities"}))["A"]
		require.ErrorContains(t, response.Error, want)
		require.Contains(t, health(t, ds).Message, want, "when saving already")
	}
	skewed := func(by time.Duration) string {
		return serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusUnauthorized)
		})
	}
	wrong := runQueries(t, newMainAPIAt(t, skewed(0), mainSecret), dataQuery(t, "A", values{"queryType": "capacities"}))["A"]
	require.ErrorContains(t, wrong.Error, "refused the access key (401)")
	require.NotContains(t, wrong.Error.Error(), "clock")
	late := runQueries(t, newMainAPIAt(t, skewed(10*time.Minute), mainSecret), dataQuery(t, "A", values{"queryType": "capacities"}))["A"]
	require.ErrorContains(t, late.Error, "clock of Grafana's server is off")
}

func fieldNames(frame *data.Frame) []string {
	var names []string
	for _, field := range frame.Fields {
		names = append(names, field.Name)
	}
	return names
}
