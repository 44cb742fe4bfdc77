package plugin

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// The cases, which the front end's tests use too.
const (
	savedQueriesFile  = "../../testdata/saved/queries.json"
	savedSettingsFile = "../../testdata/saved/settings.json"
)

// services are those of the front end's kinds of queries.
var services = map[string][]string{
	"metrics": {"metrics"}, "fineTuning": {"gateway"}, "runs": {"runs"}, "training": {"runs"}, "mainApi": {"mainapi", "placement"},
}

func TestSavedQueries_Service(t *testing.T) {
	ds := connected(t, time.Now())
	for _, c := range savedQueries(t) {
		t.Run(c.Name, func(t *testing.T) {
			chosen, err := ds.handler(backend.DataQuery{JSON: c.Saved})
			if c.Kind == "unknown" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Contains(t, services[c.Kind], chosen.service)
		})
	}
}

// Both results are of one instant, because some are of the time since: the clock of a bubble stands still while a connection waits.
func TestSavedQueries_Results(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		ds := connected(t, now)
		for _, c := range savedQueries(t) {
			if c.Reads != nil {
				assert.Equal(t, resultOf(t, ds, c.Reads, now), resultOf(t, ds, c.Saved, now), c.Name)
			}
		}
		require.Equal(t, now, time.Now())
	})
}

func TestSavedSettings(t *testing.T) {
	var table struct {
		Cases []struct {
			Name       string          `json:"name"`
			Saved      json.RawMessage `json:"saved"`
			Seconds    float64         `json:"seconds"`
			HTTPMethod string          `json:"httpMethod"`
			ProjectID  string          `json:"projectId"`
		} `json:"cases"`
	}
	readTable(t, savedSettingsFile, &table)
	require.NotEmpty(t, table.Cases)
	for _, c := range table.Cases {
		t.Run(c.Name, func(t *testing.T) {
			s := loadSettings(context.Background(), backend.DataSourceInstanceSettings{JSONData: c.Saved})
			require.NoError(t, s.err)
			config, err := s.metricsConfig()
			require.NoError(t, err)
			require.Equal(t, c.Seconds, config.MinStep.Seconds())
			require.Equal(t, c.HTTPMethod, config.Method)
			require.Equal(t, c.ProjectID, string(s.ProjectID))
		})
	}
}

type savedQuery struct {
	Name  string          `json:"name"`
	Saved json.RawMessage `json:"saved"`
	Kind  string          `json:"kind"`
	Reads json.RawMessage `json:"reads"`
}

func savedQueries(t *testing.T) []savedQuery {
	t.Helper()
	var table struct {
		Cases []savedQuery `json:"cases"`
	}
	readTable(t, savedQueriesFile, &table)
	require.NotEmpty(t, table.Cases)
	return table.Cases
}

func readTable(t *testing.T, file string, into any) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, into))
}

// connected is a data source with all three services of a simulated platform. Its clock is at now, because signatures are
// valid only near their timestamps.
func connected(t *testing.T, now time.Time) *Datasource {
	t.Helper()
	server := httptest.NewServer(platform.New(platform.Config{Now: func() time.Time { return now }}))
	t.Cleanup(server.Close)
	settings, err := json.Marshal(map[string]any{
		"baseUrl": server.URL, "projectId": platform.DefaultProjectID,
		"intelligenceUrl": server.URL + "/intelligence", "accessKeyId": platform.DefaultAccessKeyID,
	})
	require.NoError(t, err)
	instance, err := New(context.Background(), backend.DataSourceInstanceSettings{
		JSONData: settings,
		DecryptedSecureJSONData: map[string]string{
			"monitoringToken": platform.DefaultMonitoringToken,
			"inferenceApiKey": platform.DefaultInferenceAPIKey,
			"secretKey":       platform.DefaultSecretKey,
		},
	})
	require.NoError(t, err)
	ds := instance.(*Datasource)
	t.Cleanup(ds.Dispose)
	return ds
}

// resultOf is the response of a query over the hour before now.
func resultOf(t *testing.T, ds *Datasource, saved json.RawMessage, now time.Time) string {
	t.Helper()
	response, err := ds.QueryData(context.Background(), &backend.QueryDataRequest{Queries: []backend.DataQuery{{
		RefID: "A", JSON: saved, MaxDataPoints: 100, Interval: time.Minute,
		TimeRange: backend.TimeRange{From: now.Add(-time.Hour), To: now},
	}}})
	require.NoError(t, err)
	body := response.Responses["A"]
	require.NoError(t, body.Error)
	require.NotEmpty(t, body.Frames)
	encoded, err := json.Marshal(body.Frames)
	require.NoError(t, err)
	return string(encoded)
}
