// cspell:ignore Vjcm Wtle
package mainapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

func TestList_AlertRule(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/quotas": `{"items":[
		{"name":"gpus","location":"eu-1","limit":8,"used":6,"shared":true,"since":"2025-01-02T03:04:05Z"},
		{"name":"gpus","location":"us-1","limit":4,"used":0,"shared":false,"since":"2025-01-02T03:04:05Z"},
		{"name":"disks","location":"eu-1","limit":9}]}`, "/v1/empty": `{"items":[]}`}, nil)
	list := func(path string, columns ...string) values {
		query := values{"queryType": "platform", "path": path}
		var chosen []values
		for _, selector := range columns {
			column := values{"selector": selector}
			if selector == "since" {
				column["type"] = "time"
			}
			if selector == "used" {
				column["unit"] = "percent"
			}
			chosen = append(chosen, column)
		}
		query["columns"] = chosen
		return query
	}

	got := fromAlert(t, ds, list("/v1/quotas", "name", "location", "used", "shared", "since"))
	require.NoError(t, got.Error)
	require.Len(t, got.Frames, 2, "an item without the number has no value")
	require.Equal(t, data.FrameTypeNumericMulti, got.Frames[0].Meta.Type)
	require.Equal(t, data.Labels{"name": "gpus", "location": "eu-1", "shared": "true"}, got.Frames[0].Fields[0].Labels)
	require.Equal(t, 6.0, *got.Frames[0].Fields[0].At(0).(*float64))
	require.Equal(t, "gpus · us-1 · false", got.Frames[1].Fields[0].Config.DisplayNameFromDS)
	require.Equal(t, "percent", got.Frames[0].Fields[0].Config.Unit)

	none := fromAlert(t, ds, list("/v1/empty", "name", "used"))
	require.NoError(t, none.Error)
	require.Empty(t, none.Frames[0].Fields, "no item is no data")

	for columns, refusal := range map[string]string{
		"name location":   "Columns: alert rules and expressions take a list with one column of numbers, and this one has 0. Choose columns.",
		"name limit used": "Columns: alert rules and expressions take a list with one column of numbers, and this one has 2. Choose columns.",
		"name used":       "Columns: alert rules and expressions tell items apart by their columns of text, and two items have the same: name=gpus. Add a column in which they differ.",
	} {
		require.EqualError(t, fromAlert(t, ds, list("/v1/quotas", strings.Fields(columns)...)).Error, refusal)
	}
	require.Equal(t, data.FrameTypeTable, frames(t, ds, list("/v1/quotas", "name", "used"))[0].Meta.Type, "panels get a table")
}

func TestList_UnmatchedColumn(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/things": `{"items":[{"id":"a","zone":null,"tags":[1]},{"id":"b"}]}`, "/v1/none": `{"items":[]}`}, nil)
	columns := func(selector string) []values { return []values{{"selector": "id"}, {"selector": selector}} }
	for selector, notice := range map[string]string{
		"names":     `Column "names": no item has names. Items have: id, zone.`,
		"meta.size": `Column "meta.size": no item has meta.size. Items have: id, zone.`,
		"zone":      "",
	} {
		frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/things", "columns": columns(selector)})[0]
		if notice == "" {
			require.Empty(t, frame.Meta.Notices, selector)
			continue
		}
		require.Equal(t, notice, frame.Meta.Notices[0].Text)
	}
	require.Empty(t, frames(t, ds, values{"queryType": "platform", "path": "/v1/none", "columns": columns("names")})[0].Meta.Notices)
}

func TestList_Paging(t *testing.T) {
	var seen []*url.URL
	pages := map[string]string{}
	for i := range 20 {
		uri := "/v1/vms?limit=1"
		if i > 0 {
			uri = fmt.Sprintf("/v1/vms?limit=1&next_token=t%d", i)
		}
		pages[uri] = fmt.Sprintf(`{"items":[{"id":%d}],"next_token":"t%d"}`, i, i+1)
	}
	ds := newMainAPI(t, pages, &seen)
	query := values{"queryType": "platform", "path": "/v1/vms", "params": []values{{"name": "limit", "value": "1"}}}
	frame := frames(t, ds, query)[0]
	require.Equal(t, 10, frame.Rows())
	require.Contains(t, frame.Meta.Notices[0].Text, "first 10 pages")
	require.Len(t, seen, 10)

	frames(t, ds, query)
	require.Len(t, seen, 10, "responses are cached")

	pages["/v1/vms?limit=1&next_token=t2"] = `{"items":[{"id":2}],"next_token":"t1"}`
	query["maxPages"] = 50
	frame = frames(t, newMainAPI(t, pages, nil), query)[0]
	require.Equal(t, 3, frame.Rows())
	require.Contains(t, frame.Meta.Notices[0].Text, "read already", "a circle of pages ends")
}

func fieldNames(frame *data.Frame) []string {
	var names []string
	for _, field := range frame.Fields {
		names = append(names, field.Name)
	}
	return names
}

func TestList_Invalid(t *testing.T) {
	var seen []*url.URL
	ds := newMainAPI(t, map[string]string{"/v1/scalar": `{"items":5}`, "/v1/broken": `{"items":[`}, &seen)
	for name, test := range map[string]struct {
		query   values
		message string
	}{
		"no path":                      {values{}, "Path: it must start with /v1/"},
		"a path outside /v1":           {values{"path": "/v2/x"}, "Path: it must start with /v1/"},
		"a path that climbs":           {values{"path": "/v1/../admin"}, `"." and ".."`},
		"an encoded climb":             {values{"path": "/v1/%2e%2e/admin"}, "and may hold"},
		"a path with a query":          {values{"path": "/v1/x?y=z"}, "and may hold"},
		"a path with a fragment":       {values{"path": "/v1/x#y"}, "and may hold"},
		"a path with an empty segment": {values{"path": "/v1//x"}, "and may hold"},
		"a path with a new line":       {values{"path": "/v1/x\n"}, "and may hold"},
		"a root that is a scalar":      {values{"path": "/v1/scalar"}, "Root: items is not a list"},
		"an unknown type of column":    {values{"path": "/v1/scalar", "columns": []values{{"selector": "a", "type": "blob"}}}, "Columns:"},
		"a list that is not there":     {values{"path": "/v1/nothing"}, "The main API has no list nothing (404), or it is not at the base address"},
		"a response that is not JSON":  {values{"path": "/v1/broken"}, "something other than a list"},
	} {
		t.Run(name, func(t *testing.T) {
			test.query["queryType"] = "platform"
			require.ErrorContains(t, run(t, ds, test.query).Error, test.message)
		})
	}
	for _, requests := range seen {
		require.True(t, strings.HasPrefix(requests.Path, "/v1/") && !strings.Contains(requests.Path, ".."), requests.Path)
	}
	t.Run("root without a match", func(t *testing.T) {
		got := frames(t, ds, values{"queryType": "platform", "path": "/v1/scalar", "root": "other"})
		require.Contains(t, got[0].Meta.Notices[0].Text, "other matches nothing")
	})
}

func TestList_TimeRangeParameters(t *testing.T) {
	var seen []*url.URL
	ds := newMainAPI(t, map[string]string{"/v1/organizations/o-1/audit-logs": `{"items":[]}`}, &seen)
	got := frames(t, ds, values{"queryType": "platform", "path": "/v1/organizations/o-1/audit-logs", "params": []values{
		{"name": "start_time", "value": "$__timeFrom()"}, {"name": "end_time", "value": "$__timeTo()"}}})
	require.Len(t, got, 1)
	require.Equal(t, "end_time=2025-06-02T12%3A00%3A00Z&start_time=2025-06-02T11%3A00%3A00Z", seen[0].RawQuery)
}
