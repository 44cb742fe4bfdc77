package alerts_test

import (
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// series is a data source whose metrics service has the series given, in the notation of Prometheus' tests: a sample a
// minute from the time 0 on.
func series(t *testing.T, lines ...string) *plugin.Datasource {
	t.Helper()
	jsonData := map[string]any{"metricsUrl": scenes.Serve(t, minute(0), minute(0), lines...), "cache": map[string]any{"enabled": false}}
	return datasource.New(t, jsonData, map[string]string{"monitoringToken": "token"})
}

// minute is a time in the load of series.
func minute(n int) time.Time { return time.Unix(int64(n)*60, 0).UTC() }
