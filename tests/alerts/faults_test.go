package alerts_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// situation is a rule and what it makes of series.
type situation struct {
	// rule is the name of the situation if it is empty.
	rule   string
	series []string
	// fires are minutes at which it fires, one alert, quiet others.
	fires, quiet []int
	// says is part of the description of the alert, advises of what to do, and labels are some of its labels.
	says, advises string
	labels        data.Labels
}

func testSituations(t *testing.T, situations map[string]situation) {
	t.Helper()
	all := rules(t)
	for name, s := range situations {
		rule := all[cmp.Or(s.rule, name)]
		t.Run(rule.Title+": "+name, func(t *testing.T) {
			ds := series(t, s.series...)
			for _, at := range s.fires {
				fired := inState(evaluate(t, ds, rule, minute(at)), alerting)
				require.Len(t, fired, 1, "at %d", at)
				readable(t, rule, fired)
				written := expand(t, rule, fired[0])
				require.Contains(t, written["description"], s.says)
				require.Contains(t, written["action"], s.advises)
				require.True(t, fired[0].labels.Contains(s.labels), "%s", fired[0].labels)
			}
			for _, at := range s.quiet {
				require.Empty(t, inState(evaluate(t, ds, rule, minute(at)), alerting), "at %d", at)
			}
		})
	}
}

// hot are the GPUs of a node that all work and are hot, at clocks that are equal.
func hot(node string) (lines []string) {
	for metric, values := range map[string]string{
		"GPU_TEMP": "90x300", "GPU_UTIL": "99x300", "SM_CLOCK": "1400x300", "POWER_USAGE": "500x300", "THERMAL_VIOLATION": "0+30e9x300", "FB_USED": "70000x300",
	} {
		lines = append(lines, each(8, gpuLine(metric, node, values))...)
	}
	return lines
}

// moved is a GPU's counter through a restart of its exporter in minute 200, with another instance.
func moved(metric, before, after string) []string {
	labels := `{cluster_id="c", Hostname="node-1", gpu="3", instance="%s"} `
	return []string{
		"DCGM_FI_DEV_" + metric + fmt.Sprintf(labels, "10.0.0.1:9400") + before,
		"DCGM_FI_DEV_" + metric + fmt.Sprintf(labels, "10.0.0.2:9400") + "_x200 " + after,
	}
}

// slowOne are the GPUs of a node at work, of which the last is at another clock.
func slowOne(clock string) []string {
	return together(onNode1(8, "GPU_UTIL", "100x300"), onNode1(7, "SM_CLOCK", "1980x300"), one(gpuLine("SM_CLOCK", "node-1", clock), 7))
}

func ofNode3(metric, values string) []string { return one(gpuLine(metric, "node-1", values), 3) }

const drain = `kube_node_spec_unschedulable{%s node="node-1"} `

// drainedNode is a scheduler that has the node out of service from a minute on.
func drainedNode(cluster, values string) []string {
	return []string{fmt.Sprintf(drain, cluster) + values}
}

// TestRules_Heat has one cause: each GPU is in one alert of a machine, and a room is another thing.
func TestRules_Heat(t *testing.T) {
	room := together(hot("node-1"), hot("node-2"), hot("node-3"))
	// Node-4 is hot for four minutes, and slower than the others of its pool for as long.
	gust := each(1, gpuLine("GPU_TEMP", "node-4", "60x99 88x3 60x100"))
	for i := range 5 {
		node := fmt.Sprint("node-", i)
		values := map[bool][2]string{true: {"1900x99 500x3 1900x100", "0x99 0+60e9x3 180e9x100"}, false: {"1900x200", "0x200"}}[i == 4]
		gust = together(gust, each(1, gpuLine("SM_CLOCK", node, values[0])), each(1, gpuLine("THERMAL_VIOLATION", node, values[1])), each(1, gpuLine("GPU_UTIL", node, "99x200")))
	}
	slowNode := hot("node-4")
	for i := range 4 {
		node := fmt.Sprint("node-", i)
		slowNode = together(slowNode, each(8, gpuLine("SM_CLOCK", node, "1980x300")), each(8, gpuLine("GPU_UTIL", node, "99x300")), each(8, gpuLine("THERMAL_VIOLATION", node, "0x300")))
	}
	testSituations(t, map[string]situation{
		"a node that is hot and slow is one alert":       {rule: "node-straggler", series: slowNode, quiet: []int{130, 200}},
		"and of hot GPUs of a node":                      {rule: "gpu-hot", series: slowNode, fires: []int{130, 200}},
		"all GPUs of a node, no slower than their peers": {rule: "gpu-hot", series: hot("node-1"), fires: []int{100, 200}},
		"three nodes are the room":                       {rule: "gpus-throttled", series: room, fires: []int{100, 200}, says: "100 % of the GPUs of cluster c"},
		"and not three alerts":                           {rule: "gpu-hot", series: room, quiet: []int{100, 200}},
		"a GPU that is hot and slow is one alert":        {rule: "gpu-straggler", series: together(slowOne("1980x99 1400x200"), one(gpuLine("GPU_TEMP", "node-1", "60x99 88x200"), 7)), quiet: []int{110, 130, 200}},
		"and of hot GPUs":                                {rule: "gpu-hot", series: together(slowOne("1980x99 1400x200"), one(gpuLine("GPU_TEMP", "node-1", "60x99 88x200"), 7)), fires: []int{110, 130, 200}, says: "1 GPU of node-1 is above"},
		"a gust of warm air":                             {rule: "node-straggler", series: gust, quiet: []int{105, 110, 115, 120}},
		"one GPU of eight is a machine, not the room": {
			rule: "gpus-throttled", series: together(each(8, gpuLine("FB_USED", "node-1", "4x400")), throttledOn("node-1")), quiet: []int{130, 200}},
		"two nodes are two machines": {
			rule: "gpus-throttled", series: together(each(8, gpuLine("FB_USED", "node-1", "4x400")), throttledOn("node-1"), throttledOn("node-2")), quiet: []int{130, 200}},
	})
}

// TestRules_Clocks has clocks that the hardware halves, and jobs that begin while others compute.
func TestRules_Clocks(t *testing.T) {
	ofNodes := func(count int, metric, values string) (lines []string) {
		for i := range count {
			lines = append(lines, each(1, gpuLine(metric, fmt.Sprint("node-", i), values))...)
		}
		return lines
	}
	// Tensor cores of the slow GPU are active for as much of its cycles as those of the others, as if it had other work.
	halved := together(slowOne("1980x99 940x200"), each(8, strings.Replace(gpuLine("PIPE_TENSOR_ACTIVE", "node-1", "0.25x300"), "_DEV_", "_PROF_", 1)))
	braked := together(ofNodes(2, "SM_CLOCK", "1980x300"), ofNodes(3, "GPU_UTIL", "98x300"), []string{fmt.Sprintf(gpuLine("SM_CLOCK", "node-2", "1980x99 600x200"), 0)})
	// node-5 has no job for ten minutes, and then one as at the power limit as the others.
	begins := together(ofNodes(5, "SM_CLOCK", "1680x300"), ofNodes(5, "GPU_UTIL", "99x300"), ofNodes(5, "POWER_USAGE", "700x300"), ofNodes(5, "POWER_VIOLATION", "0+30e9x300"))
	for metric, values := range map[string]string{
		"SM_CLOCK": "1680x99 345x9 1680x200", "GPU_UTIL": "99x99 0x9 99x200", "POWER_USAGE": "700x99 70x9 700x200", "POWER_VIOLATION": "0+30e9x99 3e12x9 3e12+30e9x200",
	} {
		begins = append(begins, fmt.Sprintf(gpuLine(metric, "node-5", values), 0))
	}
	testSituations(t, map[string]situation{
		"a GPU at half of the clock": {rule: "gpu-straggler", series: halved, fires: []int{130, 250}, labels: data.Labels{"gpu": "7", "cause": "low clock"}},
		"a node with a power brake":  {rule: "node-straggler", series: braked, fires: []int{130, 250}, labels: data.Labels{"vm_name": "node-2"}, says: "is 69.7 % below"},
		"a job that begins on one GPU": {rule: "gpu-straggler", quiet: []int{113, 116, 120}, series: together(
			onNode1(7, "SM_CLOCK", "1980x300"), one(gpuLine("SM_CLOCK", "node-1", "345x99 1980x200"), 7),
			onNode1(7, "GPU_UTIL", "100x300"), one(gpuLine("GPU_UTIL", "node-1", "0x99 100x200"), 7))},
		"a job that begins after another": {rule: "node-straggler", series: begins, quiet: []int{112, 116, 120, 124, 128}},
	})
}

// TestRules_SlowNodes has nodes that are slower than the others of their pool, by a reason or by none that is a fault.
func TestRules_SlowNodes(t *testing.T) {
	// slow are nodes of which the last is at four fifths of the clock.
	slow := func(nodes int, util string, more map[string][2]string) (lines []string) {
		for metric, values := range more {
			more[metric] = [2]string{values[0] + "x300", values[1] + "x300"}
		}
		more["SM_CLOCK"], more["GPU_UTIL"] = [2]string{"1980x300", "1584x300"}, [2]string{util, util}
		for i := range nodes {
			for metric, values := range more {
				lines = append(lines, each(1, gpuLine(metric, fmt.Sprint("node-", i), values[i/(nodes-1)]))...)
			}
		}
		return lines
	}
	limited := [2]string{"0", "0+30e9"}
	testSituations(t, map[string]situation{
		"a power limit that others don't have":  {rule: "node-straggler", fires: []int{130}, says: "20.0 %", series: slow(5, "99x300", map[string][2]string{"POWER_VIOLATION": limited, "POWER_USAGE": {"600", "450"}})},
		"a power limit that other work reaches": {rule: "node-straggler", quiet: []int{130}, series: slow(5, "99x300", map[string][2]string{"POWER_VIOLATION": limited, "POWER_USAGE": {"600", "600"}})},
		"a locked clock":                        {rule: "node-straggler", quiet: []int{130}, series: slow(5, "99x300", map[string][2]string{"POWER_VIOLATION": {"0", "0"}})},
		"heat":                                  {rule: "node-straggler", fires: []int{130}, series: slow(5, "99x300", map[string][2]string{"THERMAL_VIOLATION": limited})},
		"nodes that are idle":                   {rule: "node-straggler", quiet: []int{130}, series: slow(5, "9x300", map[string][2]string{"THERMAL_VIOLATION": limited})},
		"a pool of four":                        {rule: "node-straggler", fires: []int{130}, series: slow(4, "99x300", map[string][2]string{"THERMAL_VIOLATION": limited})},
		"a pool of three":                       {rule: "node-straggler", quiet: []int{130}, series: slow(3, "99x300", map[string][2]string{"THERMAL_VIOLATION": limited})},
		"a GPU at a power limit of its own": {
			rule: "gpu-straggler", fires: []int{130}, says: "Why: its power limit", series: together(slowOne("1980x99 1400x200"), onNode1(7, "POWER_VIOLATION", "0x300"), one(gpuLine("POWER_VIOLATION", "node-1", "0+30e9x300"), 7))},
		"a GPU that is idle": {rule: "gpu-straggler", quiet: []int{130}, series: together(
			onNode1(7, "GPU_UTIL", "100x300"), onNode1(7, "SM_CLOCK", "1980x300"), one(gpuLine("GPU_UTIL", "node-1", "3x300"), 7), one(gpuLine("SM_CLOCK", "node-1", "345x300"), 7))},
	})
}

// TestRules_Spin has GPUs that spin at more power than idle ones draw, and servers that do so by nature.
func TestRules_Spin(t *testing.T) {
	spins := func(memory, tensor string) []string {
		return together(onNode1(8, "GPU_UTIL", "98x300"), onNode1(8, "POWER_USAGE", "650x150 300x150"), onNode1(8, "FB_USED", memory),
			each(8, strings.Replace(gpuLine("PIPE_TENSOR_ACTIVE", "node-1", tensor), "_DEV_", "_PROF_", 1)))
	}
	serves := func(util string) (lines []string) {
		for metric, values := range map[string]string{"GPU_UTIL": util, "POWER_USAGE": "140x300", "FB_USED": "70000x300"} {
			lines = append(lines, each(8, strings.Replace(gpuLine(metric, "node-1", values), "gpu=", `pod="vllm-0", gpu=`, 1))...)
		}
		return append(lines, each(1, gpuLine("POWER_USAGE", "node-2", "650x300"))...)
	}
	testSituations(t, map[string]situation{
		"tensor cores that stop":             {rule: "gpu-spin", series: spins("70000x300", "0.4x150 0x150"), fires: []int{190}, quiet: []int{140}},
		"another process":                    {rule: "gpu-spin", series: spins("70000x150 4x1 60000x150", "0.4x150 0x150"), quiet: []int{190}},
		"tensor cores that are never used":   {rule: "gpu-spin", series: spins("70000x300", "0x300"), quiet: []int{190}},
		"a server that spins while it waits": {rule: "gpu-spin", series: serves("98x300"), quiet: []int{165}},
		"a server that was idle, and hangs":  {rule: "gpu-spin", series: serves("0x120 98x180"), fires: []int{165}},
	})
}

// TestRules_Memory has counters of GPU memory through restarts of exporters, and nodes that are out of service.
func TestRules_Memory(t *testing.T) {
	named := func(label string) []string {
		return each(2, strings.Replace(gpuLine("FB_USED", "node-1", "4x400"), "gpu=", label+", gpu=", 1))
	}
	testSituations(t, map[string]situation{
		"an error while scrapes are missed":        {rule: "gpu-ecc", series: ofNode3("ECC_DBE_VOL_TOTAL", "0x199 _x80 1x400"), fires: []int{282, 330}, quiet: []int{190, 400}},
		"an exporter that restarts":                {rule: "gpu-ecc", series: moved("ECC_DBE_VOL_TOTAL", "2x199", "2x400"), quiet: []int{199, 201, 203, 230, 262}},
		"an exporter that restarts and counts 0":   {rule: "gpu-ecc", series: moved("ECC_DBE_VOL_TOTAL", "2x199", "0 2x400"), quiet: []int{199, 200, 201, 203, 230, 262}},
		"a drained node":                           {rule: "gpu-ecc", series: together(ofNode3("ECC_DBE_VOL_TOTAL", "0x199 1x400"), drainedNode(`cluster_id="c",`, "1x400")), quiet: []int{200, 250}},
		"an exporter that restarts, with rows":     {rule: "gpu-remap", series: moved("UNCORRECTABLE_REMAPPED_ROWS", "2x199", "0 2x400"), quiet: []int{199, 201, 203, 230, 262, 500}},
		"a failed remapping, until it is replaced": {rule: "gpu-remap", series: ofNode3("ROW_REMAP_FAILURE", "0x99 1x9000 0x100"), fires: []int{105, 300, 1600, 9000}, quiet: []int{90, 9150}},
		"a failed remapping on a drained node":     {rule: "gpu-remap", series: together(ofNode3("ROW_REMAP_FAILURE", "1x400"), drainedNode(`cluster_id="c",`, "0x199 1x100 0x100")), fires: []int{100, 350}, quiet: []int{230, 290}},
		"a drained node of another cluster":        {rule: "gpu-remap", series: together(ofNode3("ROW_REMAP_FAILURE", "1x400"), drainedNode(`cluster_id="d",`, "1x400")), fires: []int{100, 350}},
		"a scheduler without a cluster":            {rule: "gpu-remap", series: together(ofNode3("ROW_REMAP_FAILURE", "1x400"), ofNode3("FB_USED", "4x400"), drainedNode("", "1x400")), quiet: []int{100, 350}},
		"a drained node by what sinfo prints": {rule: "gpu-remap", quiet: []int{100, 350}, series: together(ofNode3("ROW_REMAP_FAILURE", "1x400"),
			[]string{`slurm_node_cpu_total{cluster_id="c", node="node-1", status="draining"} 96x400`})},
		"a drained node of Slurm that is a pod": {rule: "gpu-remap", quiet: []int{100, 350}, series: together(ofNode3("ROW_REMAP_FAILURE", "1x400"), named(`exported_pod="worker-0"`),
			[]string{`slurm_node_info{cluster_id="c", node_name="worker-0", state_is_drain="true"} 1x400`})},
		"a drained node by its other name": {rule: "gpu-remap", quiet: []int{100, 350}, series: together(ofNode3("ROW_REMAP_FAILURE", "1x400"), named(`Hostname="host-1"`),
			[]string{`kube_node_spec_unschedulable{cluster_id="c", node="host-1"} 1x400`})},
		"a Slurm node that is drained and resumed": {
			rule: "gpu-remap", fires: []int{100, 300}, quiet: []int{210, 250},
			series: together(ofNode3("ROW_REMAP_FAILURE", "1x400"), []string{
				`slurm_node_info{cluster_id="c", node_name="node-1", state_is_drain="false"} 1x199 _x60 1x200`,
				`slurm_node_info{cluster_id="c", node_name="node-1", state_is_drain="true"} _x200 1x59`})},
		"an ECC error beside an XID error is one alert": {
			rule: "gpu-ecc", quiet: []int{2000, 2001, 2050, 2100},
			series: together(ofNode3("XID_ERRORS", "0x1999 95x400"), ofNode3("ECC_DBE_VOL_TOTAL", "0x1999 1x400"))},
		"a high rate of errors that are corrected":               {rule: "gpu-remap", series: ofNode3("XID_ERRORS", "0x1999 92x400"), fires: []int{2001, 2050}, quiet: []int{1990, 2070}, says: "many errors were corrected"},
		"and wakes nobody":                                       {rule: "gpu-xid", series: ofNode3("XID_ERRORS", "0x1999 92x400"), quiet: []int{2001, 2050}},
		"a row that was replaced for errors that were corrected": {rule: "gpu-remap", series: ofNode3("CORRECTABLE_REMAPPED_ROWS", "2x1999 3x400"), fires: []int{2001, 2050}, quiet: []int{1990}},
		"the code of a row that was replaced":                    {rule: "gpu-remap", series: ofNode3("XID_ERRORS", "0x1999 63x400"), fires: []int{2001, 2050}, quiet: []int{1990, 2070}},
		"wakes nobody either":                                    {rule: "gpu-xid", series: ofNode3("XID_ERRORS", "0x1999 63x400"), quiet: []int{2001, 2050, 2070}},
		"an ECC error after a code of weeks":                     {rule: "gpu-ecc", series: together(ofNode3("XID_ERRORS", "48x2400"), ofNode3("ECC_DBE_VOL_TOTAL", "0x1999 1x400")), fires: []int{2000, 2050}},
		"an ECC error beside an XID error and the code of its job": {
			rule: "gpu-ecc", quiet: []int{2000, 2001, 2050},
			series: together(ofNode3("XID_ERRORS", "0x1998 94 45x400"), ofNode3("ECC_DBE_VOL_TOTAL", "0x1999 1x400"))},
		"a code of an application":                 {rule: "gpu-xid", series: ofNode3("XID_ERRORS", "0x119 43x400"), quiet: []int{119, 125, 178}},
		"the same code again after a reset":        {rule: "gpu-xid", series: ofNode3("XID_ERRORS", "0x99 48x99 0x4 48x400"), fires: []int{205, 255}, quiet: []int{202, 300}, says: "XID 48"},
		"an old code after scrapes were missed":    {rule: "gpu-xid", series: ofNode3("XID_ERRORS", "48x1639 _x70 48x400"), quiet: []int{1639, 1711, 1740, 1775}},
		"an exporter that restarts with a new one": {rule: "gpu-xid", series: moved("XID_ERRORS", "48x199", "_x2 79x400"), fires: []int{203, 250}, quiet: []int{300}, says: "XID 79"},
	})
}

// TestRules_Gone has GPUs, nodes and clusters that are lost, drained, or given back.
func TestRules_Gone(t *testing.T) {
	node := func(name, values string) []string { return each(8, gpuLine("FB_USED", name, values)) }
	lost := func(values string, more ...string) []string {
		return together(node("node-1", values), node("node-2", "4x4000"), more)
	}
	inPool := func(pool string) []string {
		return each(8, strings.Replace(gpuLine("FB_USED", "node-1", "40000x1499"), "gpu=", `nodepool_name="`+pool+`", gpu=`, 1))
	}
	slurm := func(available, drained, down string) []string {
		const state = `slurm_node_info{cluster_id="c", node_name="node-1", `
		return []string{
			state + `state_is_drain="false", is_unavailable="false"} ` + available, state + `state_is_drain="true", is_unavailable="true"} ` + drained,
			state + `state_is_drain="false", is_unavailable="true"} ` + down,
		}
	}
	other := strings.NewReplacer(`cluster_id="c"`, `cluster_id="d"`)
	elsewhere := func(lines []string) (moved []string) {
		for _, line := range lines {
			moved = append(moved, other.Replace(line))
		}
		return moved
	}
	// node-1 is drained in minute 1450, given back in minute 1500, and unknown to the scheduler from then on.
	givenBack := together(node("node-1", "40000x1499"), node("node-2", "4x4000"), drainedNode(`cluster_id="c",`, "0x1449 1x50"))
	cluster := together(node("node-1", "40000x1499"), node("node-2", "40000x1499"), elsewhere(node("node-3", "4x4000")))
	resumed := together(node("node-1", "40000x1499"), node("node-2", "4x4000"), drainedNode(`cluster_id="c",`, "1x1400 0x98"))
	testSituations(t, map[string]situation{
		"a node that is gone whole":      {rule: "gpu-missing", series: together(node("node-1", "4x1499"), node("node-2", "4x4000")), quiet: []int{1512, 1550, 1600, 2500}},
		"a drained node":                 {rule: "gpu-missing", series: together(node("node-1", "4x1499")[:1], node("node-1", "4x4000")[1:], drainedNode(`cluster_id="c",`, "1x4000")), quiet: []int{1512, 1550, 1600, 2500}},
		"a node that is given back":      {rule: "node-missing", series: givenBack, quiet: []int{1512, 1550, 1600, 1650}},
		"a node that was resumed before": {rule: "node-missing", series: resumed, fires: []int{1512, 1550}},
		"a node that was emptied before": {rule: "node-missing", series: lost("40000x1490 4x8"), quiet: []int{1512, 1550, 1600}},
		"pods that go with their labels": {
			rule: "node-missing", quiet: []int{1512, 1550, 1600},
			series: lost("_x1498 4x3", each(8, strings.Replace(gpuLine("FB_USED", "node-1", "40000x1497"), "gpu=", `pod="a", gpu=`, 1))...)},
		"a node that is restarted after an XID error": {rule: "node-missing", series: lost("40000x1499", ofNode3("XID_ERRORS", "0x1200 79x299")...), quiet: []int{1512, 1550, 1600}},
		"a node whose job failed before":              {rule: "node-missing", series: lost("40000x1499", ofNode3("XID_ERRORS", "0x1200 31x299")...), fires: []int{1512, 1550}},
		"a spot node":                                 {rule: "node-missing", series: together(node("aks-a10spot-7g9j2", "40000x1499"), node("node-2", "4x4000")), quiet: []int{1512, 1550, 1600}},
		"a spot pool":                                 {rule: "node-missing", series: together(inPool("a10-spot"), node("node-2", "4x4000")), quiet: []int{1512, 1550, 1600}},
		"a pool of spotlights":                        {rule: "node-missing", series: together(inPool("spotlight"), node("node-2", "4x4000")), fires: []int{1512, 1550}},
		// Drained in minute 1300, and rebooted in minute 1500.
		"a reboot of a drained Slurm node":      {rule: "node-missing", series: lost("40000x1499", slurm("1x1299", "_x1300 1x199", "_x1500 1x500")...), quiet: []int{1512, 1550, 1600, 1630}},
		"a drained Slurm node that was resumed": {rule: "node-missing", series: lost("40000x1499", slurm("_x200 1x1299", "1x199", "_x1500 1x500")...), fires: []int{1512, 1550, 1600, 1630}},
		"an autoscaled pool at night": {
			rule: "gpus-fewer", quiet: []int{2990, 3012, 3100},
			series: together(node("node-1", "4x6000"), node("node-2", "4x1999 _x300 4x699"), node("node-3", "4x1999 _x300 4x699"))},
		"a node with another name": {rule: "node-missing", quiet: []int{1512, 1550}, series: together(
			each(8, strings.Replace(gpuLine("FB_USED", "node-1", "40000x1499"), "gpu=", `UUID="%[1]d", gpu=`, 1)), each(8, strings.Replace(gpuLine("FB_USED", "node-2", "_x1500 40000x500"), "gpu=", `UUID="%[1]d", gpu=`, 1)))},
		"a node in use whose machine runs on": {rule: "node-missing", quiet: []int{1512, 1550}, series: lost("40000x1499", `vendor_vm_memory_total_bytes{cluster_id="c", vm_name="node-1"} 100x2000`)},
		"a node in use that kubelet reports":  {rule: "gpu-exporter-missing", fires: []int{1512, 1550}, series: lost("40000x1499", `kube_node_status_condition{cluster_id="c", node="node-1", condition="Ready", status="true"} 1x2000`)},
		"a node in use that kubelet has lost": {rule: "gpu-exporter-missing", quiet: []int{1512, 1550}, series: lost("40000x1499", `kube_node_status_condition{cluster_id="c", node="node-1", condition="Ready", status="true"} 1x1505 0x500`)},
		"a pool that is drained and deleted": {rule: "gpus-fewer", quiet: []int{1512, 1600, 2900}, series: together(node("node-0", "4x4000"), node("node-1", "4x1499"), node("node-2", "4x1499"),
			drainedNode(`cluster_id="c",`, "0x1449 1x50"), []string{`kube_node_spec_unschedulable{cluster_id="c", node="node-2"} 0x1449 1x50`})},
		"a whole cluster":           {rule: "node-missing", series: cluster, quiet: []int{1512, 1550, 1600, 1650}},
		"a single node":             {rule: "gpus-fewer", series: together(node("node-1", "4x2999"), node("node-2", "4x6000")), quiet: []int{2990, 3012, 3100}},
		"given back, of one of two": {rule: "gpus-fewer", series: givenBack, quiet: []int{1512, 1600, 2500, 2900}},
	})
}
