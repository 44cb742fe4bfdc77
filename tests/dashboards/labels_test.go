package dashboards_test

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUsage_ByNamespace has an hour of two GPUs of a team and of one of another, and one of nobody. A scrape may have renamed the labels
// of pods: then those are the exporter's.
func TestUsage_ByNamespace(t *testing.T) {
	const gpu = `DCGM_FI_DEV_FB_USED{cluster_id="c", vm_name="n", modelName="NVIDIA H100 80GB HBM3", `
	for name, lines := range map[string][]string{
		"as the exporter names them": {
			gpu + `gpu="0..1", namespace="vision", pod="train"} 1x60`, gpu + `gpu="2", namespace="speech", pod="serve"} 1x60`, gpu + `gpu="3"} 1x60`,
		},
		"renamed": {
			gpu + `gpu="0..1", exported_namespace="vision", exported_pod="train", namespace="gpu-operator", pod="dcgm-exporter-x"} 1x60`,
			gpu + `gpu="2", exported_namespace="speech", exported_pod="serve", namespace="gpu-operator", pod="dcgm-exporter-x"} 1x60`,
			gpu + `gpu="3", namespace="gpu-operator", pod="dcgm-exporter-x"} 1x60`,
		},
		"one cluster renamed": {
			gpu + `gpu="0..1", namespace="vision", pod="train"} 1x60`,
			strings.Replace(gpu, `"c"`, `"d"`, 1) + `gpu="0", exported_namespace="speech", exported_pod="serve", namespace="gpu-operator", pod="exporter-x"} 1x60`,
		},
		"nobody's": {gpu + `gpu="0..3", namespace="gpu-operator", pod="dcgm-exporter-x"} 1x60`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGrafanaWith(t, slices.Concat(lines, utilization(lines))...)
			d := find(t, "gpucloud-usage")
			responses := g.over(t, d.panel(t, "By namespace"), g.fill(t, d), 2*time.Hour)
			hours := map[string]float64{}
			for _, response := range responses {
				require.NoError(t, response.Error)
				if hasValue(response.Frames) {
					maps.Copy(hours, columnBy(t, response, "namespace", "gpu_hours"))
				}
			}
			if name == "nobody's" {
				assert.Empty(t, hours, "the namespace is the exporter's")
				return
			}
			want := map[string]float64{"vision": 2, "speech": 1}
			assert.Len(t, hours, len(want), "%v", hours)
			for team, number := range want {
				assert.InDelta(t, number, hours[team], 0.05, "%s: %v", team, hours)
			}
		})
	}
}

// TestUsage_BySlurmJob has two jobs, of whose nodes or of whose GPUs there are series. Each leads to itself as a run.
func TestUsage_BySlurmJob(t *testing.T) {
	gpu := func(node, more string) string {
		return `DCGM_FI_DEV_FB_USED{cluster_id="c", vm_name="` + node + `", gpu="0..1", modelName="NVIDIA H100 80GB HBM3"` + more + `} `
	}
	nodes := []string{`slurm_node_job{cluster_id="c", node_name="n1", job_id="7"} 1x30`, `slurm_node_job{cluster_id="c", node_name="n2", job_id="8"} _x32 1x20`}
	unnamed := []string{gpu("n1", "") + "1x60", gpu("n2", "") + "1x60"}
	named := []string{gpu("n1", `, hpc_job="7"`) + "1x30", gpu("n2", `, hpc_job="8"`) + "_x32 1x20"}
	for name, series := range map[string]struct{ gpus, jobs []string }{"nodes": {unnamed, nodes}, "GPUs": {named, nil}, "both": {named, nodes}} {
		t.Run(name, func(t *testing.T) {
			g := newGrafanaWith(t, slices.Concat(series.gpus, utilization(series.gpus), series.jobs)...)
			usage, runs := find(t, "gpucloud-usage"), find(t, "gpucloud-runs")
			jobs := usage.panel(t, "By Slurm job")
			hours := columnBy(t, g.over(t, jobs, g.fill(t, usage), 3*time.Hour)["A"], "run_id", "gpu_hours")
			require.Len(t, hours, 2)
			address := regexp.MustCompile(`/d/gpucloud-runs[^"]*`).FindString(asJSON(t, jobs.FieldConfig))
			link, err := url.Parse(strings.ReplaceAll(address, `\u0026`, "&"))
			require.NoError(t, err)
			for id, number := range hours {
				choice := map[string]string{}
				for name, value := range link.Query() {
					choice[strings.TrimPrefix(name, "var-")] = strings.ReplaceAll(value[0], "${__data.fields.run_id}", id)
				}
				alone := columnBy(t, g.over(t, runs.panel(t, "What each run took, and its difference to the baseline"), g.choose(t, runs, choice), 3*time.Hour)["A"], "run_id", "gpu_hours")
				assert.Len(t, alone, 1)
				assert.InDelta(t, number, alone[id], 0.01, "%s: %v", id, alone)
			}
		})
	}
}

// utilization are the same series of another metric.
func utilization(lines []string) []string {
	var list []string
	for _, line := range lines {
		list = append(list, strings.Replace(line, "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_GPU_UTIL", 1))
	}
	return list
}
