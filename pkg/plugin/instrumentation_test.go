package plugin_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// queriesCounted is the counter of queries of a service with an outcome.
func queriesCounted(t *testing.T, service, outcome string) float64 {
	t.Helper()
	families, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := metric.GetLabel()
			if family.GetName() == "gpucloud_queries_total" && labels[0].GetValue() == outcome && labels[1].GetValue() == service {
				return metric.GetCounter().GetValue()
			}
		}
	}
	return 0
}

func TestInstrumentation_Counters(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	p.Inject(platform.Fault{Service: "metrics", Path: "query_range$", Times: 1, Status: 401})
	tests := []struct {
		query            values
		service, outcome string
	}{
		{values{"expr": "up", "range": true}, "metrics", "credential"},
		{values{"expr": "up", "range": true}, "metrics", "ok"},
		{values{"expr": "up", "range": true, "format": "pie"}, "metrics", "invalid"},
		{values{"queryType": "capacities"}, "mainapi", "invalid"},
		{values{"queryType": "fineTuningJobs"}, "gateway", "invalid"},
	}
	for _, test := range tests {
		before := queriesCounted(t, test.service, test.outcome)
		runQueries(t, ds, dataQuery(t, "A", test.query))
		require.Equal(t, before+1, queriesCounted(t, test.service, test.outcome), "%v", test.query)
	}
}
