package mainapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// What looks like an expression is the name of a member.
func TestList_NamesOnly(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/x": `{"items":[{"a":1,"$.a":2}]}`}, nil)
	list := values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "$.a"}, {"selector": "items[0].a"}}}
	frame := frames(t, ds, list)[0]
	require.Equal(t, 2.0, *frame.Fields[0].At(0).(*float64))
	require.Nil(t, frame.Fields[1].At(0))
	list["filterMember"], list["filterValues"] = "a[?(@)]", []string{"1"}
	require.Zero(t, frames(t, ds, list)[0].Rows())
	list["root"] = "$.items"
	require.Contains(t, frames(t, ds, list)[0].Meta.Notices[0].Text, "$.items matches nothing in the response.")
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
