package scenes

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// points are more than any scene has.
const points = 11_000

// Files are the scenes of the repository, as tests of a folder in tests/ see them.
func Files(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(root + "tests/scenes/*/*.scene")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// NameOf is the folder and the name of a scene's file.
func NameOf(file string) string {
	return filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// Run compares the result of an evaluation with what is expected. The engine at an address has the samples of the scene; nil is the
// PromQL engine in this process. The plugin's clock stands at the end of the evaluation's time range.
func (s *Scene) Run(t *testing.T, e *Evaluation, engine *url.URL) {
	t.Helper()
	saved, err := e.query(s)
	require.NoError(t, err)
	if saved["queryType"] == nil {
		saved["instant"], saved["range"] = e.step == 0, e.step > 0
	}
	encoded, err := json.Marshal(saved)
	require.NoError(t, err)
	kind, _ := saved["queryType"].(string)
	step := cmp.Or(e.step, time.Minute)
	begin(t)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(e.to)) // the clock of this test is its own, and waits for nothing
		ds := s.newDatasource(t, e, engine)
		response, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{{
			RefID: "A", QueryType: kind, JSON: encoded, MaxDataPoints: points, Interval: step, TimeRange: backend.TimeRange{From: e.from, To: e.to},
		}}})
		require.NoError(t, err)
		e.compare(t, response.Responses["A"])
	})
}

// begin makes what the plugin keeps for a process, which may not be part of one test's clock.
var begin = func() func(t *testing.T) {
	var once sync.Once
	return func(t *testing.T) {
		once.Do(func() {
			_, err := datasource.New(t, map[string]any{}, nil).QueryData(t.Context(), &backend.QueryDataRequest{})
			require.NoError(t, err)
		})
	}
}()

func (e *Evaluation) now() time.Time { return e.to }
