package worlds_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes/worlds"
)

var boards = []string{"H100", "A100", "H200", "L40S", "V100"}

// TestStragglers looks every quarter of an hour at worlds of two hours after a warm-up of one, in half of which GPUs are slower than the
// others of their job by 8 to 40 %. WORLDS makes more of them.
func TestStragglers(t *testing.T) {
	variables := map[string]string{"cluster": ".*", "host": "vm_name", "throttled_in": "1e9"}
	expr, err := scenes.PanelExpr("gpucloud-stragglers", "GPUs slower than their peers, by clock and heat", variables)
	require.NoError(t, err)
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e9, Timeout: time.Hour, LookbackDelta: 5 * time.Minute})
	wrong, found, slow := 0, 0, 0
	count := env("WORLDS", 4)
	for i := range count {
		made := worlds.Happen(worlds.World{
			Seed: uint64(env("SEED", 1)*1000 + i), Board: boards[i/2%len(boards)], Nodes: env("NODES", 16), Hours: 3, Interval: 60, Host: "vm_name",
			Healthy: true, Profiling: i%4 < 3, Violations: i%4 < 3, Energy: true, Bound: i/2%2 == 0, Locked: i%5 == 1, Clusters: 1,
			Slow: float64(i % 2), Mix: map[string]float64{"pretrain": 0.5},
		})
		samples, _ := made.Samples()
		truth, rows := map[string]worlds.Straggler{}, map[string]bool{}
		for _, s := range made.Stragglers() {
			truth[fmt.Sprintf("node-%02d/%d", s.Node, s.GPU)] = s
		}
		for minute := 75; minute <= 180; minute += 15 {
			query, err := engine.NewInstantQuery(t.Context(), samples, nil, expr, worlds.Start.Add(time.Duration(minute)*time.Minute))
			require.NoError(t, err)
			vector, err := query.Exec(t.Context()).Vector()
			require.NoError(t, err)
			for _, row := range vector {
				name := row.Metric.Get("vm_name") + "/" + row.Metric.Get("gpu")
				s, isSlow := truth[name]
				if row.F < 0 || rows[name] {
					continue
				}
				if !isSlow || minute*60 < s.From {
					t.Log("not slow:", i, minute, name, row)
					wrong++
					rows[name] = true
				} else if minute == 180 {
					found++
				}
			}
		}
		slow += len(truth)
	}
	t.Logf("%d of %d found, %d rows of GPUs that are not slow, in %d worlds", found, slow, wrong, count)
	require.GreaterOrEqual(t, float64(found), 0.9*float64(slow))
	require.LessOrEqual(t, float64(wrong), max(1, float64(count)/10), "in two hours each")
}
