package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// shape is a kind of answer that dashboards ask for.
type shape struct {
	name string
	// nodes of 8 GPUs each.
	nodes  int
	span   time.Duration
	step   time.Duration
	expr   string
	series int
}

var shapes = []shape{
	{"6 h × 64 series at 60 s", 8, 6 * time.Hour, time.Minute, "DCGM_FI_DEV_GPU_UTIL", 64},
	{"30 d × 64 series at 30 min", 8, 30 * 24 * time.Hour, 30 * time.Minute, "DCGM_FI_DEV_GPU_UTIL", 64},
	{"2 h × 2048 series at 60 s", 256, 2 * time.Hour, time.Minute, "DCGM_FI_DEV_GPU_UTIL", 2048},
}

// now is when the simulated platform stands still, so that every run reads the same samples.
var now = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// simulate runs a platform large enough for the shape.
func (s shape) simulate() (address string, stop func()) {
	server := httptest.NewServer(platform.New(platform.Config{Nodes: s.nodes, Now: func() time.Time { return now }}))
	return server.URL, server.Close
}

// query is the shape's query as Grafana hands it to the plugin.
func (s shape) query() backend.DataQuery {
	saved, _ := json.Marshal(map[string]any{"expr": s.expr, "range": true, "interval": fmt.Sprintf("%ds", int(s.step.Seconds()))})
	return backend.DataQuery{
		RefID: "A", JSON: saved, Interval: s.step, MaxDataPoints: int64(s.span/s.step) + 1,
		TimeRange: backend.TimeRange{From: now.Add(-s.span), To: now},
	}
}

func newDatasource(address string) (*plugin.Datasource, error) {
	settings, err := json.Marshal(map[string]any{
		"baseUrl": address, "projectId": platform.DefaultProjectID, "intelligenceUrl": address + platform.TuningPath, "accessKeyId": platform.DefaultAccessKeyID,
	})
	if err != nil {
		return nil, err
	}
	instance, err := plugin.New(context.Background(), backend.DataSourceInstanceSettings{
		JSONData: settings, DecryptedSecureJSONData: map[string]string{
			"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": platform.DefaultInferenceAPIKey, "secretKey": platform.DefaultSecretKey,
		},
	})
	if err != nil {
		return nil, err
	}
	return instance.(*plugin.Datasource), nil
}

// answer asks through the plugin and marshals the frames, which is what the plugin hands to Grafana.
func answer(ds *plugin.Datasource, q backend.DataQuery) error {
	response, err := ds.QueryData(context.Background(), &backend.QueryDataRequest{Queries: []backend.DataQuery{q}})
	if err != nil {
		return err
	}
	answered := response.Responses[q.RefID]
	if answered.Error != nil {
		return answered.Error
	}
	_, err = answered.Frames.MarshalArrow()
	return err
}
