package mainapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
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
	ds := newMainAPI(t, map[string]string{"/v1/x": nestedItems()}, nil)
	// The cost of the response itself does not count, because it is in the cache.
	frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "id"}}})
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
			saved := values{"queryType": "platform", "path": "/v1/x"}
			for name, value := range test.saved {
				saved[name] = value
			}
			var got response
			budgettest.Within(t, processorBudget, memoryBudget, func() { got = run(t, ds, saved) })
			if test.want == "" {
				require.NoError(t, got.Error)
				return
			}
			require.ErrorContains(t, got.Error, test.want)
			require.ErrorAs(t, got.Error, new(*query.Error))
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
			got := run(t, ds, test.saved)
			if test.want == "" {
				require.NoError(t, got.Error)
				return
			}
			require.ErrorContains(t, got.Error, test.want)
			require.ErrorAs(t, got.Error, new(*query.Error))
		})
	}
}

func TestListLimits_Items(t *testing.T) {
	page := `{"items":[` + strings.Repeat(`{"a":1},`, 50_000) + `{"a":1}],"next_token":"t"}`
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
	of := func(n int) *mainapi.Client {
		return newMainAPI(t, map[string]string{"/v1/x": encode(values{"items": many(n, item)})}, nil)
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
	require.ErrorContains(t, run(t, ds, list).Error, "more than 10000 different members")
	list["columns"] = []values{{"selector": "id"}, {"selector": "none"}}
	require.Equal(t, 20, frames(t, ds, list)[0].Rows())
}

func TestListLimits_Pages(t *testing.T) {
	requested := 0
	ds := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		requested++
		_, _ = fmt.Fprintf(w, `{"items":[{"a":%d}],"next_token":"t%d"}`, requested, requested)
	}, nil)
	frame := frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "maxPages": 1000})[0]
	require.Equal(t, 100, frame.Rows())
	require.Equal(t, 100, requested)
	require.Contains(t, frame.Meta.Notices[0].Text, "Only the first 100 pages are shown.")
}

// Objects within items are parsed once for all columns, and a selector has a bounded way.
func TestListLimits_DeepItems(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 19) + `{"a":"` + strings.Repeat("x", 1<<17) + `","b":1}` + strings.Repeat("}", 19)
	ds := newMainAPI(t, map[string]string{"/v1/x": `{"items":[` + deep + "," + deep + `]}`}, nil)
	columns := many(50, func(i int) values { return values{"selector": strings.Repeat("a.", 19) + "b", "name": fmt.Sprint(i)} })
	budgettest.Within(t, processorBudget, memoryBudget/2, func() {
		require.Equal(t, 2, frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "columns": columns})[0].Rows())
	})
	got := run(t, ds, values{"queryType": "platform", "path": "/v1/x", "filterMember": strings.Repeat("a.", 20) + "b", "filterValues": "x"})
	require.ErrorContains(t, got.Error, "Filter: it is of 21 names joined by dots, and the limit is 20.")
}

func TestList_Canceled(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/x": nestedItems()}, nil)
	saved := values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "rows"}}}
	frames(t, ds, saved)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, allocated := budgettest.Cost(t, func() { require.ErrorIs(t, runWith(ctx, t, ds, saved, false).Error, transport.ErrCanceled) })
	require.Less(t, allocated, uint64(1<<20), "nothing is made of a response that is in the cache")
}

func TestList_ParsedOnce(t *testing.T) {
	ballast := strings.Repeat(`"text",`, 100_000) + `"text"`
	ds := newMainAPI(t, map[string]string{"/v1/x": `{"items":[{"a":1}],"others":[` + ballast + `]}`}, nil)
	saved := values{"queryType": "platform", "path": "/v1/x"}
	frames(t, ds, saved)
	_, allocated := budgettest.Cost(t, func() { frames(t, ds, saved) })
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
	var ds *mainapi.Client
	f.Fuzz(func(t *testing.T, root, selector, timeColumn string) {
		if ds == nil {
			ds = newClient(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(nestedItems())) }, nil)
			defer func() { ds = nil }()
		}
		frames(t, ds, values{"queryType": "platform", "path": "/v1/x", "columns": []values{{"selector": "id"}}})
		saved := values{"path": "/v1/x", "queryType": "platform", "root": root, "timeColumn": timeColumn,
			"columns": many(50, func(i int) values { return values{"selector": selector, "name": fmt.Sprint(i)} })}
		// Fuzzing workers also collect coverage.
		budgettest.Within(t, 2*processorBudget, memoryBudget, func() { run(t, ds, saved) })
	})
}
