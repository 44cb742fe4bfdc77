package worlds_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes/worlds"
)

var variants = []struct {
	name               string
	o                  worlds.Options
	wrong, net, recall float64
}{
	{"A100, trainings and sweeps, pods", worlds.Options{Model: "NVIDIA A100-SXM4-80GB", Limit: 400, Idle: 62, Clock: 1410, Scrape: time.Minute, Profiling: true, Counters: true, Pods: true, Sweep: 0.3, Servers: 0.1}, 0.07, 0.03, 0.85},
	{"H100 at the power limit, soperator", worlds.Options{Model: "NVIDIA H100 80GB HBM3", Limit: 700, Idle: 70, Clock: 1980, Scrape: time.Minute, Profiling: true, Counters: true, Soperator: true, AtLimit: true, Restarts: true}, 0.07, 0.03, 0.85},
	{"H200 in two clusters with the same names, MIG, 15 s", worlds.Options{Model: "NVIDIA H200", Limit: 700, Idle: 75, Clock: 1980, Scrape: 15 * time.Second, Profiling: true, Counters: true, TwoClusters: true, MIG: true, Servers: 0.3, Sweep: 0.1, Locked: true}, 0.07, 0.03, 0.85},
	{"A100, default counters, the label of nodes renamed", worlds.Options{Model: "NVIDIA A100-SXM4-80GB", Limit: 400, Idle: 62, Clock: 1410, Scrape: time.Minute, Renamed: true, Restarts: true, Pods: true, Sweep: 0.2, Servers: 0.2}, 0.10, 0.06, 0.85},
	{"H100 without profiling metrics, model servers, no labels of jobs", worlds.Options{Model: "NVIDIA H100 80GB HBM3", Limit: 700, Idle: 70, Clock: 1980, Scrape: time.Minute, Counters: true, Servers: 0.4, Sweep: 0.2, MIG: true}, 0.10, 0.06, 0.85},
	{"H100, scrapes every five minutes", worlds.Options{Model: "NVIDIA H100 80GB HBM3", Limit: 700, Idle: 70, Clock: 1980, Scrape: 5 * time.Minute, Profiling: true, Counters: true, Pods: true, Servers: 0.1}, 0.15, 0.06, 0.7},
}

// TestWorlds bounds what is wrong in small worlds. WORLDS=128 makes them of so many GPUs and a day, and as many seeds as SEEDS.
func TestWorlds(t *testing.T) {
	nodes, hours, seeds := 3, 9, 2
	if gpus, err := strconv.Atoi(os.Getenv("WORLDS")); err == nil {
		nodes, hours, seeds = gpus/8, 25, 1
	}
	if n, err := strconv.Atoi(os.Getenv("SEEDS")); err == nil {
		seeds = n
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			all := &worlds.Score{Confused: map[[2]int]int{}}
			for seed := range seeds {
				o := v.o
				o.Seed, o.Nodes, o.Hours = uint64(seed+1), nodes, hours
				variables := map[string]string{"node": ".*", "host": "Hostname", "also": "Hostname", "window": "150", "recent": "75"}
				switch o.Scrape {
				case 15 * time.Second:
					variables["window"], variables["recent"] = "75", "30"
				case 5 * time.Minute:
					variables["window"], variables["recent"] = "750", "375"
				}
				if o.Renamed {
					variables["host"], variables["also"], variables["node"] = "hostname", "Hostname", ".*"
				}
				expr, err := scenes.PanelExpr("gpucloud-gpu-time", "GPUs of the node by cause", variables)
				require.NoError(t, err)
				score, err := worlds.New(o).Evaluate(t.Context(), expr)
				require.NoError(t, err)
				all.Add(score)
			}
			t.Log(v.name, all)
			require.Less(t, all.WrongShare(), v.wrong)
			require.Less(t, all.Net(), v.net)
			for _, cause := range []int{worlds.Faulted, worlds.Throttled} {
				precision, recall := all.Of(cause)
				require.Greater(t, precision, 0.9, "cause %d", cause)
				require.Greater(t, recall, v.recall, "cause %d", cause)
			}
		})
	}
}
