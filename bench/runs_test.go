package bench

import (
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// pods are the runs of the pods that train on the largest node pool, which has half of the nodes.
var pods = map[string]any{"kind": "series", "expr": `training_loss{nodepool_name="pretraining"}`, "by": []string{"pod_name", "nodepool_name"}}

const podGPUs = `nodepool_name="$nodepool_name"`

// BenchmarkRuns has a comparison of runs of 64 GPUs, and reports of runs on 1,024 and of all runs of four weeks: first, and again.
// The goals are 1 s and 50 ms for the comparison, 2 s for the large report, and no request for runs that have ended.
func BenchmarkRuns(b *testing.B) {
	for _, test := range []struct {
		name  string
		nodes int
		query backend.DataQuery
	}{
		{"comparison of a week", 16, saved(map[string]any{"queryType": "runComparison", "source": pods, "selector": podGPUs,
			"expr": utilization + "{$selector}", "axis": "elapsed"}, past().Add(-7*day), past())},
		{"report of 1024 GPUs", 256, saved(map[string]any{"queryType": "runs", "source": pods, "selector": podGPUs}, past().Add(-day), past())},
		{"reports of four weeks", 8, saved(map[string]any{"queryType": "runs", "source": pods, "selector": podGPUs}, past().Add(-28*day), past())},
	} {
		p, address := simulated(b, platform.Config{Nodes: test.nodes})
		requests := func(b *testing.B, times int) {
			b.ReportMetric(float64(p.Counters().Count(platform.ServiceMetrics, "", -1))/float64(times), "requests/op")
		}
		b.Run(test.name+"/first", func(b *testing.B) {
			p.ResetCounters()
			for b.Loop() {
				ds := newDatasource(b, address, nil)
				if len(run(b, ds, test.query)) == 0 {
					b.Fatal("no frames")
				}
				ds.Dispose()
			}
			requests(b, b.N)
		})
		b.Run(test.name+"/again", func(b *testing.B) {
			ds := newDatasource(b, address, nil)
			defer ds.Dispose()
			run(b, ds, test.query)
			p.ResetCounters()
			for b.Loop() {
				run(b, ds, test.query)
			}
			requests(b, b.N)
		})
	}
}
