package mainapi_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

// TestCache_TTL counts the requests of queries for the same list.
func TestCache_TTL(t *testing.T) {
	var requests atomic.Int32
	now := time.Now()
	client := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write([]byte(`{"items":[{"id":"a"}]}`))
	}, func() time.Time { return now })
	for _, step := range []struct {
		after time.Duration
		want  int32
	}{{0, 1}, {29 * time.Second, 1}, {2 * time.Second, 2}, {29 * time.Second, 2}, {2 * time.Second, 3}} {
		now = now.Add(step.after)
		_, err := client.QueryData(t.Context(), backend.DataQuery{QueryType: "platform", RefID: "A", JSON: []byte(`{"path":"/v1/storage/disks"}`)}, false)
		require.NoError(t, err)
		require.Equal(t, step.want, requests.Load())
	}
}

// A list may change while its pages are read. What is in the cache is the list as it was read once.
func TestCache_PagesOfOneTime(t *testing.T) {
	now := time.Now()
	list := []string{"a", "b", "c", "d"}
	items := func(page string) string {
		if list[0] == "a" {
			now = now.Add(20 * time.Second) // the first page is 20 s older than the second
		}
		if page == "" {
			return `{"items":[{"id":"` + list[0] + `"},{"id":"` + list[1] + `"}],"next_token":"2"}`
		}
		return `{"items":[{"id":"` + list[2] + `"},{"id":"` + list[3] + `"}]}`
	}
	client := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(items(r.URL.Query().Get("next_token"))))
	}, func() time.Time { return now })
	ids := func() (all []string) {
		frames, err := client.QueryData(t.Context(), backend.DataQuery{QueryType: "platform", RefID: "A", JSON: []byte(`{"path":"/v1/storage/disks"}`)}, false)
		require.NoError(t, err)
		for row := range frames[0].Rows() {
			all = append(all, *frames[0].Fields[0].At(row).(*string))
		}
		return all
	}
	require.Equal(t, []string{"a", "b", "c", "d"}, ids())
	list = []string{"new", "a", "b", "c"}
	now = now.Add(15 * time.Second)
	require.Contains(t, [][]string{{"a", "b", "c", "d"}, list}, ids(), "b is in no page of the first list that is still in the cache")
}
