package plugin_test

import (
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// A reader follows a query to its first request, PromQL through the seam of an archive, through at most twelve functions in eight files,
// without the middlewares, and without what coalesces requests and recovers from panics.
// docs/develop/architecture.md has the ways.
func TestPath_ToTheFirstRequest(t *testing.T) {
	for name, query := range map[string]values{
		"PromQL":         {"expr": "up"},
		"jobs":           {"queryType": "fineTuningJobs"},
		"a list":         {"queryType": "platform", "path": "/v1/instances"},
		"runs of jobs":   {"queryType": "runs"},
		"runs of series": {"queryType": "runs", "source": values{"kind": "series", "expr": "up", "by": "pod"}},
	} {
		t.Run(name, func(t *testing.T) {
			functions, files := pathOf(t, query)
			require.Contains(t, functions, "transport.(*Client).Send")
			require.Equal(t, functions["prom.(*endpoint).call"], functions["prom/archive.(*seam).Evaluate"])
			require.LessOrEqual(t, len(functions), 12, functions)
			require.LessOrEqual(t, len(files), 8, files)
		})
	}
}

// pathOf is the functions, and their files, that are on the way of a query to its first request.
func pathOf(t *testing.T, query values) (functions, files map[string]bool) {
	t.Helper()
	frame := regexp.MustCompile(`(?m)^github\.com/gpucloud/gpucloud-platform-datasource/pkg/(\S+)\(.*\)\n\s+\S+/(pkg/\S+\.go):`)
	closure := regexp.MustCompile(`\[\.\.\.\]|\.func\d.*`)
	var once sync.Once
	functions, files = map[string]bool{}, map[string]bool{}
	ctx := datasource.InMemory(t.Context(), func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() {
			for _, call := range frame.FindAllStringSubmatch(stacksToHere(), -1) {
				function, file := closure.ReplaceAllString(call[1], ""), call[2]
				isOther := strings.HasPrefix(function, "transport.") && function != "transport.(*Client).Send" || strings.HasPrefix(file, "pkg/panics/")
				if !isOther && function != "cache.Coalesce" && !strings.HasSuffix(file, "_test.go") {
					functions[function], files[file] = true, true
				}
			}
		})
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"success","items":[],"data":[]}`)
	})
	ds := newDatasourceWith(t, datasource.Nowhere, values{"intelligenceUrl": datasource.Nowhere, "accessKeyId": "id", "archive": values{"url": datasource.Nowhere}},
		map[string]string{"inferenceApiKey": inferenceKey, "monitoringToken": "a-monitoring-token", "secretKey": mainSecret})
	_, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{dataQuery(t, "A", query)}})
	require.NoError(t, err)
	return functions, files
}

// stacksToHere is the stack of this goroutine, and those of the goroutines that led to it by starting one another: others may still work for
// another query, as the fetching of details does.
func stacksToHere() string {
	all := make([]byte, 4<<20)
	all = all[:runtime.Stack(all, true)]
	byID := map[string]string{}
	id := regexp.MustCompile(`^goroutine (\d+) `)
	startedBy := regexp.MustCompile(`(?m)^created by .* in goroutine (\d+)$`)
	next := ""
	for i, stack := range strings.Split(string(all), "\n\n") {
		match := id.FindStringSubmatch(stack)
		byID[match[1]] = stack
		if i == 0 { // runtime.Stack begins with the goroutine that calls it.
			next = match[1]
		}
	}
	var way strings.Builder
	for byID[next] != "" {
		way.WriteString(byID[next] + "\n")
		parent := startedBy.FindStringSubmatch(byID[next])
		if parent == nil {
			break
		}
		next = parent[1]
	}
	return way.String()
}
