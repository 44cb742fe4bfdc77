package contract_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/routes"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// newGrafana runs the backend against a simulated platform and returns the address of the data source's resources.
func newGrafana(t *testing.T, config platform.Config) string {
	t.Helper()
	config.Relative = true
	simulated := httptest.NewServer(platform.New(config))
	t.Cleanup(simulated.Close)
	backend := datasource.New(t, map[string]any{"baseUrl": simulated.URL, "projectId": platform.DefaultProjectID},
		map[string]string{"monitoringToken": platform.DefaultMonitoringToken})
	source := routes.NewDataSource(routes.Saved{UID: "gpucloud", Type: plugin.ID}, "0.0.0", "12.4.0")
	grafana := httptest.NewServer(routes.New(routes.Config{Backend: backend, DataSource: source, Log: hclog.NewNullLogger()}))
	t.Cleanup(grafana.Close)
	return grafana.URL + "/api/datasources/uid/gpucloud/resources"
}

func TestPrometheusClient(t *testing.T) {
	for name, config := range map[string]platform.Config{
		"of all endpoints": {}, "of the documented endpoints": {SpecOnly: true},
	} {
		t.Run(name, func(t *testing.T) { testPrometheusAPI(t, newGrafana(t, config)) })
	}
}

func testPrometheusAPI(t *testing.T, address string) {
	client, err := api.NewClient(api.Config{Address: address})
	require.NoError(t, err)
	prometheus := promv1.NewAPI(client)
	ctx := context.Background()
	end := time.Now()
	start := end.Add(-time.Hour)

	vector, _, err := prometheus.Query(ctx, "count(DCGM_FI_DEV_GPU_UTIL)", end)
	require.NoError(t, err)
	require.EqualValues(t, 64, vector.(model.Vector)[0].Value)

	earlier, _, err := prometheus.Query(ctx, "count(DCGM_FI_DEV_GPU_UTIL)", start)
	require.NoError(t, err)
	require.WithinDuration(t, start, earlier.(model.Vector)[0].Timestamp.Time(), time.Millisecond)

	matrix, _, err := prometheus.QueryRange(ctx, "avg by (vm_name) (DCGM_FI_DEV_GPU_UTIL)", promv1.Range{Start: start, End: end, Step: time.Minute})
	require.NoError(t, err)
	require.Len(t, matrix, 8)
	require.Len(t, matrix.(model.Matrix)[0].Values, 61)

	names, _, err := prometheus.LabelNames(ctx, []string{"DCGM_FI_DEV_GPU_UTIL"}, start, end)
	require.NoError(t, err)
	require.Contains(t, names, model.LabelName("gpu"))

	values, _, err := prometheus.LabelValues(ctx, "gpu", []string{"DCGM_FI_DEV_GPU_UTIL"}, start, end)
	require.NoError(t, err)
	require.Len(t, values, 8)

	series, _, err := prometheus.Series(ctx, []string{`DCGM_FI_DEV_GPU_UTIL{gpu="0"}`}, start, end)
	require.NoError(t, err)
	require.Len(t, series, 8)

	metadata, err := prometheus.Metadata(ctx, "DCGM_FI_DEV_GPU_UTIL", "")
	require.NoError(t, err)
	require.Equal(t, promv1.MetricTypeGauge, metadata["DCGM_FI_DEV_GPU_UTIL"][0].Type)

	_, _, err = prometheus.Query(ctx, "sum(", end)
	var failure *promv1.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, promv1.ErrBadData, failure.Type)
	require.Contains(t, failure.Msg, "parse error")
}
