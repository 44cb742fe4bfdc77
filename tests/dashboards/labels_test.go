package dashboards_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
