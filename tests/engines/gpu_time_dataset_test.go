//go:build engines

package engines

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// timeMinutes is how long the GPUs have samples of which the true cause of each minute is known.
const timeMinutes = 170

// timeCluster is a cluster with GPUs whose causes are known, and how its exporter names things.
type timeCluster struct {
	name string
	// host is the label that names a node.
	host string
	// newNames are those of DCGM 4.6.
	newNames bool
	// profiling are the suffixes of the profiling metrics that it has.
	profiling []string
}

var timeClusters = []timeCluster{
	{name: "all", host: "vm_name", profiling: []string{"SM_ACTIVE", "PIPE_TENSOR_ACTIVE"}},
	{name: "instance", host: "instance", profiling: []string{"SM_ACTIVE", "PIPE_TENSOR_ACTIVE"}},
	{name: "renamed", host: "vm_name", newNames: true, profiling: []string{"SM_ACTIVE", "PIPE_TENSOR_ACTIVE"}},
	{name: "tensor", host: "vm_name", profiling: []string{"PIPE_TENSOR_ACTIVE"}},
	{name: "without", host: "vm_name"},
}

// timeNode is a node of each cluster: what its GPUs wait for, if they do.
type timeNode struct {
	name, waitsFor string
	// waiting and working are shares of the processors' time, sending that of a port that cannot send.
	waiting, working, sending float64
	// alike is true if all its GPUs follow the first script, so that none computes while others wait.
	alike bool
}

// script are the phases of a GPU.
func (n timeNode) script(gpu int) []timePhase {
	if n.alike {
		gpu = 0
	}
	return timeScripts[gpu]
}

var timeNodes = []timeNode{
	{name: "node-a", working: 0.2},
	{name: "node-b", waitsFor: "42", waiting: 0.3, working: 0.2},
	{name: "node-c", waitsFor: "41", working: 0.2, sending: 0.2},
	{name: "node-d", waitsFor: "43", working: 0.95},
	{name: "node-e", working: 0.2, alike: true},
}

// timePhase is a time in which a GPU does one thing.
type timePhase struct {
	minutes int
	cause   string
	values  map[string]float64
	// throttled is the share of time that the power limit takes.
	throttled  float64
	xid, remap float64
	// restart is a minute in which the exporter restarts: counters begin at 0, and the label pod changes.
	restart int
}

// The values of the metrics in each kind of phase. Utilization is 0 or near 100 %, as in clusters that train large models.
var (
	atWork  = map[string]float64{"GPU_UTIL": 98, "SM_ACTIVE": 0.7, "PIPE_TENSOR_ACTIVE": 0.3, "FB_USED": 70_000, "POWER_USAGE": 600}
	atWait  = map[string]float64{"GPU_UTIL": 99, "SM_ACTIVE": 0.15, "PIPE_TENSOR_ACTIVE": 0.02, "FB_USED": 70_000, "POWER_USAGE": 160}
	atHold  = map[string]float64{"GPU_UTIL": 0, "SM_ACTIVE": 0, "PIPE_TENSOR_ACTIVE": 0, "FB_USED": 30_000, "POWER_USAGE": 110}
	atRest  = map[string]float64{"GPU_UTIL": 0, "SM_ACTIVE": 0, "PIPE_TENSOR_ACTIVE": 0, "FB_USED": 4, "POWER_USAGE": 70}
	waiting = "45"
)

// faultMinutes are the samples after a new code within a quarter of an hour of it: it came in the minute before the first.
const faultMinutes = 14

// timeScripts are the phases of the GPUs of a node.
var timeScripts = [][]timePhase{
	{ // A code that is kept until the end.
		{minutes: 40, cause: "30", values: atWork},
		{minutes: faultMinutes, cause: "10", values: atWork, xid: 48},
		{minutes: 26, cause: "30", values: atWork, xid: 48, restart: 12},
		{minutes: 30, cause: waiting, values: atWait, xid: 48},
		{minutes: 30, cause: "50", values: atHold, xid: 48},
		{minutes: 30, cause: "60", values: atRest, xid: 48},
	},
	{ // A node that is down for 40 minutes.
		{minutes: 50, cause: "30", values: atWork},
		{minutes: 40, cause: waiting, values: atWait},
		{minutes: 40},
		{minutes: 40, cause: "30", values: atWork},
	},
	{ // A code of weeks ago, and another one later.
		{minutes: 30, cause: "60", values: atRest, xid: 13},
		{minutes: 30, cause: "50", values: atHold, xid: 13},
		{minutes: 30, cause: "30", values: atWork, xid: 13, restart: 15},
		{minutes: 30, cause: "20", values: atWork, xid: 13, throttled: 0.5, restart: 15},
		{minutes: faultMinutes, cause: "10", values: atWork, xid: 79},
		{minutes: 36, cause: "30", values: atWork, xid: 79, throttled: 0.04},
	},
	{ // A GPU that comes late, and is gone at the end.
		{minutes: 30},
		{minutes: 20, cause: "30", values: atWork},
		{minutes: 20, cause: "10", values: atWork, remap: 1},
		{minutes: 30, cause: waiting, values: atWait},
		{minutes: 30, cause: "30", values: atWork},
		{minutes: 40},
	},
}

// timeScrape is a scrape of a GPU.
type timeScrape struct {
	at    time.Time
	phase *timePhase
}

// timeStart is a minute.
func (d dataset) timeStart() time.Time {
	return d.to.Add(-timeMinutes * time.Minute).Truncate(time.Minute)
}

// timeScrapes are the scrapes of a GPU, some of which are missed within a phase. They are seven seconds after the minute.
func (d dataset) timeScrapes(script []timePhase) []timeScrape {
	var scrapes []timeScrape
	at := d.timeStart().Add(7 * time.Second)
	for i := range script {
		phase := &script[i]
		for minute := range phase.minutes {
			missed := minute%9 == 5 && minute < phase.minutes-3
			if phase.values != nil && !missed {
				scrapes = append(scrapes, timeScrape{at, phase})
			}
			at = at.Add(time.Minute)
		}
	}
	return scrapes
}

// addGPUTime adds the metrics of GPUs whose causes are known, and of their nodes.
func (d *dataset) addGPUTime() {
	for _, cluster := range timeClusters {
		for _, node := range timeNodes {
			labels := [][2]string{{"cluster_id", cluster.name}, {"instance", cluster.name + "-" + node.name}}
			if cluster.host == "vm_name" {
				labels = append(labels, [2]string{"vm_name", cluster.name + "-" + node.name})
			}
			d.addTimeNode(node, labels)
			for gpu := range timeScripts {
				d.addTimeGPU(cluster, append(slices.Clone(labels), [2]string{"gpu", fmt.Sprint(gpu)}), node.script(gpu))
			}
		}
	}
}

// addTimeNode adds counters of processors, each minute, and of an InfiniBand port, every five minutes.
func (d *dataset) addTimeNode(node timeNode, labels [][2]string) {
	const lineRate, ticksBits = 400e9, 64
	add := func(name string, more [][2]string, every time.Duration, value func(since float64) float64) {
		s := series{name: "vendor_" + name, labels: append(slices.Clone(labels), more...)}
		begin := d.timeStart().Add(-time.Hour)
		for at := begin; at.Before(d.to); at = at.Add(every) {
			s.samples = append(s.samples, sample{at: at, value: value(at.Sub(begin).Seconds())})
		}
		d.series = append(d.series, s)
	}
	for mode, share := range map[string]float64{"iowait": node.waiting, "user": node.working, "idle": 1 - node.waiting - node.working} {
		add("vm_cpu_seconds_total", [][2]string{{"mode", mode}}, time.Minute, func(since float64) float64 { return math.Round(96 * share * since) })
	}
	port := [][2]string{{"hca_number", "0"}}
	add("ib_port_tx_wait", port, 5*time.Minute, func(since float64) float64 { return math.Round(node.sending * since * lineRate / ticksBits) })
	add("ib_port_link_downed", port, 5*time.Minute, func(float64) float64 { return 3 })
	add("ib_port_line_rate", port, 5*time.Minute, func(float64) float64 { return lineRate })
}

func (d *dataset) addTimeGPU(cluster timeCluster, labels [][2]string, script []timePhase) {
	collected := map[string]*series{}
	var names []string
	pod, nanoseconds := 0, 0.0
	put := func(metric string, at time.Time, value float64) {
		key := fmt.Sprint(metric, pod)
		if collected[key] == nil {
			names = append(names, key)
			collected[key] = &series{name: timeName(cluster, metric), labels: append(slices.Clone(labels), [2]string{"pod", fmt.Sprint(pod)})}
		}
		collected[key].samples = append(collected[key].samples, sample{at: at, value: value})
	}
	var previous timeScrape
	for _, scrape := range d.timeScrapes(script) {
		phase := scrape.phase
		begun := d.timeStart().Add(time.Duration(minutesBefore(script, phase)) * time.Minute)
		since := time.Duration(0)
		if previous.phase != nil {
			since = scrape.at.Sub(previous.at)
		}
		if restart := begun.Add(time.Duration(phase.restart) * time.Minute); phase.restart > 0 && previous.at.Before(restart) && !scrape.at.Before(restart) {
			nanoseconds = 0
			if phase.throttled == 0 {
				pod++ // else the labels stay, and the counter falls
			}
		}
		nanoseconds += phase.throttled * since.Seconds() * 1e9
		put("POWER_VIOLATION", scrape.at, math.Round(nanoseconds))
		put("THERMAL_VIOLATION", scrape.at, 0)
		put("XID_ERRORS", scrape.at, phase.xid)
		put("ROW_REMAP_FAILURE", scrape.at, phase.remap)
		for metric, value := range phase.values {
			if !strings.HasSuffix(metric, "_ACTIVE") || slices.Contains(cluster.profiling, metric) {
				put(metric, scrape.at, value)
			}
		}
		previous = scrape
	}
	for _, name := range names {
		d.series = append(d.series, *collected[name])
	}
}

// minutesBefore is how long the phases before a phase last.
func minutesBefore(script []timePhase, phase *timePhase) int {
	minutes := 0
	for i := range script {
		if &script[i] == phase {
			break
		}
		minutes += script[i].minutes
	}
	return minutes
}

// timeName is the full name of a metric.
func timeName(cluster timeCluster, metric string) string {
	if strings.HasSuffix(metric, "_ACTIVE") {
		if cluster.newNames {
			return map[string]string{"SM_ACTIVE": "DCGM_FI_PROF_SM_UTIL_RATIO", "PIPE_TENSOR_ACTIVE": "DCGM_FI_PROF_TENSOR_UTIL_RATIO"}[metric]
		}
		return "DCGM_FI_PROF_" + metric
	}
	renamed := map[string]string{
		"GPU_UTIL": "GPU_UTIL_RATIO", "POWER_USAGE": "BOARD_POWER_WATTS", "XID_ERRORS": "XID_ERROR", "ROW_REMAP_FAILURE": "ROW_REMAP_FAILED",
	}
	if name, ok := renamed[metric]; ok && cluster.newNames {
		metric = name
	}
	return "DCGM_FI_DEV_" + metric
}
