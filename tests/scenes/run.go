package scenes

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
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

// Rows are those of the result of a saved query, as JSON, whose time range ends when the plugin's clock stands. They are by column.
func (s *Scene) Rows(t *testing.T, saved string, from, to time.Time) (found []map[string]any) {
	t.Helper()
	e := &Evaluation{kind: "query", saved: saved, start: Start, from: from, to: to}
	s.respond(t, e, nil, func(_ *testing.T, response backend.DataResponse) {
		require.NoError(t, response.Error)
		for _, row := range e.rows(response.Frames) {
			found = append(found, row)
		}
	})
	return found
}

// Run compares the result of an evaluation with what is expected. The engine at an address has the samples of the scene; nil is the
// PromQL engine in this process. The plugin's clock stands at the end of the evaluation's time range.
func (s *Scene) Run(t *testing.T, e *Evaluation, engine *url.URL) {
	t.Helper()
	s.respond(t, e, engine, func(t *testing.T, response backend.DataResponse) {
		unnamed := e.compare(t, response)
		if engine == nil && e.kind == "query" { // other engines have notices of their own
			unnamed = slices.DeleteFunc(unnamed, func(text string) bool { return strings.HasPrefix(text, "PromQL info: ") })
			require.Empty(t, unnamed, "notices that no line names")
		}
	})
}

func (s *Scene) respond(t *testing.T, e *Evaluation, engine *url.URL, check func(*testing.T, backend.DataResponse)) {
	t.Helper()
	queries := e.dataQueries(t, s)
	begin(t)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(e.to)) // the clock of this test is its own, and waits for nothing
		ds := s.newDatasource(t, e, engine)
		responses, err := ds.QueryData(t.Context(), &backend.QueryDataRequest{Queries: queries})
		require.NoError(t, err)
		check(t, joined(responses))
	})
}

// dataQueries are the queries of an evaluation as Grafana sends them.
func (e *Evaluation) dataQueries(t *testing.T, s *Scene) (queries []backend.DataQuery) {
	t.Helper()
	saved, err := e.queries(s)
	require.NoError(t, err)
	for i, query := range saved {
		if query["queryType"] == nil {
			query["instant"], query["range"] = e.step == 0, e.step > 0
		}
		encoded, err := json.Marshal(query)
		require.NoError(t, err)
		kind, _ := query["queryType"].(string)
		queries = append(queries, backend.DataQuery{
			RefID: string(rune('A' + i)), QueryType: kind, JSON: encoded, MaxDataPoints: points,
			Interval: cmp.Or(e.step, time.Minute), TimeRange: backend.TimeRange{From: e.from, To: e.to},
		})
	}
	return queries
}

// joined has the frames of all responses, and an error of one.
func joined(responses *backend.QueryDataResponse) (all backend.DataResponse) {
	for _, refID := range slices.Sorted(maps.Keys(responses.Responses)) {
		response := responses.Responses[refID]
		all.Error = cmp.Or(all.Error, response.Error)
		all.Frames = append(all.Frames, response.Frames...)
	}
	return all
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
