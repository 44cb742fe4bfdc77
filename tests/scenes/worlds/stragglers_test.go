package worlds_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes/worlds"
)

var boards = []string{"H100", "A100", "H200", "L40S", "V100"}

const title = "GPUs slower than their peers, by clock and heat"

// TestStragglers looks every quarter of an hour at worlds of two hours after a warm-up of one in which GPUs are slower than the others of their
// job by 8 to 40 %. WORLDS makes more of them.
func TestStragglers(t *testing.T) {
	variables := map[string]string{"cluster": ".*", "host": "vm_name", "also": "vm_name"}
	since, err := scenes.PanelExpr("gpucloud-stragglers", title, "B", variables)
	require.NoError(t, err)
	since = strings.NewReplacer("$__interval", "1m", "$__range", "3h").Replace(since)
	wrong, found, slow, late := 0, 0, 0, []float64{}
	count := env("WORLDS", 3)
	for i := range count {
		made := worlds.Happen(straggling(i, 16, 1, 3))
		samples, _ := made.Samples()
		truth := map[string]worlds.Straggler{}
		for _, s := range made.Stragglers() {
			truth[fmt.Sprintf("node-%02d/%d", s.Node, s.GPU)] = s
		}
		rows := lookAt(t, samples, 75, 180)
		begins := map[string]float64{}
		for _, row := range evaluate(t, samples, since, 180) {
			begins[gpuOf(row)] = row.F/1000 - float64(worlds.Start.Unix())
		}
		for name, minutes := range rows {
			s, isSlow := truth[name]
			if !isSlow || minutes[0]*60 < s.From {
				t.Log("not slow:", i, name, minutes)
				wrong++
			} else if minutes[len(minutes)-1] == 180 {
				found++
				late = append(late, (begins[name]-float64(s.From))/60)
			}
		}
		slow += len(truth)
	}
	soon := 0
	for _, minutes := range late {
		if math.Abs(minutes) <= 10 {
			soon++
		}
	}
	t.Logf("%d of %d found, %d rows of GPUs that are not slow, in %d worlds; since within 10 minutes for %d: %.0f", found, slow, wrong, count, soon, late)
	require.GreaterOrEqual(t, float64(found), 0.9*float64(slow))
	require.GreaterOrEqual(t, float64(soon), 0.85*float64(found))
	require.LessOrEqual(t, float64(wrong), max(1, float64(count)/5), "in two hours each")
}

// TestStragglers_Healthy looks every quarter of an hour at worlds of an hour without a straggler.
func TestStragglers_Healthy(t *testing.T) {
	wrong, count := 0, env("WORLDS", 12)
	for i := range count {
		samples, _ := worlds.Happen(straggling(i, 8, 0, 2)).Samples()
		for name, minutes := range lookAt(t, samples, 75, 120) {
			t.Log("not slow:", i, name, minutes)
			wrong++
		}
	}
	require.LessOrEqual(t, float64(wrong), max(1, float64(count)/20))
}

// straggling is a world of some nodes.
func straggling(i, nodes int, slow float64, hours int) worlds.World {
	return worlds.World{
		Seed: uint64(env("SEED", 1)*1000 + i), Board: boards[i/2%len(boards)], Nodes: env("NODES", nodes), Hours: hours, Interval: 60, Host: "vm_name",
		Healthy: true, Profiling: i%4 < 3, Violations: i%4 < 3, Energy: true, Bound: i/2%2 == 0, Locked: i%5 == 1, Clusters: 1,
		Slow: slow, Mix: map[string]float64{"pretrain": 0.5},
	}
}

// lookAt are the minutes at which each GPU is found, of every fifteenth.
func lookAt(t *testing.T, samples *worlds.Store, from, to int) map[string][]int {
	t.Helper()
	expr, err := scenes.PanelExpr("gpucloud-stragglers", title, "A", map[string]string{"cluster": ".*", "host": "vm_name", "also": "vm_name"})
	require.NoError(t, err)
	rows := map[string][]int{}
	for minute := from; minute <= to; minute += 15 {
		for _, row := range evaluate(t, samples, expr, minute) {
			if row.F >= 0 {
				rows[gpuOf(row)] = append(rows[gpuOf(row)], minute)
			}
		}
	}
	return rows
}

func gpuOf(row promql.Sample) string { return row.Metric.Get("vm_name") + "/" + row.Metric.Get("gpu") }

func evaluate(t *testing.T, samples *worlds.Store, expr string, minute int) promql.Vector {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e9, Timeout: time.Hour, LookbackDelta: 5 * time.Minute, EnableAtModifier: true})
	query, err := engine.NewInstantQuery(t.Context(), samples, nil, expr, worlds.Start.Add(time.Duration(minute)*time.Minute))
	require.NoError(t, err)
	vector, err := query.Exec(t.Context()).Vector()
	require.NoError(t, err)
	return vector
}
