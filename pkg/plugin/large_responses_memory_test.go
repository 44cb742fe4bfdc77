//go:build !race

// The race detector multiplies memory, so a bound on the heap says nothing under it.

package plugin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/memorytest"
)

// Programs read 250,000 points each from the cache, or five megabytes of labels.
func TestResources_LargeResponses(t *testing.T) {
	start := time.Now().Add(-24 * time.Hour).Truncate(time.Minute) // the cache keeps what is within the retention
	t.Run("points", func(t *testing.T) { readLarge(t, start, 489, largeMatrix(512, start, 489)) })
	t.Run("labels", func(t *testing.T) {
		var series []string
		for i := range 5_000 {
			series = append(series, fmt.Sprintf(`{"metric":{"a":"%05d","b":%q},"values":[[%d,"1"]]}`, i, strings.Repeat("x", 900), start.Unix()))
		}
		readLarge(t, start, 2, []byte(`{"status":"success","data":{"resultType":"matrix","result":[`+strings.Join(series, ",")+`]}}`))
	})
}

// readLarge lets four programs read a result of so many steps.
func readLarge(t *testing.T, start time.Time, steps int64, body []byte) {
	t.Helper()
	const readers = 4
	var requests atomic.Int32
	address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write(body)
	})
	ds := newDatasource(t, address, nil)
	params := url.Values{"query": {"a"}, "start": {fmt.Sprint(start.Unix())}, "end": {fmt.Sprint(start.Unix() + 60*(steps-1))}, "step": {"60"}}
	read := func(sent *int) error {
		return ds.CallResource(t.Context(), &backend.CallResourceRequest{Method: http.MethodGet, Path: "api/v1/query_range", URL: "api/v1/query_range?" + params.Encode()},
			backend.CallResourceResponseSenderFunc(func(r *backend.CallResourceResponse) error {
				*sent += len(r.Body)
				return nil
			}))
	}
	var whole int
	require.NoError(t, read(&whole))
	require.Greater(t, whole, 4<<20)

	sent := make([]int, readers)
	peak := memorytest.Peak(func() {
		var group sync.WaitGroup
		for i := range readers {
			group.Go(func() {
				if err := read(&sent[i]); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	})
	for i := range readers {
		require.Equal(t, whole, sent[i])
	}
	require.EqualValues(t, 1, requests.Load(), "the others are hits")
	require.Less(t, peak, int64(12<<20), "four hold 19 MB")
}
