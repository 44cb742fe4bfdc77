// cspell:ignore Vjcm pbmcta
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/bench/timing"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/platform"
)

// listItems is the length of the list that is made a frame.
const listItems = 10_000

// lists measures the main API's side: a signature, and a long list on its way to a frame.
func lists(_ context.Context, o options, r *report.Report) error {
	signer, err := platform.NewSigner("id", "c2VjcmV0LXNpZ25pbmcta2V5", "", time.Now)
	if err != nil {
		return err
	}
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
	ds, err := newDatasource(server.URL, true, nil)
	if err != nil {
		return err
	}
	defer ds.Dispose()
	sent := 0
	signing, list, err := timing.Compare(o.rounds, func() error {
		signer.Sign("/v1/capacities", "location=us-east1-a&product_name=a100.1x%2Ca100.2x", http.MethodGet, "2025-01-02T03:04:05Z")
		return nil
	}, func() error {
		sent++ // a parameter of its own for each, so that none is a cache hit
		return runQuery(ds, savedQuery(map[string]any{"queryType": "platform", "path": "/v1/vms",
			"params": []map[string]string{{"name": "n", "value": fmt.Sprint(sent)}}}, now, now))
	})
	if err != nil {
		return err
	}
	group := r.Group("The signed main API")
	group.Figure("a signature", report.Took(signing.Time), report.NoMore(report.Took(5*time.Microsecond)))
	group.Figure("its allocations", report.Number(signing.Allocations), report.NoMore(report.Number(10)))
	group.Figure(fmt.Sprintf("HTTP body of %d items → marshalled frame", listItems), report.Took(list.Time),
		report.NoMore(report.Took(30*time.Millisecond)))
	return nil
}
