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

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
)

const (
	// processorBudget and memoryBudget bound the cost of a query in addition to that of the platform's response. A second
	// is what no request of a Viewer may take; the queries below take a tenth of that on an idle processor.
	processorBudget = time.Second
	memoryBudget    = 50 << 20
)

// nestedItems is a list of about 300 KB whose items have lists of lists.
func nestedItems() string {
	row := "[" + strings.Repeat("[1,2,3,4,5,6,7,8,9],", 9) + "[1]]"
	var items []string
	for i := range 150 {
		items = append(items, fmt.Sprintf(`{"id":"%0100d","n":1,"rows":[`, i)+strings.Repeat(row+",", 9)+row+`]}`)
	}
	return `{"items":[` + strings.Join(items, ",") + `]}`
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
		"a root of 400 kB":          {values{"root": "a." + long}, "Root: it is 400002 bytes long, and the limit is 500."},
		"a selector of 400 kB":      {values{"columns": []values{{"selector": long}}}, "Columns: a selector is 400000 bytes long, and the limit is 500."},
		"a title of 400 kB":         {values{"columns": []values{{"selector": "id", "name": long}}}, "Columns: a title is 400000 bytes long, and the limit is 500."},
		"a unit of 400 kB":          {values{"columns": []values{{"selector": "id", "unit": long}}}, "Columns: a unit is 400000 bytes long, and the limit is 500."},
		"a type of 400 kB":          {values{"columns": []values{{"selector": "id", "type": long}}}, `…" is not known. Use string, number, boolean or time.`},
		"a time column of 400 kB":   {values{"timeColumn": long}, "Time column: it is 400000 bytes long, and the limit is 500."},
		"a path of 400 kB":          {values{"path": "/v1/" + long}, "Path: it is 400004 bytes long, and the limit is 2000."},
		"too many columns":          {values{"columns": many(51, func(int) values { return values{"selector": "id"} })}, "Columns: there are 51, and the limit is 50."},
		"too many parameters":       {values{"params": many(51, func(i int) values { return values{"name": fmt.Sprint("p", i), "value": "1"} })}, "Parameters: there are 51, and the limit is 50."},
		"a parameter of 400 kB":     {values{"params": []values{{"name": "p", "value": long}}}, "Parameters: they are 400001 bytes long, and the limit is 8000."},
		"a parameter of times only": {values{"params": []values{{"name": "p", "value": strings.Repeat("$__timeTo()", 700)}}}, "Parameters: they are "},
		"columns of everything":     {values{"columns": many(50, func(i int) values { return values{"selector": "rows", "name": fmt.Sprint(i)} })}, "Columns: the cells have over 8 MB of text"},
		"a filter of 400 kB":        {values{"filterMember": long, "filterValues": []string{"x"}}, "Filter: it is 400000 bytes long, and the limit is 500."},
		"a filter of too many":      {values{"filterMember": "id", "filterValues": texts(2001)}, `field "filterValues" has more than 2000 values.`},
		"a column of dots":          {values{"columns": []values{{"selector": strings.Repeat("a.", 19)}}}, ""},
		"a column of more dots":     {values{"columns": []values{{"selector": strings.Repeat("a.", 250)}}}, "Columns: a selector is of 251 names joined by dots, and the limit is 20."},
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

// texts are so many different texts.
func texts(count int) (all []string) {
	for i := range count {
		all = append(all, fmt.Sprint("n", i))
	}
	return all
}

func TestListLimits_CapacityNames(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/capacities": someCapacities}, nil)
	for name, test := range map[string]struct {
		saved values
		want  string
	}{
		"too many products":           {values{"productNames": texts(2001)}, `field "productNames" has more than 2000 values.`},
		"too many locations":          {values{"locations": texts(2001)}, `field "locations" has more than 2000 values.`},
		"a product of 400 kB":         {values{"productNames": strings.Repeat("p", 400_000)}, `field "productNames" has a value of more than 256 characters.`},
		"products of many bytes":      {values{"productNames": texts(2000)}, "Parameters: they are 10901 bytes long, and the limit is 8000."},
		"as many products as are let": {values{"productNames": texts(200)}, ""},
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

func TestListLimits_Labels(t *testing.T) {
	item := func(i int) values {
		one := values{"id": fmt.Sprint(i), "n": i}
		for c := range 10 {
			one[fmt.Sprint("c", c)] = "x"
		}
		return one
	}
	of := func(n int) *plugin.Datasource {
		return newMainAPI(t, map[string]string{"/v1/x": strings.Replace(itemsOf(n, item), `"more"`, `""`, 1)}, nil)
	}
	require.Len(t, fromAlert(t, of(9090), values{"queryType": "platform", "path": "/v1/x"}).Frames, 9090)
	ds := of(9091)
	require.ErrorContains(t, fromAlert(t, ds, values{"queryType": "platform", "path": "/v1/x"}).Error,
		"Columns: alert rules and expressions take a list with 100000 labels at most, and 9091 items with 11 columns beside the number have more.")
	require.Len(t, fromAlert(t, ds, values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "id"}, {"selector": "n"}}}).Frames, 9091)
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

// Columns that are chosen don't depend on how many other members there are.
func TestListLimits_ChosenColumns(t *testing.T) {
	var items []values
	for i := range 20 {
		item := values{"id": i}
		for j := range 600 {
			item[fmt.Sprintf("m%d_%d", i, j)] = j
		}
		items = append(items, item)
	}
	ds := newMainAPI(t, map[string]string{"/v1/x": encode(values{"items": items})}, nil)
	list := values{"queryType": "platform", "path": "/v1/x"}
	require.ErrorContains(t, runQueries(t, ds, dataQuery(t, "A", list))["A"].Error, "more than 10000 different members")
	list["columns"] = []values{{"selector": "id"}, {"selector": "none"}}
	require.Equal(t, 20, frames(t, ds, list)[0].Rows())
}

func TestListLimits_BytesOfAllPages(t *testing.T) {
	page := `{"items":[{"a":"` + strings.Repeat("x", 600_000) + `"}],"next_token":"%s"}`
	ds := newDatasourceWith(t, serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, page, r.URL.Query().Get("next_token")+"t")
	}), values{"accessKeyId": "AK", "maxResponseMegabytes": 1}, map[string]string{"secretKey": mainSecret})
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "maxPages": 100})[0]
	require.Equal(t, 1, frame.Rows())
	require.Contains(t, frame.Meta.Notices[0].Text, "Only the first 1 items are shown, because a list has at most 1 MB. Narrow the parameters, or raise Largest response")
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
	require.Contains(t, frame.Meta.Notices[0].Text, "Only the first 100 pages are shown.")
}

func TestList_Canceled(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/x": nestedItems()}, nil)
	saved := values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "rows"}}}
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
	for _, path := range []string{"", "items.rows", "a.b.c", "$.items", "."} {
		f.Add(path, "rows", "n")
	}
	for _, selector := range []string{"id", "rows", "a.b", "..", ""} {
		f.Add("items", selector, "n")
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
		budgettest.Within(t, 2*processorBudget, memoryBudget, func() { runQueries(t, ds, query) })
	})
}
