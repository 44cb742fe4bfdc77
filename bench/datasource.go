package main

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// cacheSetting is the setting "cache" of a data source.
type cacheSetting map[string]any

var (
	uncached = cacheSetting{"enabled": false}
	cached   = cacheSetting{"enabled": true}
)

// newDatasource is a data source of the plugin for a simulated platform.
func newDatasource(address string, cache cacheSetting) (*plugin.Datasource, error) {
	instance, err := plugin.New(context.Background(), *datasourceSettings(address, cache, nil))
	if err != nil {
		return nil, err
	}
	return instance.(*plugin.Datasource), nil
}

// datasourceSettings are settings for all three services of a simulated platform, and what is to be different.
func datasourceSettings(address string, cache cacheSetting, changes map[string]any) *backend.DataSourceInstanceSettings {
	all := map[string]any{
		"baseUrl": address, "projectId": platform.DefaultProjectID, "intelligenceUrl": address + platform.TuningPath,
		"accessKeyId": platform.DefaultAccessKeyID, "cache": cache,
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
