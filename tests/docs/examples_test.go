package docs_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
	"github.com/stretchr/testify/require"
)

// docs/quickstart.md: the variables and the addresses that it replaces.
func TestQuickstart_Variables(t *testing.T) {
	page := readDocument(t, "docs/quickstart.md")
	source := readDocument(t, "provisioning/datasources/gpucloud.yaml")
	variables := regexp.MustCompile(`(?m)^ *(GPUCLOUD_[A-Z_]+)=`).FindAllStringSubmatch(page, -1)
	require.Len(t, variables, 5)
	for _, variable := range variables {
		require.Contains(t, source, "$"+variable[1]+"\n")
	}
	replaced := regexp.MustCompile(`'s\|([^|]+)\|`).FindAllStringSubmatch(page, -1)
	require.Len(t, replaced, 1)
	require.Contains(t, readDocument(t, "provisioning/notifications/notifications.yaml"), "url: "+replaced[0][1]+"\n")
}

// docs/migrate.md, step 4: the command for dashboards with a fixed data source.
func TestMigrationOfADashboard(t *testing.T) {
	command := regexp.MustCompile(`(?s)jq (--arg .+?) '(.+?)' old\.json`).FindStringSubmatch(readDocument(t, "docs/migrate.md"))
	require.NotNil(t, command)
	var names []string
	var values []any
	for _, arg := range regexp.MustCompile(`--arg (\w+) (\S+)`).FindAllStringSubmatch(command[1], -1) {
		names, values = append(names, "$"+arg[1]), append(values, arg[2])
	}
	parsed, err := gojq.Parse(command[2])
	require.NoError(t, err)
	script, err := gojq.Compile(parsed, gojq.WithVariables(names))
	require.NoError(t, err)

	const migrated = `{"type":"gpucloud-platform-datasource","uid":"gpucloud"}`
	for name, test := range map[string]struct{ old, want string }{
		"reference":                    {`{"datasource":{"type":"prometheus","uid":"old"}}`, `{"datasource":` + migrated + `}`},
		"reference without uid":        {`{"datasource":{"type":"prometheus"}}`, `{"datasource":` + migrated + `}`},
		"reference with uid null":      {`{"datasource":{"type":"prometheus","uid":null}}`, `{"datasource":` + migrated + `}`},
		"reference to a variable":      {`{"datasource":{"type":"prometheus","uid":"${ds}"}}`, strings.Replace(`{"datasource":`+migrated+`}`, `"gpucloud"}`, `"${ds}"}`, 1)},
		"name":                         {`{"panels":[{"datasource":"Prometheus"}]}`, `{"panels":[{"datasource":` + migrated + `}]}`},
		"name of a variable":           {`{"datasource":"$ds"}`, `{"datasource":"$ds"}`},
		"other data source":            {`{"targets":[{"datasource":{"type":"loki","uid":"l"}}]}`, `{"targets":[{"datasource":{"type":"loki","uid":"l"}}]}`},
		"name of another data source":  {`{"datasource":"Loki"}`, `{"datasource":"Loki"}`},
		"default data source":          {`{"datasource":null}`, `{"datasource":null}`},
		"data-source variable":         {`{"type":"datasource","query":"prometheus"}`, `{"type":"datasource","query":"gpucloud-platform-datasource"}`},
		"data-source variable of Loki": {`{"type":"datasource","query":"loki"}`, `{"type":"datasource","query":"loki"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var old any
			require.NoError(t, json.Unmarshal([]byte(test.old), &old))
			result, _ := script.Run(old, values...).Next()
			got, err := json.Marshal(result)
			require.NoError(t, err)
			require.JSONEq(t, test.want, string(got))
		})
	}
}
