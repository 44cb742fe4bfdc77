//go:build !race

// The race detector multiplies memory and time, so a bound on the heap says nothing under it.

package mainapi_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/memorytest"
)

// smallItems is a list whose items take most memory for their length.
func smallItems(bytes int) string {
	const item = `{"a":1},`
	return `{"items":[` + strings.Repeat(item, bytes/len(item)-1) + `{"a":1}]}`
}

// clientOf is a client of a platform with one response.
func clientOf(t *testing.T, body string) *mainapi.Client {
	t.Helper()
	return newClient(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }, nil)
}

func list(t *testing.T, client *mainapi.Client) {
	t.Helper()
	frames, err := client.QueryData(t.Context(), backend.DataQuery{QueryType: "platform", RefID: "A", JSON: []byte(`{"path":"/v1/x"}`)}, false)
	require.NoError(t, err)
	require.NotZero(t, frames[0].Rows())
}

func TestList_PeakMemory(t *testing.T) {
	for name, body := range map[string]string{
		"small items":    smallItems(4 << 20),
		"large items":    `{"items":[` + strings.Repeat(`{"a":"`+strings.Repeat("x", 1<<18)+`"},`, 6) + `{}]}`,
		"another member": `{"others":` + smallItems(1<<20) + `,"items":[{"a":1}]}`,
		"many members":   `{"items":[` + strings.TrimSuffix(strings.Repeat(members(1000)+",", 50), ",") + `]}`,
		"one item":       `{"items":[` + members(1000) + `],"rest":[` + strings.Repeat("1,", 1<<18) + `1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			client := clientOf(t, body)
			require.LessOrEqual(t, memorytest.Peak(func() { list(t, client) }), int64(6*len(body)))
		})
	}
}

// members is an object with n of them.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%06x":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// different are items whose members have n different names.
func different(n int) string {
	all := members(n)
	items := []string{}
	for all = all[1 : len(all)-1]; len(all) > 0; {
		one := all[:min(len(all), 999*11+10)]
		all = strings.TrimPrefix(all[len(one):], ",")
		items = append(items, "{"+one+"}")
	}
	return strings.Join(items, ",")
}

// What is over a bound is refused before it is parsed, wherever it stands.
func TestList_PeakMemoryOfOneValue(t *testing.T) {
	const tooMany = "An item has more than 1000 members"
	for name, test := range map[string]struct{ body, want string }{
		"members of an item":  {`{"items":[` + members(60_000) + `]}`, tooMany},
		"a root that is none": {`{"items":` + members(60_000) + `}`, "items is not a list"},
		"a nested object":     {`{"items":[{"b":1,"a":` + members(60_000) + `}]}`, ""},
		"different members":   {`{"items":[` + different(60_000) + `]}`, "more than 10000 different members"},
		"a reason":            {`{"code":"x","error":` + members(60_000) + `,"message":"It is so."}`, "It is so."},
	} {
		t.Run(name, func(t *testing.T) {
			client, columns := clientOf(t, test.body), ""
			if test.want == "" {
				columns = `,"columns":[{"selector":"b"},{"selector":"a.b"}]`
			}
			var err error
			require.Less(t, memorytest.Peak(func() {
				_, err = client.QueryData(t.Context(), backend.DataQuery{QueryType: "platform", RefID: "A", JSON: []byte(`{"path":"/v1/x"` + columns + `}`)}, false)
			}), int64(5<<20))
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.want)
			}
		})
	}
}

func TestItems_PeakMemory(t *testing.T) {
	body := `{"items":[` + strings.TrimSuffix(strings.Repeat(`{"a":[`+strings.TrimSuffix(strings.Repeat("{},", 1000), ",")+`]},`, 100), ",") + `]}`
	client := clientOf(t, body)
	require.LessOrEqual(t, memorytest.Peak(func() {
		found, err := client.Items(t.Context(), "/v1/x")
		require.NoError(t, err)
		items := 0
		for item := range found.All {
			require.Len(t, item, 1)
			items++
		}
		require.Equal(t, 100, items)
	}), int64(4*len(body)))
}

func TestList_CachedMemory(t *testing.T) {
	body := smallItems(200_000)
	client := clientOf(t, body)
	before := memorytest.Held()
	list(t, client)
	require.LessOrEqual(t, memorytest.Held()-before, int64(len(body)+48*25_000), "some bytes for each item, beside its JSON")
	runtime.KeepAlive(client)
}
