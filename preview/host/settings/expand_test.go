package settings

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func environmentOf(variables map[string]string, files map[string]string) Environment {
	return Environment{
		Getenv: func(name string) string { return variables[name] },
		ReadFile: func(path string) ([]byte, error) {
			content, ok := files[path]
			if !ok {
				return nil, os.ErrNotExist
			}
			return []byte(content), nil
		},
	}
}

func TestExpand_Rules(t *testing.T) {
	env := environmentOf(
		map[string]string{"TOKEN": "plain", "TRICKY": "with$dollar"},
		map[string]string{"/run/secret": "with$dollar\n", "/run/plain": "plain\n"},
	)
	for name, c := range map[string]struct{ written, arrives string }{
		"text stays as it is":                       {"text", "text"},
		"a literal dollar cuts":                     {"with$dollar", "with"},
		"a doubled dollar is one":                   {"with$$dollar", "with$dollar"},
		"a variable without braces arrives whole":   {"$TRICKY", "with$dollar"},
		"a variable in braces arrives":              {"${TOKEN}", "plain"},
		"a variable in braces is expanded twice":    {"${TRICKY}", "with"},
		"the env provider is expanded twice":        {"$__env{TRICKY}", "with"},
		"a file arrives without its last line end":  {"$__file{/run/plain}", "plain"},
		"the file provider is expanded twice":       {"$__file{/run/secret}", "with"},
		"a variable that is not set arrives empty":  {"$MISSING", ""},
		"a variable may be part of a longer string": {"a-$TOKEN-b", "a-plain-b"},
	} {
		t.Run(name, func(t *testing.T) {
			expanded, err := env.Expand(c.written)
			require.NoError(t, err)
			assert.Equal(t, c.arrives, expanded)
		})
	}
}

func TestExpand_MissingFile(t *testing.T) {
	_, err := environmentOf(nil, nil).Expand("$__file{/run/none}")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestLoadFile_DataSourceOfThePlugin(t *testing.T) {
	env := environmentOf(
		map[string]string{"BASE": "https://api.example.com", "PROJECT": "42", "TOKEN": "to$ken"},
		map[string]string{"sources.yaml": `
apiVersion: 1
datasources:
  - name: Other
    type: prometheus
  - name: GPU Cloud
    uid: gpucloud
    type: the-plugin
    jsonData:
      baseUrl: $BASE
      projectId: $PROJECT
      cache: {enabled: true}
    secureJsonData:
      monitoringToken: $TOKEN
`})
	loaded, err := LoadFile("sources.yaml", "the-plugin", env)
	require.NoError(t, err)
	assert.Equal(t, "gpucloud", loaded.DataSource.UID)
	assert.JSONEq(t,
		`{"baseUrl": "https://api.example.com", "projectId": 42, "cache": {"enabled": true}}`,
		string(loaded.DataSource.JSONData),
		"a number from a variable arrives as a number",
	)
	assert.Equal(t, map[string]string{"monitoringToken": "to$ken"}, loaded.Secrets)

	_, err = LoadFile("sources.yaml", "another-plugin", env)
	require.ErrorContains(t, err, "no data source of type another-plugin")
}
