package docs_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/experimental/pluginschema"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// src/schema: the SDK reads it, it has the query types of the backend, its examples run, and its resources are there.
func TestSchema(t *testing.T) {
	schema, err := pluginschema.NewSchemaProvider(os.DirFS("../../src/schema")).Get("v0alpha1")
	require.NoError(t, err)
	var types []string
	for _, item := range schema.QueryTypes.Items {
		types = append(types, item.Name)
		require.NotEmpty(t, item.Spec.Schema.Spec.Properties, item.Name)
	}
	require.ElementsMatch(t, slices.Concat([]string{"metrics", "placement"}, jobs.QueryTypes(), runs.QueryTypes(), mainapi.QueryTypes()), types)
	require.Greater(t, len(schema.SettingsSchema.Spec.Properties["jsonData"].Properties), 15)
	require.Greater(t, len(schema.SettingsSchema.SecureValues), 4)

	ds := newDemo(t)
	job := frames(t, ds, object{"queryType": "fineTuningJobs"})[0].Fields[0].At(0).(*string)
	for _, example := range schema.QueryExamples.Examples {
		t.Run(example.QueryType, func(t *testing.T) {
			saved := object{"queryType": example.QueryType}
			for name, value := range example.SaveModel.Object {
				if chosen, ok := value.([]any); ok && (slices.Contains(chosen, any("$job")) || slices.Contains(chosen, any("$run"))) {
					value = []string{*job}
				}
				saved[name] = value
			}
			require.NotEmpty(t, frames(t, ds, saved))
		})
	}
	for path := range schema.Routes.Paths {
		t.Run(path, func(t *testing.T) {
			resource := strings.NewReplacer("/resources/", "", "{name}", "gpu", "{id}", "none").Replace(path)
			response, err := datasource.Resources{Datasource: ds}.RoundTrip(httptest.NewRequest(http.MethodGet, "/"+resource, nil))
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			if path != "/resources/checkpoints/{id}/content" { // none of them is there
				require.NotEqual(t, http.StatusNotFound, response.StatusCode)
			}
		})
	}
}
