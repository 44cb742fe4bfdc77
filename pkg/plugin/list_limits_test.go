package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/budgettest"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

const (
	// processorBudget and memoryBudget bound the cost of a query in addition to that of the platform's response.
	processorBudget = 250 * time.Millisecond
	memoryBudget    = 50 << 20
)

// nestedItems is a list of about 300 KB whose items have lists of lists.
func nestedItems() string {
	row := "[" + strings.Repeat("[1,2,3,4,5,6,7,8,9],", 9) + "[1]]"
	item := `{"id":"` + strings.Repeat("x", 100) + `","n":1,"rows":[` + strings.Repeat(row+",", 9) + row + `]}`
	return `{"items":[` + strings.Repeat(item+",", 149) + item + `]}`
}

// many are n columns, made by make.
func many(n int, write func(i int) values) []values {
	var columns []values
	for i := range n {
		columns = append(columns, write(i))
	}
	return columns
}

func TestListLimits_Query(t *testing.T) {
	long := strings.Repeat("a", 400_000)
	for name, test := range map[string]struct {
		saved values
		want  string // part of the error; empty for a result
	}{
		"a root of unions":                    {values{"root": "$.items" + strings.Repeat("['rows','rows','rows']", 150)}, "Root: it is 3307 bytes long, and the limit is 500."},
		"a short root of unions":              {values{"root": "$.items[*].rows" + strings.Repeat("[0,0,0]", 60)}, "Root: unions, such as ['a','b'], are not supported."},
		"a root of descents":                  {values{"root": "$" + strings.Repeat("..*", 20)}, "Root: descent, such as $..name, is not supported."},
		"a root with two filters":             {values{"root": "$.items[?(@.n == 1)].rows[?(@[0] == 1)]"}, "Root: it has 2 filters, and the limit is 1."},
		"a filter within a filter":            {values{"root": "$.items[?(@.rows[?(@[0] == 1)])]"}, "Root: a filter compares members with"},
		"a regular expression":                {values{"root": "$.items[?(@.id =~ /(x+)+y/)]"}, "Root: a filter compares members with"},
		"a regular expression of a function":  {values{"root": "$.items[?search(@.id, '(x+)+y')]"}, "Root: a filter compares members with"},
		"a descent in a filter":               {values{"root": "$.items[?(@..id == 'x')]"}, "Root: a filter compares members with"},
		"a filter that looks at the root":     {values{"root": "$.items[?($.items == 1)]"}, "Root: a filter compares members with"},
		"a root with a script":                {values{"root": "$.items[(@.length-1)]"}, "Root:"},
		"a root of 400 kB":                    {values{"root": "$." + long}, "Root: it is 400002 bytes long, and the limit is 500."},
		"a selector of 400 kB":                {values{"columns": []values{{"selector": long}}}, "Columns: a selector is 400000 bytes long, and the limit is 500."},
		"a title of 400 kB":                   {values{"columns": []values{{"selector": "id", "name": long}}}, "Columns: a title is 400000 bytes long, and the limit is 500."},
		"a unit of 400 kB":                    {values{"columns": []values{{"selector": "id", "unit": long}}}, "Columns: a unit is 400000 bytes long, and the limit is 500."},
		"a type of 400 kB":                    {values{"columns": []values{{"selector": "id", "type": long}}}, "Columns: a type is 400000 bytes long, and the limit is 500."},
		"a time column of 400 kB":             {values{"timeColumn": long}, "Time column: it is 400000 bytes long, and the limit is 500."},
		"a path of 400 kB":                    {values{"path": "/v1/" + long}, "Path: it is 400004 bytes long, and the limit is 2000."},
		"too many columns":                    {values{"columns": many(51, func(int) values { return values{"selector": "id"} })}, "Columns: there are 51, and the limit is 50."},
		"too many parameters":                 {values{"params": many(51, func(i int) values { return values{"name": fmt.Sprint("p", i), "value": "1"} })}, "Parameters: there are 51, and the limit is 50."},
		"a parameter of 400 kB":               {values{"params": []values{{"name": "p", "value": long}}}, "Parameters: they are 400001 bytes long, and the limit is 8000."},
		"a parameter of times only":           {values{"params": []values{{"name": "p", "value": strings.Repeat("$__timeTo()", 700)}}}, "Parameters: they are "},
		"columns that walk through all":       {values{"columns": many(50, func(int) values { return values{"selector": "$.rows[*][*][*].none"} })}, "Columns: more values have to be read"},
		"columns of whole items":              {values{"columns": many(50, func(i int) values { return values{"selector": "$", "name": fmt.Sprint(i)} })}, "Columns: the cells have over 8 MB of text"},
		"columns of slices that walk through": {values{"columns": many(50, func(int) values { return values{"selector": "$.rows[:][:][0:9:2].none"} })}, "Columns: more values have to be read"},
		"columns of filters": {values{"columns": many(50, func(int) values {
			return values{"selector": "$.rows[*][?(@[0] == 7 && @[1] == 7 && @[2] == 7 && @[3] == 7)]"}
		})}, "Columns: more values have to be read"},
		"a filter of many comparisons": {values{"root": "$.items[?(" + strings.Repeat("@.n == 1 && ", 39) + "@.n == 1)]"}, ""},
		"brackets in a filter":         {values{"root": "$.items[?(" + strings.Repeat("(", 200) + "@.n == 1" + strings.Repeat(")", 200) + ")]"}, ""},
		"wildcards":                    {values{"root": "$.items[*].rows[*][*][*]"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ds := newMainAPI(t, map[string]string{"/v1/x": nestedItems()}, nil)
			// The cost of the response itself does not count, because it is in the cache.
			frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "id"}}})
			saved := values{"queryType": "platform", "path": "/v1/x"}
			for name, value := range test.saved {
				saved[name] = value
			}
			query := dataQuery(t, "A", saved)
			var got backend.DataResponse
			budgettest.Within(t, processorBudget, memoryBudget, func() { got = runQueries(t, ds, query)["A"] })
			if test.want == "" {
				require.NoError(t, got.Error)
				return
			}
			require.ErrorContains(t, got.Error, test.want)
			require.Equal(t, backend.StatusBadRequest, got.Status)
			require.Less(t, len(got.Error.Error()), 500)
		})
	}
}

func TestListLimits_AllowedPaths(t *testing.T) {
	const response = `{"items":[{"id":"a","n":1,"tags":["x","y"]},{"id":"b","n":2,"tags":["z"]},{"id":"c","tags":[]}],"by":{"q":{"id":"d"},"p":{"id":"e"}}}`
	for root, want := range map[string][]string{
		"$.items":                    {"a", "b", "c"},
		"items":                      {"a", "b", "c"},
		"$['items'][*]":              {"a", "b", "c"},
		"$.items[-1]":                {"c"},
		"$.items[5]":                 nil,
		"$.items[0:2]":               {"a", "b"},
		"$.items[::2]":               {"a", "c"},
		"$.items[2:0:-1]":            {"c", "b"},
		"$.items[?(@.n > 1)]":        {"b"},
		"$.items[?@.n]":              {"a", "b"},
		"$.items[?(!(@.id == 'a'))]": {"b", "c"},
		"$.items[?(@.id == 'a' || @.tags[0] == 'z')]": {"a", "b"},
		"$.items[?(@.id in ['b','c'])]":               {"b", "c"},
		"$.by[*]":                                     {"e", "d"}, // sorted by the names p and q
		"$.by[?(@.id != null)]":                       {"e", "d"},
		"$.by.*":                                      {"e", "d"},
	} {
		t.Run(root, func(t *testing.T) {
			ds := newMainAPI(t, map[string]string{"/v1/x": response}, nil)
			frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "root": root, "columns": []values{{"selector": "id"}}})[0]
			var got []string
			for row := range frame.Rows() {
				got = append(got, *frame.Fields[0].At(row).(*string))
			}
			require.Equal(t, want, got)
		})
	}
}

func TestListLimits_CapacityNames(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/capacities": someCapacities}, nil)
	names := func(count int) (all []string) {
		for i := range count {
			all = append(all, fmt.Sprint("n", i))
		}
		return all
	}
	for name, test := range map[string]struct {
		saved values
		want  string
	}{
		"too many products":           {values{"productNames": names(201)}, "Products: there are 201, and the limit is 200."},
		"too many locations":          {values{"locations": names(201)}, "Locations: there are 201, and the limit is 200."},
		"a product of 400 kB":         {values{"productNames": strings.Repeat("p", 400_000)}, "Products: they are 400000 bytes long, and the limit is 8000."},
		"as many products as are let": {values{"productNames": names(200)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			test.saved["queryType"] = "capacities"
			got := runQueries(t, ds, dataQuery(t, "A", test.saved))["A"]
			if test.want == "" {
				require.NoError(t, got.Error)
				return
			}
			require.ErrorContains(t, got.Error, test.want)
			require.Equal(t, backend.StatusBadRequest, got.Status)
		})
	}
}

func TestListLimits_Items(t *testing.T) {
	page := `{"items":[` + strings.Repeat(`{"a":1},`, 59_999) + `{"a":1}],"next_token":"t"}`
	ds := newMainAPI(t, map[string]string{"/v1/x": page, "/v1/x?next_token=t": page}, nil)
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x"})[0]
	require.Equal(t, 100_000, frame.Rows())
	require.Contains(t, frame.Meta.Notices[0].Text, "Only the first 100000 items are shown.")
}

func TestListLimits_Columns(t *testing.T) {
	item := values{}
	for i := range 60 {
		item[fmt.Sprintf("m%02d", i)] = i
	}
	ds := newMainAPI(t, map[string]string{"/v1/x": encode(values{"items": []any{item}})}, nil)
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x"})[0]
	require.Len(t, frame.Fields, 50)
	require.Contains(t, frame.Meta.Notices[0].Text, "Only the first 50 of 60 members are shown as columns.")
}

func TestListLimits_BytesOfAllPages(t *testing.T) {
	page := `{"items":[{"a":"` + strings.Repeat("x", 600_000) + `"}],"next_token":"%s"}`
	ds := newDatasourceWith(t, serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, page, r.URL.Query().Get("next_token")+"t")
	}), values{"accessKeyId": "AK", "maxResponseMegabytes": 1}, map[string]string{"secretKey": mainSecret})
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "maxPages": 100})[0]
	require.Equal(t, 2, frame.Rows())
	require.Contains(t, frame.Meta.Notices[0].Text, "Only the first 2 pages are shown, which are 1 MB.")
}

func TestListLimits_Pages(t *testing.T) {
	requested := 0
	ds := newMainAPIAt(t, serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
		requested++
		_, _ = fmt.Fprintf(w, `{"items":[{"a":%d}],"next_token":"t%d"}`, requested, requested)
	}), mainSecret)
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "maxPages": 1000})[0]
	require.Equal(t, 100, frame.Rows())
	require.Equal(t, 100, requested)
	require.Contains(t, frame.Meta.Notices[0].Text, "Only the first 100 pages are shown, the most that are read.")
}

func TestList_Canceled(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/x": nestedItems()}, nil)
	saved := values{"queryType": "platform", "path": "/v1/x", "root": "$.items[*].rows[*][*][*]"}
	frames(t, ds, saved)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	query := dataQuery(t, "A", saved)
	_, allocated := budgettest.Cost(t, func() {
		_, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{query}})
		require.ErrorIs(t, err, context.Canceled)
	})
	require.Less(t, allocated, uint64(1<<20), "nothing is made of a response that is in the cache")
}

func TestList_ParsedOnce(t *testing.T) {
	ballast := strings.Repeat(`"text",`, 100_000) + `"text"`
	ds := newMainAPI(t, map[string]string{"/v1/x": `{"items":[{"a":1}],"others":[` + ballast + `]}`}, nil)
	saved := values{"queryType": "platform", "path": "/v1/x"}
	frames(t, ds, saved)
	query := dataQuery(t, "A", saved)
	_, allocated := budgettest.Cost(t, func() { runQueries(t, ds, query) })
	require.Less(t, allocated, uint64(200_000), "of a response of 700 KB")
}

// FuzzListCost runs any query of a list over a response in the cache.
func FuzzListCost(f *testing.F) {
	for _, path := range []string{"$", "$.items", "$..*", "$.items[*].rows[*][*]", "$['a','b']", "$[?(@.n == 1)]", "$.items[?(@.rows[0][0] > 1 && @.id != 'x')]", "$.items[?@.n].rows[0:9:2]", "rows[-1]", "$.items[?(@.id =~ /x{1000}/)]"} {
		for _, selector := range []string{"id", "$", "$.rows[*][*]", "$.rows[?(@[0] == 1)]"} {
			f.Add(path, selector, "n")
		}
	}
	var ds *plugin.Datasource
	f.Fuzz(func(t *testing.T, root, selector, timeColumn string) {
		if ds == nil {
			ds = newMainAPIAt(t, serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(nestedItems())) }), mainSecret)
			defer func() { ds = nil }()
		}
		frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "id"}}})
		encoded, err := json.Marshal(values{"path": "/v1/x", "queryType": "platform", "root": root, "timeColumn": timeColumn,
			"columns": many(50, func(i int) values { return values{"selector": selector, "name": fmt.Sprint(i)} })})
		require.NoError(t, err)
		query := backend.DataQuery{RefID: "A", JSON: encoded, Interval: time.Minute, TimeRange: backend.TimeRange{From: noon.Add(-time.Hour), To: noon}}
		// Fuzzing workers also collect coverage.
		budgettest.Within(t, 5*processorBudget, memoryBudget, func() { runQueries(t, ds, query) })
	})
}
