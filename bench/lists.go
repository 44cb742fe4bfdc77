// cspell:ignore Vjcm pbmcta
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
)

// listItems is the length of the list that is made a frame.
const listItems = 10_000

// lists measures the main API's side: a signature, and a long list on its way to a frame.
func lists(w *tabwriter.Writer) error {
	signer, err := platform.NewSigner("id", "c2VjcmV0LXNpZ25pbmcta2V5", "", time.Now)
	if err != nil {
		return err
	}
	signing := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			signer.Sign("/v1/capacities", "location=us-east1-a&product_name=a100.1x%2Ca100.2x", http.MethodGet, "2025-01-02T03:04:05Z")
		}
	})
	items := make([]map[string]any, listItems)
	for i := range items {
		items[i] = map[string]any{"id": fmt.Sprintf("vm-%06d", i), "type": "h100.8x", "location": "us-east1-a", "gpus": 8, "running": i%2 == 0}
	}
	body, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		return err
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
	defer server.Close()
	ds, err := newDatasource(server.URL)
	if err != nil {
		return err
	}
	defer ds.Dispose()
	asked := 0
	list := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			asked++ // a parameter of its own for each, so that none is answered by what is kept
			if err := answer(ds, listQuery(asked)); err != nil {
				b.Fatal(err)
			}
		}
	})
	if list.N == 0 {
		return fmt.Errorf("the list was not answered")
	}
	_, _ = fmt.Fprintln(w, "\nThe signed main API")
	row(w, "", "time", "allocated", "allocations")
	row(w, "a signature", fmt.Sprintf("%.1f µs", float64(signing.NsPerOp())/1000), bytes(int(signing.AllocedBytesPerOp())), signing.AllocsPerOp())
	row(w, fmt.Sprintf("HTTP body of %d items → marshalled frame", listItems), duration(time.Duration(list.NsPerOp())),
		bytes(int(list.AllocedBytesPerOp())), list.AllocsPerOp())
	return nil
}

func listQuery(n int) backend.DataQuery {
	saved, _ := json.Marshal(map[string]any{"queryType": "platform", "path": "/v1/vms",
		"params": []map[string]string{{"name": "n", "value": fmt.Sprint(n)}}})
	return backend.DataQuery{RefID: "A", JSON: saved}
}
