package alerts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
)

// each is a line for each GPU of a node. A %d stands for its number.
func each(count int, line string) []string {
	lines := make([]string, count)
	for i := range lines {
		lines[i] = fmt.Sprintf(line, i)
	}
	return lines
}

func gpuLine(metric, node, values string) string {
	return `DCGM_FI_DEV_` + metric + `{cluster_id="c", vm_name="` + node + `", instance="` + node + `:9400", modelName="NVIDIA H100 80GB HBM3", gpu="%d"} ` + values
}

// onNode1 is a line for each GPU of a node.
func onNode1(count int, metric, values string) []string {
	return each(count, gpuLine(metric, "node-1", values))
}

// onPod is the same of GPUs that a pod has.
func onPod(count int, metric, values string) []string {
	return each(count, strings.Replace(gpuLine(metric, "node-1", values), `gpu="%d"`, `exported_pod="train-0", gpu="%d"`, 1))
}

// ofJob is a line for each of four GPUs of a node that a job of Slurm has, of the same number.
func ofJob(job, metric, values string) []string {
	return each(4, strings.Replace(gpuLine(metric, "node-"+job, values), `gpu="%d"`, `hpc_job="`+job+`", gpu="%d"`, 1))
}

// one is the line of a GPU.
func one(line string, gpu int) []string { return []string{fmt.Sprintf(line, gpu)} }

// throttledOn is a GPU that heat slows down.
func throttledOn(node string) []string {
	return one(gpuLine("THERMAL_VIOLATION", node, "0x99 0+30e9x100 3e12x200"), 0)
}

func together(parts ...[]string) (all []string) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// pod has the labels of kube-state-metrics.
const pod = `{cluster_id="c", namespace="team", pod="a", resource="nvidia_com_gpu"}`

// gpuNode has the labels of a node there.
const gpuNode = `{cluster_id="c", node="n1"`

// changes are the rules that are about series only, each with a situation worked out by hand.
func changes() map[string]situation {
	node := func(metric, values string) string {
		return `DCGM_FI_DEV_` + metric + `{cluster_id="c", vm_name="node-%d", gpu="0"} ` + values
	}
	return map[string]situation{
		"gpu-xid": {
			series: ofNode3("XID_ERRORS", "0x119 48x400"), fires: []int{120, 150, 178}, quiet: []int{119, 185, 300, 500},
			says: "GPU 3 of node-1 reports XID 48: a double-bit ECC error: GPU memory lost data that cannot be corrected. Usual origin: hardware.", advises: "drain this node and reset the GPU"},
		"gpu-ecc": {series: ofNode3("ECC_DBE_VOL_TOTAL", "0x199 1x400"), fires: []int{200, 250}, quiet: []int{190, 280}, says: "The memory of GPU 3 of node-1 had"},
		"gpu-held-idle": {
			series: together(onNode1(8, "GPU_UTIL", "99x49 0x50 99x50"), onNode1(8, "FB_USED", "70000x150"), onNode1(8, "POWER_USAGE", "600x49 70x50 600x50")),
			fires:  []int{76, 90}, quiet: []int{40, 140}, says: "8 GPUs of node-1 are held idle", labels: data.Labels{"vm_name": "node-1"}},
		"gpu-unused": {
			series: together(onNode1(8, "FB_USED", "4x99"), onPod(8, "FB_USED", "_x100 4x200 70000x100")),
			fires:  []int{130, 290}, quiet: []int{95, 320}, says: "8 GPUs of node-1 have been allocated for two hours, and no process", labels: data.Labels{"vm_name": "node-1"}},
		"node-unfit": {
			series: []string{`kube_node_status_condition` + gpuNode + `, condition="Ready", status="unknown"} 0x99 1x200 0x100`, `kube_node_status_allocatable` + gpuNode + `, resource="nvidia_com_gpu"} 8x400`},
			fires:  []int{115, 290}, quiet: []int{95, 310}, says: "n1 of cluster c takes no pods: it is not ready", advises: "kubelet is silent", labels: data.Labels{"vm_name": "n1"}},
		"pod-restarts": {
			series: []string{`kube_pod_container_status_restarts_total` + pod + ` 0x99 1x14 2x14 3x300`, `kube_pod_container_resource_requests` + pod + ` 4x400`},
			fires:  []int{135, 155}, quiet: []int{95, 120, 180}, says: "pod team/a of cluster c has restarted 3 times"},
		"gpu-spin": {
			series: together(onNode1(8, "GPU_UTIL", "98x300"), onNode1(8, "POWER_USAGE", "650x99 140x100 650x100")),
			fires:  []int{135, 190}, quiet: []int{95, 110, 240}, says: "on 8 GPUs of cluster c"},
		"gpu-straggler": {
			series: together(onNode1(7, "SM_CLOCK", "1980x300"), one(gpuLine("SM_CLOCK", "node-1", "1980x99 1485x100 1980x100"), 7), onNode1(8, "GPU_UTIL", "100x300"),
				onNode1(7, "THERMAL_VIOLATION", "0x300"), one(gpuLine("THERMAL_VIOLATION", "node-1", "0x99 0+54e9x100 5400e9x100"), 7)),
			fires: []int{130, 190}, quiet: []int{90, 250}, labels: data.Labels{"vm_name": "node-1", "gpu": "7", "cause": "heat"},
			says: "The clock of GPU 7 of node-1 is 25.0 % below the median of its node under load (over 24 minutes). Why: heat, the GPU slows itself down."},
		"gpu-pcie": {
			series: together(onNode1(8, "GPU_UTIL", "100x400"), onNode1(7, "PCIE_REPLAY_COUNTER", "0x400"), one(gpuLine("PCIE_REPLAY_COUNTER", "node-1", "0x99 0+140x100 14000+1x200"), 7)),
			fires:  []int{130, 190}, quiet: []int{90, 240}, says: "GPU 7 of node-1 repeats 140.0 PCIe transfers a minute", labels: data.Labels{"vm_name": "node-1", "gpu": "7"}},
		"node-straggler": {
			series: together(each(4, node("SM_CLOCK", "1980x300")), one(node("SM_CLOCK", "1980x99 1584x200"), 4), each(5, node("GPU_UTIL", "100x300")),
				each(4, node("THERMAL_VIOLATION", "0x300")), one(node("THERMAL_VIOLATION", "0x99 0+30e9x200"), 4)),
			fires: []int{130, 290}, quiet: []int{90}, says: "The median clock of the GPUs of node-4 is 20.0 % below", labels: data.Labels{"vm_name": "node-4"}},
		"infiniband-link-down": {
			series: []string{`vendor_ib_port_link_downed{cluster_id="c", vm_name="node-1", hca_number="3"} 0x99 1x19 2x200`}, fires: []int{125, 150}, quiet: []int{90, 105, 190}, says: "port 3 of node-1 is down, or went down several times"},
		"load-balancer-drop": {
			series: []string{`vendor_elb_new_flows{elb_name="gateway", vip_port="443", proto="tcp"} 0+600x1999 1199400+60x300`}, fires: []int{2030}, quiet: []int{1990}, says: "Load balancer gateway, port 443, has 10.0 % of the least of new connections"},
		"slurm-nodes-down": {
			series: []string{`vendor_slurm_nodes_down{cluster_id="s"} 0x99 2x100 0x100`}, fires: []int{110, 190}, quiet: []int{90, 230}, says: "2 nodes of Slurm cluster s do not respond"},
		"disk-nearly-full": {series: disk("800x99 950x100 800x100"), fires: []int{120, 190}, quiet: []int{90, 250}, says: "/data of node-1 (vdb) is 95.0 % full"},
		"disk-full":        {series: disk("800x99 995x100 800x100"), fires: []int{120, 190}, quiet: []int{90, 250}, says: "/data of node-1 (vdb) is 99.5 % full: what writes to it fails"},
		"gpu-hot": {
			series: append(each(2, gpuLine("GPU_TEMP", "node-1", "60x99 88x50 60x100")), `DCGM_FI_DEV_MEMORY_TEMP{cluster_id="c", vm_name="node-2", gpu="0"} 60x219 99x50 60x50`),
			fires:  []int{120, 149, 230, 260}, quiet: []int{90, 160, 280}, says: "above 83 °C, or 95 °C in memory"},
		"gpu-remap": {
			series: []string{`DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS{cluster_id="c", vm_name="node-1", gpu="3"} 1x1999 2x4000`},
			// An hour later the row is no news.
			fires: []int{2001, 2050}, quiet: []int{1990, 2080, 3500, 5000}, says: "A faulty row in the memory of GPU 3 of node-1 was replaced"},
		"gpu-missing": {
			// GPU 7 of node-1 falls off the bus.
			series: together(each(7, gpuLine("FB_USED", "node-1", "4x6000")), one(gpuLine("FB_USED", "node-1", "4x2999"), 7)),
			fires:  []int{3012, 3050, 3300, 4000, 4400}, quiet: []int{2990, 3005, 4500}, says: "1 GPU of node-1 has no samples"},
		"node-missing": {
			series: together(each(8, gpuLine("FB_USED", "node-1", "4x4000")), each(8, gpuLine("FB_USED", "node-2", "40000x1000"))),
			fires:  []int{1012, 1050, 1120}, quiet: []int{990, 1005, 1140, 2000}, says: "None of the 8 GPUs of node-2 has samples", labels: data.Labels{"vm_name": "node-2"}},
		"gpu-exporter-missing": {
			series: together(each(8, gpuLine("FB_USED", "node-1", "4x4000")), each(8, gpuLine("FB_USED", "node-2", "4x1000")), []string{`vendor_vm_memory_total_bytes{cluster_id="c", vm_name="node-2"} 100x4000`}),
			fires:  []int{1015, 1050, 1120}, quiet: []int{990, 1005, 1140, 2000}, says: "None of the 8 GPUs of node-2 has samples", labels: data.Labels{"vm_name": "node-2"}},
		"gpus-fewer": {
			series: together(each(8, gpuLine("FB_USED", "node-1", "4x6000")), each(8, gpuLine("FB_USED", "node-2", "4x2999")), each(8, gpuLine("FB_USED", "node-3", "4x2999"))),
			fires:  []int{3012, 3100, 3700}, quiet: []int{2990, 3005, 3750}, says: "Cluster c has 8 of the 24 GPUs", labels: data.Labels{"cluster_id": "c"}},
		"gpus-throttled": {
			series: together(each(8, gpuLine("FB_USED", "node-1", "4x400")), throttledOn("node-1"), throttledOn("node-2"), throttledOn("node-3")),
			fires:  []int{130, 200}, quiet: []int{90, 300}, says: "38 % of the GPUs of cluster c are hot"},
		"nvme-wear": {
			series: []string{`vendor_vm_nvme_percentage_used{cluster_id="c", vm_name="node-1", device="nvme0"} 89x99 91x100`},
			fires:  []int{110, 150}, quiet: []int{90}, says: "A local NVMe drive of node-1 (nvme0)"},
		"host-memory": {
			series: []string{`vendor_vm_memory_used_bytes{cluster_id="c", vm_name="node-1"} 50x99 98x100 60x100`, `vendor_vm_memory_total_bytes{cluster_id="c", vm_name="node-1"} 100x400`},
			fires:  []int{120, 190}, quiet: []int{90, 230}, says: "98 % of the memory of node-1"},
		"shared-disk-slow": {
			series: []string{`vendor_sdisk_disk_write_latency{disk_id="d", disk_name="data"} 2x1500 40x60 2x200`},
			fires:  []int{1520, 1550}, quiet: []int{1000, 1490, 1600}, says: "Shared disk data takes"},
		"object-storage-slow": {
			series: []string{
				`vendor_vm_objectstore_connection_latency_histogram_seconds_sum{endpoint="s3"} 0+1x1500 1500+60x60 5100+1x200`,
				`vendor_vm_objectstore_connection_latency_histogram_seconds_count{endpoint="s3"} 0+20x2000`},
			fires: []int{1520, 1550}, quiet: []int{1000, 1490, 1600}, says: "Connecting to s3 takes"},
		"slurm-scheduler-stopped": {
			series: []string{`vendor_slurm_schedule_cycle_last{cluster_id="s"} 1800+1x99 1900x100 1901+1x100`, `vendor_slurm_jobs_pending{cluster_id="s"} 5x300`},
			fires:  []int{135, 190}, quiet: []int{90, 120, 210}, says: "5 jobs of Slurm cluster s wait, and its scheduler"},
		"slurm-idle-pending": {
			series: []string{`vendor_slurm_nodes{cluster_id="s"} 10x400`, `vendor_slurm_nodes_idle{cluster_id="s"} 0x99 4x300`, `vendor_slurm_jobs_pending{cluster_id="s"} 5x299 0x100`},
			fires:  []int{120, 290}, quiet: []int{90, 320}, says: "40 % of the nodes of Slurm cluster s"},
		"infiniband-slow": {
			series: []string{`vendor_ib_port_line_rate{cluster_id="c", vm_name="node-1", hca_number="3"} 400e9x99 200e9x199 400e9x100`},
			fires:  []int{115, 290}, quiet: []int{90, 310}, says: "port 3 of node-1 has 50 % of the rate"},
		"infiniband-errors": {
			series: []string{`vendor_ib_port_error_rx{cluster_id="c", vm_name="node-1", hca_number="3"} 5x99 5+1x40 45x200`, `vendor_ib_port_line_rate{cluster_id="c", vm_name="node-1", hca_number="3"} 400e9x400`},
			fires:  []int{115, 140}, quiet: []int{90, 165}, says: "port 3 of node-1 counted 1"},
		"family-lesser-gone": {
			series: []string{`DCGM_FI_PROF_GR_ENGINE_ACTIVE{cluster_id="c", gpu="0"} 1x99`, `DCGM_FI_PROF_GR_ENGINE_ACTIVE{cluster_id="d", gpu="0"} 1x400`, `DCGM_FI_DEV_FB_USED{cluster_id="c", gpu="0"} 4x400`},
			fires:  []int{125, 150}, quiet: []int{90, 105}, says: "no metrics of profiling of cluster c", labels: data.Labels{"cluster_id": "c"}},
		"family-gone": {
			// The other cluster still has metrics of the family.
			series: []string{`DCGM_FI_DEV_FB_USED{cluster_id="d", gpu="0"} 4x200`, `DCGM_FI_DEV_FB_USED{cluster_id="c", gpu="0"} 4x99`},
			fires:  []int{130, 150}, quiet: []int{90, 105}, says: "no metrics of GPUs of cluster c", labels: data.Labels{"cluster_id": "c", "family": "GPUs"}},
	}
}

// TestRules_OfSeries has each rule on series alone, under both names that DCGM's fields can have.
func TestRules_OfSeries(t *testing.T) {
	situations := changes()
	testSituations(t, situations)
	var names []string
	for before, since := range metrics.NewNames {
		names = append(names, before+"{", since+"{")
	}
	renamed := strings.NewReplacer(names...)
	for name, s := range situations {
		before := slices.Clone(s.series)
		for i, line := range before {
			s.series[i] = renamed.Replace(line)
		}
		if slices.Equal(before, s.series) {
			delete(situations, name) // it is not of DCGM
		}
	}
	testSituations(t, situations)
}

// disk is a file system of node-1, of which so many of 1000 bytes are used.
func disk(used string) []string {
	labels := `{cluster_id="c", vm_name="node-1", device="vdb", mount_point="/data"} `
	return []string{"vendor_vm_disk_bytes_used" + labels + used, "vendor_vm_disk_bytes_total" + labels + "1000x9000"}
}

func withoutCluster(lines []string) []string {
	for i, line := range lines {
		lines[i] = strings.Replace(line, `cluster_id="c", `, "", 1)
	}
	return lines
}

// TestRules_Texts has what is said where there are several texts.
func TestRules_Texts(t *testing.T) {
	testSituations(t, map[string]situation{
		"eight hot GPUs": {rule: "gpu-hot", series: onNode1(8, "GPU_TEMP", "91x100"), fires: []int{90}, says: "8 GPUs of node-1 are above 83 °C"},
		"a fleet without clusters": {
			rule: "gpu-spin", fires: []int{90}, says: "run all the time on 4 GPUs, and draw",
			series: withoutCluster(together(onNode1(4, "GPU_UTIL", "98x100"), onNode1(4, "POWER_USAGE", "650x40 140x60")))},
		"jobs of Slurm that spin one after the other": {
			rule: "gpu-spin", fires: []int{180}, says: "run all the time on 4 GPUs of Slurm job 2 of cluster c, and draw", labels: data.Labels{"hpc_job": "2"},
			series: together(ofJob("1", "GPU_UTIL", "98x200"), ofJob("1", "POWER_USAGE", "140x99 650x100"), ofJob("2", "GPU_UTIL", "98x200"), ofJob("2", "POWER_USAGE", "650x99 140x100"))},
		"kernels that use the memory": {
			rule: "gpu-spin", quiet: []int{90}, series: together(onNode1(4, "GPU_UTIL", "98x100"), onNode1(4, "POWER_USAGE", "650x40 140x60"), onNode1(4, "MEM_COPY_UTIL", "30x100"))},
		"three GPUs at little power": {
			rule: "gpu-spin", quiet: []int{90}, series: together(onNode1(3, "GPU_UTIL", "98x100"), onNode1(3, "POWER_USAGE", "650x40 140x60"))},
		"a job that spins for ten minutes before it ends": {
			// The series of its pods end with it, and have nothing but that in the half hour after.
			rule: "gpu-spin", quiet: []int{95, 130, 139, 145},
			series: together(
				onPod(8, "GPU_UTIL", "98x109"), onPod(8, "POWER_USAGE", "650x99 140x9"),
				onNode1(8, "GPU_UTIL", "_x110 0x100"), onNode1(8, "POWER_USAGE", "_x110 70x100"))},
		"four GPUs at little power whose tensor cores work": {
			rule: "gpu-spin", quiet: []int{90}, series: together(onNode1(4, "GPU_UTIL", "98x100"), onNode1(4, "POWER_USAGE", "650x40 140x60"),
				each(4, strings.Replace(gpuLine("PIPE_TENSOR_ACTIVE", "node-1", "0.05x100"), "_DEV_", "_PROF_", 1)))},
		"a node whose clocks a power brake halves": {
			rule: "gpu-spin", quiet: []int{90, 140},
			series: together(onNode1(4, "GPU_UTIL", "98x150"), onNode1(4, "POWER_USAGE", "650x40 140x110"), onNode1(4, "SM_CLOCK", "1980x40 990x110"))},
		"an unknown code": {rule: "gpu-xid", series: ofNode3("XID_ERRORS", "0x119 777x100"), fires: []int{130}, advises: "Look the code up",
			says: "GPU 3 of node-1 reports XID 777: a code that this list does not have."},
		"a GPU that waits for its host": {
			rule: "gpu-pcie", fires: []int{100}, says: "GPU 7 of node-1 repeats 6.0 PCIe transfers a minute", advises: "Drain the node and restart it",
			series: together(onNode1(8, "SM_CLOCK", "1980x100"), onNode1(7, "GPU_UTIL", "100x100"), one(gpuLine("GPU_UTIL", "node-1", "72x100"), 7), one(gpuLine("PCIE_REPLAY_COUNTER", "node-1", "0+6x100"), 7))},
	})
}

// TestRules_Ports has ports that are down for days, were never used, count errors, or whose exporter restarts.
func TestRules_Ports(t *testing.T) {
	const days = 24 * 60
	port := func(metric, values string) []string {
		return []string{"vendor_ib_port_" + metric + `{cluster_id="c", vm_name="node-1", instance="a", hca_number="0"} ` + values}
	}
	restarted := func(metric, before, after string) []string {
		return together(port(metric, before), []string{strings.Replace(port(metric, "_x200 "+after)[0], `"a"`, `"b"`, 1)})
	}
	flapped := together(port("link_downed", "0x99 2x200"), port("error_rx", "0x99 500x200"))
	testSituations(t, map[string]situation{
		"down for days": {rule: "infiniband-link-down", series: together(port("link_downed", "0x3999 1x9000"), port("line_rate", "400x3999 0x6000 400x3000")),
			fires: []int{4005, 4600, 4000 + days, 4000 + 2*days, 4000 + 3*days, 3995 + 4*days}, quiet: []int{3990, 10030}},
		"never used":                    {rule: "infiniband-link-down", series: together(port("link_downed", "0x13000"), port("line_rate", "0x13000")), quiet: []int{201, 4005, 10030}},
		"an exporter that restarts":     {rule: "infiniband-link-down", series: together(restarted("link_downed", "7x199", "0 7x12000"), restarted("line_rate", "400x199", "400x12000")), quiet: []int{201, 203, 212, 4600}},
		"down with errors is one alert": {rule: "infiniband-link-down", series: flapped, fires: []int{105}},
		"and not another":               {rule: "infiniband-errors", series: flapped, quiet: []int{105}},
	})
}

// TestRules_SteadyTraffic has clients that leave, a listener that vanishes, and one that responds to few.
func TestRules_SteadyTraffic(t *testing.T) {
	const listener = `{elb_name="gateway", vip_port="443", proto="tcp"} `
	flows := func(values string) situation {
		return situation{rule: "load-balancer-drop", series: []string{`vendor_elb_new_flows` + listener + values}, quiet: []int{2030}}
	}
	vanished := flows("0+600x1999")
	vanished.fires, vanished.quiet = vanished.quiet, nil
	// Clients that are moved to another listener leave it in six hours, and it has none for a day before it is deleted.
	moved, total := make([]string, 0, 3000), 0
	for m := range 3000 {
		total += min(600, max(0, 600*(2000-m)/360))
		moved = append(moved, fmt.Sprint(total))
	}
	leaves := flows(strings.Join(moved, " "))
	leaves.quiet = []int{1900, 1950, 1980, 1990, 2000, 2010, 2060, 2500}
	silent := flows("0+600x3000")
	silent.series = append(silent.series, `vendor_elb_in_packets`+listener+"0+6000x3000", `vendor_elb_out_packets`+listener+"0+12000x1999 23988000+600x300 24168000+12000x600")
	silent.fires, silent.quiet, silent.says = []int{2030}, []int{1990, 2400}, "has 5.0 % of the least of responses"
	small := flows("0+6x3000")
	small.series = append(small.series, silent.series[1:]...)
	testSituations(t, map[string]situation{
		"too little traffic to say, and no responses": small,
		"steady": flows("0+600x2200"),
		"no connections for half an hour, while another listener has few": {
			rule: "load-balancer-drop", fires: []int{3010, 3030}, quiet: []int{2990, 3050},
			series: []string{`vendor_elb_new_flows{elb_name="a", vip_port="443"} 0+66x2000 132000+6000x999 6126000x30 6126000+6000x20 6246000+3000x3000`,
				`vendor_elb_new_flows{elb_name="b", vip_port="443"} 0+600x6000`, `vendor_elb_in_packets{elb_name="b", vip_port="443"} 0+6000x6000`, `vendor_elb_out_packets{elb_name="b", vip_port="443"} 0+6000x6000`}},
		"a batch client that ends":  flows("0+120x1500 180000+6000x500 3180000+120x200"),
		"a listener that vanishes":  vanished,
		"clients that are moved":    leaves,
		"no responses to clients":   silent,
		"too little traffic to say": flows("0+6x1999"),
	})
}

// TestRules_Storage has file systems that nodes share, and latency that is not what it is usually.
func TestRules_Storage(t *testing.T) {
	mounts := func(nodes int, used string) (lines []string) {
		for i := range nodes {
			labels := fmt.Sprintf(`{cluster_id="c", vm_name="node-%d", device="nfs:/home", mount_point="/home"} `, i)
			lines = append(lines, "vendor_vm_disk_bytes_used"+labels+used, "vendor_vm_disk_bytes_total"+labels+"1000x300")
		}
		return lines
	}
	const connections = `vendor_vm_objectstore_connection_latency_histogram_seconds_`
	testSituations(t, map[string]situation{
		"one of six nodes is one alert": {rule: "disk-nearly-full", series: mounts(6, "950x300"), fires: []int{100}, says: "/home of several nodes (nfs:/home) is 95.0 % full"},
		"nodes that are full by chance": {rule: "disk-nearly-full", series: together(mounts(4, "500x300")[2:], mounts(1, "950x300")), fires: []int{100}, says: "/home of node-0 (nfs:/home)"},
		"a disk that is filled every night": {
			// Nearly full from minute 0 to 200 of each day. On the last it is not emptied.
			rule: "disk-nearly-full", series: disk("930x199 400x1239 930x199 400x1239 940x199 400x1239 930x2000"),
			fires: []int{100, 1540, 4650, 5000, 5800}, quiet: []int{1000, 2980, 4000, 4420}, says: "/data of node-1 (vdb)"},
		"a drive that warns": {rule: "nvme-wear", fires: []int{110}, series: []string{`vendor_vm_nvme_smart_critical_warning{cluster_id="c", vm_name="node-1", device="nvme0", bit="available_spare"} 0x99 1x100`}},
		"a disk that will be full": {
			// 0.1 a minute is 144 a day, and four days 576: with 150 left it is full by then.
			rule: "disk-nearly-full", series: disk("300+0.1x7000"), fires: []int{5550, 5900}, quiet: []int{2000, 5400}, says: "% full, and will be in four days as it grows"},
		"a disk that grows for six hours only": {rule: "disk-nearly-full", series: disk("852x1500 852+0.05x360 870x100"), quiet: []int{1800, 1850}},
		"a job that writes once":               {rule: "disk-nearly-full", series: disk("852x1500 852+0.25x120 882x400"), quiet: []int{1640, 1700, 1800}},
		"a disk that is cleaned and full again": {
			rule: "disk-nearly-full", series: disk("930x4499 400x99 930x2000"), fires: []int{4490, 4700, 5500}, quiet: []int{4550}},
		"a drive that loses data": {
			rule: "nvme-wear", fires: []int{2010, 3300}, quiet: []int{1990, 4800}, says: "could not correct errors",
			series: []string{`vendor_vm_nvme_media_errors_total{cluster_id="c", vm_name="node-1", device="nvme0"} 3x1999 4x3000`}},
		"eight hours":            {rule: "shared-disk-slow", series: []string{`vendor_sdisk_disk_read_latency{disk_name="data"} 2x2999 40x480 2x3000`}, fires: []int{3030, 3200, 3470}, quiet: []int{2990, 3500, 3900, 4400}},
		"a burst of six minutes": {rule: "shared-disk-slow", series: []string{`vendor_sdisk_disk_read_latency{disk_name="data"} 2x1500 60x5 2x200`}, quiet: []int{1503, 1506, 1510, 1515, 1520}},
		"connections that are repeated": {
			rule: "object-storage-slow", fires: []int{1530, 1580}, quiet: []int{1490},
			series: []string{connections + `sum{endpoint="s3"} 0+1x1500 1500+4000x100`, connections + `count{endpoint="s3"} 0+20x1500 30000+2000x100`}},
		"connections that take a tenth of a second": {
			rule: "object-storage-slow", quiet: []int{1530, 1580},
			series: []string{connections + `sum{endpoint="s3"} 0+0.2x1500 300+2x100`, connections + `count{endpoint="s3"} 0+20x1600`}},
		"the exporter of soperator": {
			rule: "family-gone", fires: []int{130}, quiet: []int{90}, says: "no metrics of Slurm, by soperator of cluster c",
			series: []string{`slurm_node_info{cluster_id="c", node_name="worker-0"} 1x99`}},
		"jobs and nodes of soperator's Slurm": {
			rule: "slurm-idle-pending", fires: []int{140}, says: "50 % of the nodes of Slurm are idle", series: append(each(2, `slurm_node_info{node_name="worker-%d", state_base="IDLE"} 1x400`),
				append(each(2, `slurm_node_info{node_name="worker-1%d", state_base="ALLOCATED"} 1x400`), `slurm_job_info{job_id="1", job_state="PENDING"} 1x400`)...)},
		"nodes that are down and drained": {rule: "slurm-nodes-down", quiet: []int{140}, series: []string{
			`vendor_slurm_nodes_down{cluster_id="s"} 2x400`, `slurm_node_info{cluster_id="s", node_name="a", state_base="DOWN", state_is_drain="true"} 1x400`}},
		"nodes that soperator's Slurm has lost": {
			rule: "slurm-nodes-down", fires: []int{140}, quiet: []int{90}, says: "1 node of Slurm does not respond",
			series: []string{`slurm_node_info{node_name="worker-0", state_base="IDLE"} 1x400`, `slurm_node_info{node_name="worker-1", state_base="IDLE"} 1x99`, `slurm_node_info{node_name="worker-1", state_base="DOWN"} _x100 1x300`}},
		"profiling, with all of its exporter": {
			rule: "family-lesser-gone", quiet: []int{125, 150},
			series: []string{`DCGM_FI_PROF_GR_ENGINE_ACTIVE{cluster_id="c", gpu="0"} 1x99`, `DCGM_FI_DEV_FB_USED{cluster_id="c", gpu="0"} 4x99`}},
	})
}
