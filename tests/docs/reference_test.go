package docs_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// documentedResult is a result of docs/reference/queries.md.
type documentedResult struct {
	queryType, option, format string
	columns                   [][2]string // name, type of its values
}

func documentedResults(t *testing.T) []documentedResult {
	t.Helper()
	page := readDocument(t, "docs/reference/queries.md")
	types := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` +\\| \\[([^\\]]+)\\]").FindAllStringSubmatch(page, -1) {
		types[row[2]] = row[1]
	}
	heading := regexp.MustCompile("(?m)^### ([^:\n]+): (?:result|`(\\w+)` `(\\w+)`)$")
	column := regexp.MustCompile("(?m)^\\| `([^`]+)` +\\| ([^|]+?) +\\|")
	var results []documentedResult
	for _, at := range heading.FindAllStringSubmatchIndex(page, -1) {
		part := func(group int) string {
			if at[2*group] < 0 {
				return ""
			}
			return page[at[2*group]:at[2*group+1]]
		}
		text, _, _ := strings.Cut(page[at[1]:], "\n#")
		result := documentedResult{queryType: types[part(1)], option: part(2), format: part(3)}
		require.NotEmpty(t, result.queryType, part(0))
		for _, row := range column.FindAllStringSubmatch(text, -1) {
			result.columns = append(result.columns, [2]string{row[1], row[2]})
		}
		results = append(results, result)
	}
	return results
}

func TestReferenceOfQueries_Columns(t *testing.T) {
	ds := newDemo(t)
	more := map[string]object{
		"metrics":   {"expr": "DCGM_FI_DEV_GPU_UTIL", "range": true},
		"placement": {"gpus": 8},
		"platform":  {"path": "/v1/projects/{projectId}/quotas"},
		// A loss that only rises, because jobs go wrong at some times only.
		"trainingHealth": {"expr": fmt.Sprintf(`label_replace(vector(time() - %d), "__name__", "my_loss", "", "")`, now.Add(-25*time.Hour).Unix())},
	}
	found := frames(t, ds, object{"queryType": "runs", "measures": []string{}})[0]
	baseline, _ := found.FieldByName("run_id")
	oldest, ok := baseline.ConcreteAt(baseline.Len() - 1)
	require.True(t, ok)
	more["runComparison"] = object{"metric": "train_loss", "baseline": oldest}
	results := documentedResults(t)
	require.Greater(t, len(results), 15)
	for _, result := range results {
		t.Run(result.queryType+" "+result.format, func(t *testing.T) {
			query := object{"queryType": result.queryType}
			maps.Copy(query, more[result.queryType])
			if result.option != "" {
				query[result.option] = result.format
			}
			for _, frame := range frames(t, ds, query) {
				require.NotZero(t, frame.Rows())
				requireColumns(t, result.columns, frame.Fields)
			}
		})
	}
}

// requireColumns compares the fields of a frame with the documented columns; a name in angle brackets stands for any number
// of fields.
func requireColumns(t *testing.T, columns [][2]string, fields []*data.Field) {
	t.Helper()
	named := slices.DeleteFunc(slices.Clone(columns), func(c [2]string) bool { return strings.HasPrefix(c[0], "<") })
	var seen []string
	for _, field := range fields {
		at := slices.IndexFunc(named, func(c [2]string) bool { return c[0] == field.Name })
		values := ""
		switch {
		case at >= 0:
			values = named[at][1]
			seen = append(seen, field.Name)
		case len(named) < len(columns):
			values = columns[slices.IndexFunc(columns, func(c [2]string) bool { return strings.HasPrefix(c[0], "<") })][1]
		default:
			require.Fail(t, "not documented", field.Name)
		}
		require.Contains(t, values, kindOf(field), field.Name)
		if field.Config != nil && field.Config.Unit == "s" {
			require.Contains(t, values, ", s", field.Name)
		}
	}
	require.Len(t, seen, len(named), "fields %v", seen)
}

func kindOf(field *data.Field) string {
	switch kind := field.Type().NonNullableType(); {
	case kind == data.FieldTypeTime:
		return "time"
	case kind == data.FieldTypeString:
		return "text"
	case kind == data.FieldTypeJSON:
		return "JSON"
	case kind == data.FieldTypeBool:
		return "boolean"
	case kind.Numeric():
		return "number"
	}
	return field.Type().String()
}
