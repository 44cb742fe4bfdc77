package mainapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func TestList_JSONPathRefused(t *testing.T) {
	for name, test := range map[string]struct {
		saved values
		want  string
	}{
		"a root":        {values{"root": "$.items"}, `Root: "$.items" is a JSONPath, which is not supported. Write the names of members joined by dots`},
		"a filter":      {values{"root": "items[?(@.a > 1)]"}, "choose items with Filter"},
		"a column":      {values{"columns": []values{{"selector": "$.a.b"}}}, `Columns: "$.a.b" is a JSONPath`},
		"an index":      {values{"columns": []values{{"selector": "a[0]"}}}, `Columns: "a[0]" is a JSONPath`},
		"a time column": {values{"timeColumn": "$.t"}, `Time column: "$.t" is a JSONPath`},
		"a member":      {values{"filterMember": "$.a", "filterValues": []string{"x"}}, `Filter: "$.a" is a JSONPath`},
		"a descent":     {values{"root": "data..items"}, `Root: "data..items" is a JSONPath`},
	} {
		t.Run(name, func(t *testing.T) {
			test.saved["queryType"], test.saved["path"] = "platform", "/v1/x"
			response := run(t, newMainAPI(t, nil, nil), test.saved)
			require.ErrorContains(t, response.Error, test.want)
			require.ErrorAs(t, response.Error, new(*query.Error))
		})
	}
}

// An item is kept whatever is on the way to its values.
func TestList_DottedPaths(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/x": `{"data":{"skip":[{"deep":[1]}],"page":{"rows":[{"a":{"b":1}},{"a":[]},null,5]}}}`}, nil)
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "root": "data.page.rows", "columns": []values{{"selector": "a.b"}, {"selector": "value"}}})[0]
	require.Equal(t, 4, frame.Rows())
	require.Equal(t, 1.0, *frame.Fields[0].At(0).(*float64))
	require.Nil(t, frame.Fields[0].At(1))
	require.Equal(t, 5.0, *frame.Fields[1].At(3).(*float64))
}

// A stack overflow can't be recovered, and would end the process with the queries of all data sources.
func TestJSON_NestingLimit(t *testing.T) {
	const levels = 8_000_000
	deep := strings.Repeat("[", levels) + strings.Repeat("]", levels)
	for name, body := range map[string]string{"the response": deep, "an item": `{"items":[{"a":` + deep + `}]}`} {
		t.Run(name, func(t *testing.T) {
			ds := newMainAPI(t, map[string]string{"/v1/x": body}, nil)
			response := run(t, ds, values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "a"}}})
			require.ErrorContains(t, response.Error, "something other than a list")
			require.ErrorIs(t, response.Error, transport.ErrMalformed)
		})
	}
}
