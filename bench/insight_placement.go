// cspell:ignore Vjcm Wtle
package main

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement/placementtest"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
)

// placementWorlds is the number of random platforms on which places for GPUs are looked for.
const placementWorlds = 1000

// placementAndTruth compares where the plugin says that GPUs can run with the truth of random platforms.
func placementAndTruth(ctx context.Context, _ options, r *report.Report) error {
	var mu sync.Mutex
	var places, roomy, wrong, missed int
	err := eachSeed(ctx, placementWorlds, func(ctx context.Context, seed int) error {
		v, err := judgePlacement(ctx, placementtest.New(uint64(seed)))
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		places, roomy, wrong, missed = places+v.Places, roomy+v.Roomy, wrong+len(v.Wrong), missed+len(v.Missed)
		for _, text := range append(v.Wrong, v.Missed...) {
			r.Note("world %d: %s", seed, text)
		}
		return nil
	})
	if err != nil {
		return err
	}
	group := r.Group("Places for GPUs on %d random platforms", placementWorlds)
	group.Figure("places", report.Number(places), report.Goal{})
	group.Figure("places with room", report.Number(roomy), report.Goal{})
	group.Figure("wrong recommendations", report.Number(wrong), report.NoMore(report.Number(0)))
	group.Figure("missed", report.Number(missed), report.NoMore(report.Number(0)))
	return nil
}

// judgePlacement serves a world and judges the results of queries on it.
func judgePlacement(ctx context.Context, w *placementtest.World) (*placementtest.Verdict, error) {
	server := httptest.NewServer(w.Handler(time.Now()))
	defer server.Close()
	settings := map[string]any{"baseUrl": server.URL, "projectId": placementtest.Project}
	secrets := map[string]string{}
	if w.Metrics != placementtest.NotServed {
		secrets["monitoringToken"] = "token"
	}
	if w.Capacities != placementtest.NotServed {
		settings["accessKeyId"], secrets["secretKey"] = "AK", "c2VjcmV0LWtleQ"
	}
	encoded, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	instance, err := plugin.New(ctx, backend.DataSourceInstanceSettings{UID: "gpucloud", JSONData: encoded, DecryptedSecureJSONData: secrets})
	if err != nil {
		return nil, err
	}
	ds := instance.(*plugin.Datasource)
	defer ds.Dispose()
	return w.Judge(func(options map[string]any) (data.Frames, error) {
		return frames(ds, savedQuery(options, time.Now().Add(-time.Hour), time.Now()))
	}), nil
}
