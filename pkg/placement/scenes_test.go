package placement_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// noon is now in all scenes.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// lists are the items of lists by path. A list that is missing is not served.
type lists map[string][]string

var errRefused = errors.New("the platform refused it")

func (l lists) Items(_ context.Context, path string) (*mainapi.Items, error) {
	list, ok := l[path]
	switch {
	case !ok:
		return nil, transport.ErrNotFound
	case len(list) == 1 && list[0] == `"refused"`:
		return nil, errRefused
	case len(list) > 0 && list[len(list)-1] == `"more"`:
		return &mainapi.Items{All: records(list[:len(list)-1]), Cut: "There are others."}, nil
	}
	return &mainapi.Items{All: records(list)}, nil
}

func records(list []string) iter.Seq[query.Record] {
	return func(yield func(query.Record) bool) {
		for _, item := range list {
			if !yield(query.ParseRecord([]byte(item))) {
				return
			}
		}
	}
}

// listPaths are the lists by the words of scenes.
var listPaths = map[string]string{
	"capacities": "/v1/capacities", "types": "/v1/projects/{projectId}/compute/vms/types", "quotas": "/v1/projects/{projectId}/quotas",
	"nodepools": "/v1/projects/{projectId}/kubernetes/nodepools", "kubernetes": "/v1/projects/{projectId}/kubernetes/clusters",
	"slurm": "/v1/projects/{projectId}/slurm/clusters",
}

// TestScenes runs the queries of situations, and compares their results with what was worked out by hand. A scene is a file of
// sections: "load" has series in the notation of promqltest, a sample a minute until now; "list" the items of a list of the main
// API; "query" a query, and then its rows with the columns that matter, its notices or its error.
func TestScenes(t *testing.T) {
	files, err := filepath.Glob("testdata/scenes/*.scene")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".scene"), func(t *testing.T) { runScene(t, file) })
	}
}

func runScene(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	metrics, served := &engine{}, lists{}
	client := &placement.Client{MetricsErr: errors.New("No monitoring token is set."), ListsErr: errors.New("No access key id is set."), Now: func() time.Time { return noon }}
	var section, path string
	var want *expectation
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch isIndented := strings.HasPrefix(line, " "); {
		case word == "" || strings.HasPrefix(word, "#"):
		case !isIndented && word == "load":
			section, client.Metrics = word, metrics
		case !isIndented && word == "list":
			section, path, client.Lists = word, listPaths[rest], served
			require.NotEmpty(t, path, line)
			served[path] = []string{}
		case !isIndented && word == "query":
			section = word
			want.check(t)
			want = ask(t, client, rest)
		case isIndented && section == "load":
			metrics.load(t, strings.TrimSpace(line), noon)
		case isIndented && section == "list":
			require.True(t, json.Valid([]byte(line)), line)
			served[path] = append(served[path], strings.TrimSpace(line))
		case isIndented && section == "query":
			want.expect(t, word, rest, strings.TrimSpace(line))
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	require.NotNil(t, want, "a query")
	want.check(t)
	require.Less(t, metrics.longest, 16<<10, "engines refuse longer queries")
}

// expectation is the result of a query, and what it should be.
type expectation struct {
	query   string
	frames  data.Frames
	err     error
	rows    []map[string]any
	notices []string
	failure string
}

func ask(t *testing.T, client *placement.Client, query string) *expectation {
	t.Helper()
	options := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(query), &options), query)
	isAlert, _ := options["alert"].(bool)
	frames, err := client.QueryData(t.Context(), backend.DataQuery{RefID: "A", JSON: []byte(query)}, isAlert)
	return &expectation{query: query, frames: frames, err: err}
}

func (e *expectation) expect(t *testing.T, word, rest, line string) {
	t.Helper()
	switch word {
	case "notice":
		e.notices = append(e.notices, rest)
	case "error":
		e.failure = rest
	default:
		row := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(line), &row), line)
		e.rows = append(e.rows, row)
	}
}

// check compares rows by the columns of the expected ones, numbers with their labels as "labels".
func (e *expectation) check(t *testing.T) {
	t.Helper()
	if e == nil {
		return
	}
	if e.failure != "" {
		require.EqualError(t, e.err, e.failure, e.query)
		return
	}
	require.NoError(t, e.err, e.query)
	var got []map[string]any
	for _, frame := range e.frames {
		for i := range frame.Rows() {
			row := map[string]any{}
			for _, field := range frame.Fields {
				if value, ok := field.ConcreteAt(i); ok {
					row[field.Name] = value
				}
				if field.Labels != nil {
					row["labels"] = field.Labels.String()
				}
			}
			got = append(got, row)
		}
	}
	for i, row := range got {
		if i < len(e.rows) {
			for column := range row {
				if _, ok := e.rows[i][column]; !ok {
					delete(row, column)
				}
			}
			for column, value := range e.rows[i] {
				if value == nil {
					e.rows[i][column] = row[column]
					require.NotContains(t, row, column, e.query)
					delete(e.rows[i], column)
				}
			}
		}
	}
	require.Equal(t, e.rows, got, e.query)
	var notices []string
	for _, notice := range e.frames[0].Meta.Notices {
		notices = append(notices, notice.Text)
	}
	require.Equal(t, e.notices, notices, e.query)
}
