package alerts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeldIdleRule_Sessions has a job that hangs, and one that ends before a session takes its GPUs.
func TestHeldIdleRule_Sessions(t *testing.T) {
	after := func(memory string) []string {
		return together(onNode1(8, "GPU_UTIL", "99x299 0x100"), onNode1(8, "FB_USED", memory), onNode1(8, "POWER_USAGE", "900x299 150x100"))
	}
	testSituations(t, map[string]situation{
		"a job that hangs": {rule: "gpu-held-idle", series: after("150000x400"), fires: []int{335, 370}},
		"a hang of an hour, before the exporter loses the utilization": {
			rule: "gpu-held-idle", fires: []int{3035, 3058}, quiet: []int{2990, 3010, 3065, 4150},
			series: together(ofNode3("FB_USED", "60000x6000"), ofNode3("GPU_UTIL", "99x2999 0x59 99x1000"), ofNode3("POWER_USAGE", "600x2999 120x59 600x1000"))},
		"a process that is left behind":     {rule: "gpu-held-idle", series: together(ofNode3("FB_USED", "60000x1500"), ofNode3("GPU_UTIL", "20x99 0x1400")), fires: []int{1080}, quiet: []int{1000}},
		"a process that began in the night": {rule: "gpu-held-idle", series: together(ofNode3("FB_USED", "4x299 60000x1500"), ofNode3("GPU_UTIL", "20x99 0x1700")), fires: []int{1290}, quiet: []int{1080, 1200}},
		"another process in the night":      {rule: "gpu-held-idle", series: together(ofNode3("FB_USED", "60000x599 4x60 60000x900"), ofNode3("GPU_UTIL", "20x99 0x1400")), quiet: []int{1080, 1400}},
		"a session that begins after":       {rule: "gpu-held-idle", series: after("150000x299 20000x9 130000x90"), quiet: []int{335, 370}},
	})
}

// TestUnusedRule has GPUs that nobody uses and that are somebody's, or nobody's.
func TestUnusedRule(t *testing.T) {
	gpus := func(count int, labels string) []string {
		return each(count, strings.Replace(gpuLine("FB_USED", "node-1", "4x400"), `gpu="%d"`, `gpu="%d", `+labels, 1))
	}
	slurm := func(jobs int) []string {
		return together([]string{`slurm_node_info{cluster_id="c", node_name="node-1", state_base="ALLOCATED"} 1x400`},
			each(jobs, `slurm_node_job{cluster_id="c", node_name="node-1", job_id="%d"} 1x400`))
	}
	unused := func(fires bool, series ...[]string) situation {
		s := situation{rule: "gpu-unused", series: together(series...)}
		if fires {
			s.fires = []int{150}
		} else {
			s.quiet = []int{150, 390}
		}
		return s
	}
	worker := []string{`slurm_node_info{cluster_id="c", node_name="worker-0", state_base="IDLE"} 1x400`}
	testSituations(t, map[string]situation{
		"a pod with three":          unused(false, gpus(3, `pod="a"`)),
		"a pod with four":           unused(true, gpus(4, `pod="a"`)),
		"pods with one each":        unused(false, gpus(4, `exported_pod="session-%[1]d"`)),
		"a notebook":                unused(false, gpus(8, `pod="jupyter-anna-0"`)),
		"nobody":                    unused(false, gpus(8, `pod=""`)),
		"a job by its label":        unused(true, gpus(4, `hpc_job="4711"`)),
		"the only job of a node":    unused(true, gpus(8, `pod=""`), slurm(1)),
		"one of two jobs of a node": unused(false, gpus(8, `pod=""`), slurm(2)),
		"a reserved node":           unused(true, gpus(8, `pod=""`), []string{`slurm_node_info{cluster_id="c", node_name="node-1", state_is_reserved="true"} 1x400`}),
		"a job of half of the CPUs": unused(false, gpus(8, `pod=""`), slurm(1)[1:], []string{`slurm_node_info{cluster_id="c", node_name="node-1", state_base="MIXED"} 1x400`,
			`slurm_node_cpus_allocated{cluster_id="c", node_name="node-1"} 64x400`, `slurm_node_cpus_idle{cluster_id="c", node_name="node-1"} 64x400`}),
		"an idle node of Slurm's":      unused(false, gpus(8, `exported_pod="worker-0"`), worker),
		"a pod that uses four of them": unused(false, gpus(3, `pod="a"`), each(5, strings.Replace(gpuLine("FB_USED", "node-1", "70000x400"), `gpu="%d"`, `gpu="1%d", pod="a"`, 1))),
	})
}

// TestKubernetesRules has pods and nodes without GPUs, and a node that somebody has cordoned.
func TestKubernetesRules(t *testing.T) {
	nodes := each(2, `kube_node_status_allocatable{cluster_id="c", node="n%d", resource="nvidia_com_gpu"} 8x400`)
	const restarts = `kube_pod_container_status_restarts_total{cluster_id="c", `
	testSituations(t, map[string]situation{
		"a node whose disk is full": {rule: "node-unfit", fires: []int{100}, says: "it is under DiskPressure, and evicts pods", advises: "Free what it has too little of", series: []string{
			`kube_node_status_condition` + gpuNode + `, condition="DiskPressure", status="true"} 1x400`, nodes[1]}},
		"a cordoned node that restarts": {rule: "node-unfit", quiet: []int{100}, series: []string{
			`kube_node_status_condition` + gpuNode + `, condition="Ready", status="false"} 1x400`, nodes[1], `kube_node_spec_unschedulable` + gpuNode + `} 1x400`}},
		"a node without GPUs": {rule: "node-unfit", quiet: []int{100}, series: []string{`kube_node_status_condition` + gpuNode + `, condition="Ready", status="false"} 1x400`}},
		"a pod without GPUs":  {rule: "pod-restarts", series: []string{restarts + `namespace="team", pod="b"} 0+1x400`, `kube_pod_container_resource_requests` + pod + ` 4x400`}, quiet: []int{100}},
		"labels that a scrape renamed": {rule: "pod-restarts", fires: []int{100}, says: "pod team/a of cluster c", series: []string{
			restarts + `exported_namespace="team", exported_pod="a", namespace="monitoring", pod="kube-state-metrics"} 0+1x400`, `kube_pod_container_resource_requests` + pod + ` 4x400`}},
	})
}

// TestHeldIdleRule_Services has GPUs that are held idle by nature, by the names of their pools, namespaces and pods.
func TestHeldIdleRule_Services(t *testing.T) {
	rule := rules(t)["gpu-held-idle"]
	for labels, fires := range map[string]int{
		`nodepool_name="train"`:               1,
		`nodepool_name="serving-h100"`:        0,
		`nodepool_name="h100-serving"`:        0,
		`nodepool_name="reserved-h100"`:       1,
		`nodepool_name="gpu-servers"`:         1,
		`nodepool_name="Model_Server_2"`:      1,
		`nodepool_name="model-server_2"`:      0,
		`exported_pod="jupyterhub-alice"`:     0,
		`namespace="observability"`:           1,
		`pod="notebook-0", namespace="team"`:  0,
		`exported_namespace="notebooks"`:      0,
		`exported_pod="vllm-llama-0"`:         0,
		`exported_pod="pretraining-worker-0"`: 1,
		`pod="m8x7", container="vllm"`:        0,
	} {
		gpu := func(metric, values string) string {
			return `DCGM_FI_DEV_` + metric + `{cluster_id="c", vm_name="node-1", gpu="0", ` + labels + `} ` + values
		}
		ds := series(t, gpu("GPU_UTIL", "99x99 0x100"), gpu("FB_USED", "70000x200"), gpu("POWER_USAGE", "600x99 70x100"))
		require.Len(t, inState(evaluate(t, ds, rule, minute(130)), alerting), fires, labels)
	}
}
