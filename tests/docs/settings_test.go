package docs_test

import (
	"context"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// docs/reference/settings.md: the provisioning file has every setting of the page.
func TestProvisioningFile_Settings(t *testing.T) {
	file := readDocument(t, "provisioning/datasources/gpucloud.yaml")
	rows := documentedSettings(t)
	require.Greater(t, len(rows), 30)
	for name := range rows {
		section, option, nested := strings.Cut(name, ".")
		pattern := `(?m)^ +(# )?` + section + `:`
		if nested {
			pattern += `(.*\b|\n( {8}.*\n)* {8}(# )?)` + option + `:`
		}
		require.Regexp(t, pattern, file)
	}
}

// docs/reference/settings.md, Bounds: what is outside of a bound is an error or, for limits, the default.
func TestSettings_Bounds(t *testing.T) {
	rows := documentedSettings(t)
	for name, test := range map[string]struct {
		documented string
		jsonData   object
		message    string // of Save & test; empty if the value counts
	}{
		"cache.maxMegabytes":                {"more than 0, at most 1048576", object{"cache": object{"maxMegabytes": 1048576}}, ""},
		"cache.maxMegabytes, too large":     {"more than 0, at most 1048576", object{"cache": object{"maxMegabytes": 1048577}}, "Cache size"},
		"cache.maxMegabytes, zero":          {"more than 0, at most 1048576", object{"cache": object{"maxMegabytes": 0}}, "Cache size"},
		"cache.recentWindow, zero":          {"> 0", object{"cache": object{"recentWindow": "0m"}}, "Recent window"},
		"timeInterval":                      {"> 0; a number without a unit is in seconds", object{"timeInterval": 30}, ""},
		"timeInterval, zero":                {"> 0; a number without a unit is in seconds", object{"timeInterval": "0s"}, "Scrape interval"},
		"queryTimeout, negative":            {"> 0; a number without a unit is in seconds", object{"queryTimeout": "-1s"}, "Query timeout"},
		"customQueryParameters":             {"`name=value&name=value`", object{"customQueryParameters": "a=%zz"}, "Custom query parameters"},
		"timestampHeader":                   {"name of a header, except `Authorization` and `Host`", object{"timestampHeader": "x-vendor-timestamp"}, ""},
		"timestampHeader, Authorization":    {"name of a header, except `Authorization` and `Host`", object{"timestampHeader": "authorization"}, "Timestamp header"},
		"baseUrl, without a scheme":         {"`http://` or `https://`", object{"baseUrl": "api.example.com"}, "not an absolute address"},
		"intelligenceUrl, without a scheme": {"`http://` or `https://`", object{"intelligenceUrl": "gateway.example.com"}, "not an absolute address"},
	} {
		t.Run(name, func(t *testing.T) {
			setting, _, _ := strings.Cut(name, ",")
			require.Equal(t, test.documented, rows[setting].bounds)
			jsonData, secrets := datasource.Settings(newAddress(t))
			maps.Copy(jsonData, test.jsonData)
			health, err := datasource.New(t, jsonData, secrets).CheckHealth(context.Background(), &backend.CheckHealthRequest{})
			require.NoError(t, err)
			require.Equal(t, test.message == "", health.Status == backend.HealthStatusOk, health.Message)
			require.Contains(t, health.Message, test.message)
		})
	}
	require.Equal(t, strconv.Itoa(int(httpclient.DefaultTimeoutOptions.Timeout.Seconds())), rows["timeout"].otherwise)
}

type documentedSetting struct{ otherwise, bounds string }

// documentedSettings are the rows of docs/reference/settings.md.
func documentedSettings(t *testing.T) map[string]documentedSetting {
	t.Helper()
	row := regexp.MustCompile("(?m)^\\| `([\\w.]+)` +\\|[^|]+\\|[^|]+\\| ([^|]+?) +\\| ([^|]*?) *\\|")
	settings := map[string]documentedSetting{}
	for _, cells := range row.FindAllStringSubmatch(readDocument(t, "docs/reference/settings.md"), -1) {
		settings[cells[1]] = documentedSetting{otherwise: cells[2], bounds: cells[3]}
	}
	return settings
}
