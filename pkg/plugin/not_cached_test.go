package plugin_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestCache_BrokenResponseNotCached(t *testing.T) {
	for name, broken := range map[string]string{"nothing": "", "half of it": `{"items":[`, "a page": "<html>"} {
		t.Run(name, func(t *testing.T) {
			var requested atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if requested.Add(1) == 1 {
					_, _ = io.WriteString(w, broken)
					return
				}
				_, _ = io.WriteString(w, `{"items":[{"type":"a","location":"b","quantity":1}]}`)
			}))
			t.Cleanup(server.Close)
			ds := newDatasourceWith(t, server.URL, values{"accessKeyId": platform.DefaultAccessKeyID}, map[string]string{"secretKey": platform.DefaultSecretKey})
			saved := values{"queryType": "capacities"}

			require.Error(t, runQueries(t, ds, dataQuery(t, "A", saved))["A"].Error)

			require.Equal(t, 1, frames(t, ds, saved)[0].Rows())
		})
	}
}
