package worlds_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes/worlds"
)

var variants = []struct {
	worlds.World
	wrong, net float64
}{
	{worlds.World{Name: "A100, pods, 60 s", Board: "A100", Interval: 60, Host: "Hostname", Owner: "pod", Profiling: true, Violations: true, Energy: true, Stale: true}, 0.07, 0.03},
	{worlds.World{Name: "H100 at the power limit, Slurm, 60 s", Board: "H100", Interval: 60, Host: "vm_name", Owner: "slurm", Profiling: true, Violations: true, Energy: true, Bound: true, Brake: true}, 0.07, 0.03},
	{worlds.World{Name: "H200, two clusters with the same names, restarts of exporters, 15 s", Board: "H200", Interval: 15, Host: "Hostname", Owner: "exported", Clusters: 2, Profiling: true, Violations: true, Energy: true, Bound: true, Rollout: true, Stale: true, Locked: true}, 0.07, 0.03},
	{worlds.World{Name: "L40S, model servers, no labels of jobs, 60 s", Board: "L40S", Interval: 60, Host: "vm_name", Profiling: true, Violations: true, Energy: true, Mix: map[string]float64{"serve": 0.3, "pretrain": 0.02}}, 0.07, 0.03},
	{worlds.World{Name: "H100, MIG, no energy, locked clocks, 30 s", Board: "H100", Interval: 30, Host: "vm_name", Profiling: true, Violations: true, MIG: true, Bound: true, Locked: true}, 0.07, 0.03},
	{worlds.World{Name: "V100, hpc_job, no profiling metrics, 60 s", Board: "V100", Interval: 60, Host: "hostname", Owner: "hpc_job", Energy: true, Violations: true, Stale: true}, 0.10, 0.06},
	{worlds.World{Name: "A100, default counters, restarts of exporters, 60 s", Board: "A100", Interval: 60, Host: "Hostname", Owner: "exported", Energy: true, Rollout: true, Stale: true}, 0.10, 0.06},
	{worlds.World{Name: "H200, default counters, no labels of jobs, 60 s", Board: "H200", Interval: 60, Host: "vm_name", Energy: true, Bound: true}, 0.10, 0.06},
	{worlds.World{Name: "H100, Slurm, 5 min", Board: "H100", Interval: 300, Host: "vm_name", Owner: "slurm", Profiling: true, Violations: true, Energy: true, Bound: true}, 0.07, 0.03},
	{worlds.World{Name: "A100, pods, 5 min", Board: "A100", Interval: 300, Host: "Hostname", Owner: "pod", Energy: true, Profiling: true, Violations: true}, 0.07, 0.03},
	{worlds.World{Name: "A100, default counters, 5 min", Board: "A100", Interval: 300, Host: "Hostname", Owner: "pod", Energy: true, Stale: true}, 0.10, 0.06},
}

func env(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// TestWorlds bounds what is wrong in small worlds. NODES, HOURS and SEED make others.
func TestWorlds(t *testing.T) {
	with, without := &worlds.Score{Confused: map[[2]int]int{}}, &worlds.Score{Confused: map[[2]int]int{}}
	for i, v := range variants {
		t.Run(v.Name, func(t *testing.T) {
			v.Seed, v.Nodes, v.Hours = uint64(env("SEED", 1)*100+i), env("NODES", 6), env("HOURS", 6)
			variables := map[string]string{"node": ".*", "host": v.Host, "also": v.Host, "window": strconv.Itoa(max(75, v.Interval*5/2)), "recent": strconv.Itoa((max(75, v.Interval*5/2) + 1) / 2), "reported": strconv.Itoa(max(75, v.Interval*5/4)), "shift": " " + strings.Repeat("offset -2m", v.Interval/300)}
			expr, err := scenes.PanelExpr("gpucloud-gpu-time", "GPUs of the node by cause", "A", variables)
			require.NoError(t, err)
			score, err := worlds.Happen(v.World).Evaluate(t.Context(), expr)
			require.NoError(t, err)
			t.Log(v.Name, score)
			require.Less(t, score.WrongShare(), v.wrong)
			require.Less(t, score.Net(), v.net)
			switch {
			case v.Interval > 60:
			case v.Profiling:
				with.Add(score)
			default:
				without.Add(score)
			}
		})
	}
	for _, cause := range []worlds.Cause{worlds.Faulted, worlds.Throttled} {
		for of, least := range map[*worlds.Score]float64{with: 0.85, without: 0.8} {
			precision, recall := of.Of(int(cause))
			t.Logf("cause %d: precision %.3f, recall %.3f", cause, precision, recall)
			require.Greater(t, precision, 0.9, "cause %d", cause)
			require.Greater(t, recall, least, "cause %d", cause)
		}
	}
}
