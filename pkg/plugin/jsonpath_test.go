package plugin_test

import (
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

func TestJSONPath_NotApplicable(t *testing.T) {
	const filter = "$[?(@.a > 1)]"
	for name, test := range map[string]struct {
		saved values
		want  string
	}{
		"a filter on null":         {values{"root": filter}, "Root: " + filter + " can't be applied to the response."},
		"a root that is none":      {values{"root": "$["}, `Root: "$[" is not a JSONPath.`},
		"a column that is none":    {values{"columns": []values{{"selector": "$.a["}}}, `Columns: "$.a[" is neither a member's name nor a JSONPath.`},
		"a time that is no column": {values{"timeColumn": "$.t["}, `Time column: "$.t[" is neither a member's name nor a JSONPath.`},
	} {
		t.Run(name, func(t *testing.T) {
			test.saved["queryType"], test.saved["path"] = "platform", "/v1/x"
			response := runQueries(t, newMainAPI(t, map[string]string{"/v1/x": "null"}, nil), dataQuery(t, "A", test.saved))["A"]
			require.ErrorContains(t, response.Error, test.want)
			require.Equal(t, backend.StatusBadRequest, response.Status)
			require.Equal(t, backend.ErrorSourceDownstream, response.ErrorSource)
		})
	}
}

func TestJSONPath_SelectorNotApplicable(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/x": `{"items":[{"a":[{"b":1},{"b":2}]},{"a":[]},null]}`}, nil)
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "$.a[1:0:-1].b", "name": "b"}}})[0]
	require.Equal(t, 3, frame.Rows())
	require.Equal(t, 2.0, *frame.Fields[0].At(0).(*float64))
	require.Nil(t, frame.Fields[0].At(1))
	require.Nil(t, frame.Fields[0].At(2))
	require.Contains(t, frame.Meta.Notices[0].Text, `Column "b": its selector can't be applied to 1 of 3 items`)
}

func TestJSONPath_MemberNameLikePath(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/x": `{"items":[{"a.b":1,"c[":2},{"a":{"b":3}}]}`}, nil)
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x"})[0]
	require.Equal(t, []string{"a.b", "c["}, fieldNames(frame))
	require.Equal(t, 1.0, *frame.Fields[0].At(0).(*float64))
	require.Equal(t, 2.0, *frame.Fields[1].At(0).(*float64))
	require.Equal(t, 3.0, *frame.Fields[0].At(1).(*float64))
}

// A stack overflow can't be recovered, and would end the process with the queries of all data sources.
func TestJSON_NestingLimit(t *testing.T) {
	const levels = 8_000_000
	deep := strings.Repeat("[", levels) + strings.Repeat("]", levels)
	for name, body := range map[string]string{"the response": deep, "an item": `{"items":[{"a":` + deep + `}]}`} {
		t.Run(name, func(t *testing.T) {
			ds := newMainAPI(t, map[string]string{"/v1/x": body}, nil)
			response := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "a"}}}))["A"]
			require.ErrorContains(t, response.Error, "well-formed JSON")
			require.Equal(t, backend.StatusBadGateway, response.Status)
		})
	}
}
