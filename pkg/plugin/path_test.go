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
)

// The way of a query of jobs to its first request, as docs/develop/architecture.md has it: without the middlewares, and without what
// coalesces requests and recovers from panics.
func TestPath_Jobs(t *testing.T) {
	frame := regexp.MustCompile(`(?m)^github\.com/gpucloud/gpucloud-platform-datasource/pkg/(\S+)\(.*\)\n\s+\S+/(pkg/\S+\.go):`)
	closure := regexp.MustCompile(`\[\.\.\.\]|\.func\d.*`)
	var once sync.Once
	functions, files := map[string]bool{}, map[string]bool{}
	ctx := inMemory(t.Context(), func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() {
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			for _, call := range frame.FindAllStringSubmatch(string(stacks), -1) {
				function, file := closure.ReplaceAllString(call[1], ""), call[2]
				isOther := strings.HasPrefix(file, "pkg/transport/") && file != "pkg/transport/client.go" || strings.HasPrefix(file, "pkg/panics/")
				if !isOther && !strings.HasPrefix(function, "transport.New") && !strings.HasSuffix(file, "_test.go") {
					functions[function], files[file] = true, true
				}
			}
		})
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[]}`)
	})
	ds := newDatasourceWith(t, nowhere, values{"intelligenceUrl": nowhere}, map[string]string{"inferenceApiKey": inferenceKey})
	_, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{dataQuery(t, "A", values{"queryType": "fineTuningJobs"})}})
	require.NoError(t, err)
	require.Contains(t, functions, "transport.(*Client).Do")
	require.Len(t, functions, 12, functions)
	require.Len(t, files, 8, files)
}
