package dashboards_test

import (
	"maps"
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

// utilization are the same series of another metric.
func utilization(lines []string) []string {
	var list []string
	for _, line := range lines {
		list = append(list, strings.Replace(line, "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_GPU_UTIL", 1))
	}
	return list
}
