package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// newDatasource is a data source of the plugin for a simulated platform, with changes of its settings.
func newDatasource(address string, cached bool, changes map[string]any) (*plugin.Datasource, error) {
	instance, err := plugin.New(context.Background(), *datasourceSettings(address, cached, changes))
	if err != nil {
		return nil, err
	}
	return instance.(*plugin.Datasource), nil
}

// datasourceSettings are settings for all three services of a simulated platform, with changes.
func datasourceSettings(address string, cached bool, changes map[string]any) *backend.DataSourceInstanceSettings {
	all := map[string]any{
		"baseUrl": address, "projectId": platform.DefaultProjectID, "intelligenceUrl": address + platform.TuningPath,
		"accessKeyId": platform.DefaultAccessKeyID, "cache": map[string]any{"enabled": cached},
	}
	maps.Copy(all, changes)
	settings, _ := json.Marshal(all)
	return &backend.DataSourceInstanceSettings{
		UID: "bench", Type: plugin.ID, JSONData: settings, Updated: now,
		DecryptedSecureJSONData: map[string]string{
			"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": platform.DefaultInferenceAPIKey,
			"secretKey": platform.DefaultSecretKey,
		},
	}
}

// savedQuery is a query as Grafana passes a saved one to the plugin.
func savedQuery(saved map[string]any, from, to time.Time) backend.DataQuery {
	encoded, _ := json.Marshal(saved)
	return backend.DataQuery{
		RefID: "A", JSON: encoded, Interval: time.Minute, MaxDataPoints: 1000, TimeRange: backend.TimeRange{From: from, To: to},
	}
}

// rangeQuery is a panel's PromQL query.
func rangeQuery(expr string, from, to time.Time, step time.Duration) backend.DataQuery {
	q := savedQuery(map[string]any{"expr": expr, "range": true, "interval": fmt.Sprintf("%ds", int(step.Seconds()))}, from, to)
	q.Interval, q.MaxDataPoints = step, int64(to.Sub(from)/step)+1
	return q
}

// panelQuery is a range query as the front end sends it: with packed frames.
func panelQuery(expr string, from, to time.Time, step time.Duration) backend.DataQuery {
	q := rangeQuery(expr, from, to, step)
	q.JSON = append(bytes.TrimSuffix(q.JSON, []byte("}")), `,"packed":true}`...)
	return q
}

// frames are the result of a query.
func frames(ds *plugin.Datasource, q backend.DataQuery) (data.Frames, error) {
	response, err := ds.QueryData(context.Background(), &backend.QueryDataRequest{Queries: []backend.DataQuery{q}})
	if err != nil {
		return nil, err
	}
	return response.Responses[q.RefID].Frames, response.Responses[q.RefID].Error
}

// runQuery sends a query through the plugin and marshals the frames, which is what the plugin passes to Grafana.
func runQuery(ds *plugin.Datasource, q backend.DataQuery) error {
	result, err := frames(ds, q)
	if err != nil {
		return err
	}
	_, err = result.MarshalArrow()
	return err
}
