package alerts_test

import (
	"math"
	"os"
	"strconv"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/samples"
)

// machineOf is a node of a healthy fleet.
type machineOf struct {
	cluster, pool, name string
	number              int
	// labels of its GPUs besides: those of pods, or another name of the node.
	labels func(gpu int) []string
	// drained and down are times in minutes, from and to.
	drained, down [2]int
}

func (n machineOf) isIn(times [2]int, m int) bool { return m >= times[0] && m < times[1] }

// up reports whether a scrape succeeded: one in 200 is missed, eight in a row on some days, and all of a fleet for four minutes once.
func (n machineOf) up(m int) bool {
	switch {
	case n.isIn(n.down, m), n.restarts(m), m >= 3*day && m < 3*day+4:
		return false
	case m%(3*day) >= 700+n.number && m%(3*day) < 708+n.number && n.number%2 == 1:
		return false
	}
	return noise(n.number, m, 99) < 0.99
}

// exporters restart every 55 hours, each node at another time, and have a new address then.
const exporterLives = 55 * hour

func (n machineOf) life(m int) int      { return (m + 617*n.number) / exporterLives }
func (n machineOf) restarts(m int) bool { return (m+617*n.number)%exporterLives < 3 }

// load is what a GPU does in a minute.
type load struct {
	util, memory, power, clock, temperature, active, tensor float64
}

var idle = load{power: 75, clock: 345, temperature: 31, memory: 4}

// gpus adds the metrics of GPUs of a node.
func (w *world) gpus(n machineOf, count int, profiling bool, loadOf func(gpu, m int) load, xid func(gpu, m int) float64) {
	for gpu := range count {
		loads := make([]load, w.length)
		energy, limited, replays := make([]float64, w.length), make([]float64, w.length), make([]float64, w.length)
		for m := range loads {
			loads[m] = loadOf(gpu, m)
			before := max(m-1, 0)
			energy[m] = energy[before] + loads[m].power*60e3
			limited[m] = limited[before]
			if loads[m].power > 600 {
				limited[m] += 3e9 + 2e9*noise(gpu, m)
			}
			replays[m] = replays[before]
			if noise(n.number, gpu, m, 7) > 0.9985 {
				replays[m]++
			}
		}
		metrics := map[string]func(m int) float64{
			"DEV_GPU_UTIL": func(m int) float64 { return loads[m].util }, "DEV_FB_USED": func(m int) float64 { return loads[m].memory },
			"DEV_POWER_USAGE": func(m int) float64 { return loads[m].power }, "DEV_SM_CLOCK": func(m int) float64 { return loads[m].clock },
			"DEV_GPU_TEMP":   func(m int) float64 { return loads[m].temperature },
			"DEV_XID_ERRORS": func(m int) float64 { return xid(gpu, m) }, "DEV_TOTAL_ENERGY_CONSUMPTION": func(m int) float64 { return energy[m] },
		}
		if profiling {
			metrics["DEV_MEMORY_TEMP"] = func(m int) float64 { return loads[m].temperature + 15 }
			metrics["PROF_SM_ACTIVE"] = func(m int) float64 { return loads[m].active }
			metrics["PROF_PIPE_TENSOR_ACTIVE"] = func(m int) float64 { return loads[m].tensor }
			metrics["PROF_GR_ENGINE_ACTIVE"] = func(m int) float64 { return loads[m].util / 100 }
			metrics["DEV_POWER_VIOLATION"] = func(m int) float64 { return limited[m] }
			metrics["DEV_THERMAL_VIOLATION"] = func(int) float64 { return 0 }
			metrics["DEV_PCIE_REPLAY_COUNTER"] = func(m int) float64 { return replays[m] }
			// Errors of long ago, which the job of that time had.
			metrics["DEV_ECC_DBE_VOL_TOTAL"] = func(int) float64 { return float64(gpu % 2 * 2) }
			metrics["DEV_UNCORRECTABLE_REMAPPED_ROWS"] = func(int) float64 { return float64(gpu % 3) }
			metrics["DEV_ROW_REMAP_FAILURE"] = func(int) float64 { return 0 }
		}
		for name, value := range metrics {
			w.ofNode(n, 1, "DCGM_FI_"+name, value, append(n.labels(gpu), "gpu", strconv.Itoa(gpu), "modelName", "NVIDIA H100 80GB HBM3", "nodepool_name", n.pool)...)
		}
	}
}

// ofNode adds a metric of a node: a series for each life of its exporter.
func (w *world) ofNode(n machineOf, step int, name string, value func(m int) float64, more ...string) {
	for life := n.life(0); life <= n.life(w.length); life++ {
		w.add(step, name, func(m int) float64 {
			if n.life(m) != life || !n.up(m) {
				return missed
			}
			return value(m)
		}, append(more, "cluster_id", n.cluster, "instance", "10.0."+strconv.Itoa(n.number)+"."+strconv.Itoa(life)+":9400")...)
	}
}

// machine adds what the platform's agent collects on a node.
func (w *world) machine(n machineOf) {
	of := func(step int, name string, value func(m int) float64, more ...string) {
		w.ofNode(n, step, "vendor_"+name, value, append(more, "vm_name", n.name)...)
	}
	constant := func(value float64) func(int) float64 { return func(int) float64 { return value } }
	of(1, "vm_memory_total_bytes", constant(100))
	of(1, "vm_memory_used_bytes", func(m int) float64 { return 65 + 10*math.Sin(float64(m)/500) + 3*noise(n.number, m, 3) })
	of(1, "vm_nvme_percentage_used", constant(12), "device", "nvme0")
	of(1, "vm_nvme_smart_critical_warning", constant(0), "device", "nvme0")
	for mount, used := range map[string]func(m int) float64{
		"/": constant(40),
		// Checkpoints, of which old ones are deleted every three days.
		"/data": func(m int) float64 { return 30 + 45*float64(m%(3*day))/(3*day) },
		// Written in half an hour when a job begins, and emptied at its end.
		"/scratch": func(m int) float64 { return 10 + 50*min(1, float64(m%(25*hour))/30) },
	} {
		of(1, "vm_disk_bytes_used", used, "device", "vdb", "mount_point", mount)
		of(1, "vm_disk_bytes_total", constant(100), "device", "vdb", "mount_point", mount)
	}
	for _, port := range []string{"0", "1"} {
		number := int(port[0] - '0')
		of(5, "ib_port_line_rate", constant(400e9*float64(1-number)), "hca_number", port) // the other is not used
		of(5, "ib_port_link_downed", constant(2), "hca_number", port)
		of(5, "ib_port_error_rx", func(m int) float64 { return float64(m / (7*hour + 13*n.number)) }, "hca_number", port)
		of(5, "ib_port_xmit_discard", func(m int) float64 { return float64(m / 100) }, "hca_number", port)
		of(5, "ib_port_link_error_recovery", constant(0), "hca_number", port)
	}
	connects, seconds := 0.0, 0.0
	counts, sums := make([]float64, w.length), make([]float64, w.length)
	for m := range counts {
		rate := 20 + 15*noise(n.number, m/30, 5)
		connects, seconds = connects+rate, seconds+rate*(0.03+0.02*noise(n.number, m, 6))
		counts[m], sums[m] = connects, seconds
	}
	of(1, "vm_objectstore_connection_latency_histogram_seconds_count", func(m int) float64 { return counts[m] }, "endpoint", "s3")
	of(1, "vm_objectstore_connection_latency_histogram_seconds_sum", func(m int) float64 { return sums[m] }, "endpoint", "s3")
	of(1, "vm_objectstore_bytes_recv_total", func(m int) float64 { return counts[m] * 1e6 }, "endpoint", "s3")
}

// kubernetes adds what a scheduler says of a node, as long as it has it.
func (w *world) kubernetes(n machineOf) {
	w.add(1, "kube_node_spec_unschedulable", func(m int) float64 {
		if n.down[1] >= w.length && m >= n.down[0] {
			return missed // given back
		}
		if n.isIn(n.drained, m) {
			return 1
		}
		return 0
	}, "cluster_id", n.cluster, "node", n.name)
}

// trainer adds the pod of a node's job, which waits for half an hour before it runs and restarts now and then.
func (w *world) trainer(n machineOf) {
	labels := []string{"cluster_id", n.cluster, "namespace", "train", "pod", "trainer-" + n.name}
	waits := func(m int) bool { at := m % (25 * hour); return at >= hour/2 && at < hour }
	flag := func(is bool) float64 {
		if is {
			return 1
		}
		return 0
	}
	gpus := func(int) float64 { return 4 }
	w.add(1, "kube_node_status_allocatable", gpus, "cluster_id", n.cluster, "node", n.name, "resource", "nvidia_com_gpu")
	w.add(1, "kube_pod_container_resource_requests", gpus, append(labels, "resource", "nvidia_com_gpu")...)
	w.add(1, "kube_pod_status_phase", func(m int) float64 { return flag(waits(m)) }, append(labels, "phase", "Pending")...)
	w.add(1, "kube_pod_status_phase", func(m int) float64 { return flag(!waits(m)) }, append(labels, "phase", "Running")...)
	w.add(1, "kube_pod_container_status_restarts_total", func(m int) float64 { return float64(m / (5 * hour)) }, labels...)
}

// slurm adds what Slurm's exporter says of a node.
func (w *world) slurm(n machineOf) {
	for _, isDrained := range []bool{false, true} {
		w.add(1, "slurm_node_info", func(m int) float64 {
			if n.isIn(n.drained, m) != isDrained {
				return missed
			}
			return 1
		}, "node_name", n.name, "state_is_drain", strconv.FormatBool(isDrained))
	}
}

// days are two for what rules compare with, and those in which they are evaluated: two, or as many as HEALTHY_DAYS says.
var days = func() int {
	evaluated, err := strconv.Atoi(os.Getenv("HEALTHY_DAYS"))
	if err != nil {
		evaluated = 2
	}
	return 2 + evaluated
}()

// trainingFleet is a cluster in which one job after the other trains on all nodes. One node is drained and repaired, and one given back.
func trainingFleet() *world {
	w := &world{length: days * day}
	ends := w.length
	for number := range 5 {
		n := machineOf{cluster: "train", pool: "train-h100", name: "train-" + strconv.Itoa(number), number: number}
		n.labels = func(int) []string { return []string{"vm_name", n.name} }
		switch number {
		case 3:
			n.drained, n.down = [2]int{2*day + 600, 2*day + 1320}, [2]int{2*day + 660, 2*day + 900}
		case 4:
			n.drained, n.down = [2]int{3*day + 1200, 3*day + 1230}, [2]int{3*day + 1230, ends}
		}
		w.gpus(n, 4, true, func(gpu, m int) load { return trainingLoad(n, gpu, m) }, func(gpu, m int) float64 {
			switch {
			case number == 0 && gpu == 1:
				return 48 // of long ago
			case number == 1 && gpu == 3 && m >= 3*day+700:
				return 43
			case number == 1 && gpu == 3 && m >= 3*day:
				return 31
			case number == 2 && gpu == 0 && m >= 3*day+700:
				return 13
			}
			return 0
		})
		w.machine(n)
		w.kubernetes(n)
		w.trainer(n)
	}
	w.sharedDisk()
	return w
}

// trainingLoad has a job for a day and an hour between it and the next, with a checkpoint every half an hour.
func trainingLoad(n machineOf, gpu, m int) load {
	at := m % (25 * hour)
	is := load{util: 99, memory: 70_000, power: 640, clock: 1900, temperature: 60, active: 0.6, tensor: 0.4}
	switch {
	case at < hour || n.isIn(n.drained, m):
		return idle
	case at < hour+12: // starts: reads the model
		is.util, is.power, is.active, is.tensor, is.clock, is.temperature = 0, 120, 0, 0, 1980, 45
	case at%30 == 0: // writes a checkpoint
		is.util, is.power, is.active, is.tensor = 5, 150, 0.02, 0
	}
	share := noise(n.number, gpu, m)
	is.power += 25 * share
	is.clock += 25*noise(n.number, gpu, m, 1) + 12*noise(n.number, gpu) // boards differ by 1 %
	is.temperature += 1.5*float64(gpu) + 2*share
	is.active += 0.03 * share
	is.tensor += 0.02 * share
	return is
}

func (w *world) sharedDisk() {
	labels := []string{"disk_id", "d", "disk_name", "data"}
	w.add(5, "vendor_sdisk_capacity_used_bytes", func(m int) float64 { return 5e12 + 1e9*float64(m%(7*day)) }, labels...)
	for i, name := range []string{"read", "write"} {
		w.add(5, "vendor_sdisk_disk_"+name+"_latency", func(m int) float64 {
			busy := 0.0
			if m%30 == 0 {
				busy = 6 // a checkpoint
			}
			return 2 + busy + 0.5*noise(m, i)
		}, labels...)
	}
}

// servingFleet is a cluster of model servers in pods, four GPUs of each node for prefill and four for decode, behind a load balancer. Its
// GPUs name the node by Hostname.
func servingFleet() *world {
	w := &world{length: days * day}
	demand := func(m int) float64 { return 0.5 + 0.45*math.Sin(2*math.Pi*float64(m)/day) + 0.04*noise(m/5, 8) }
	for number := range 2 {
		n := machineOf{cluster: "serve", pool: "llm-serving", name: "serve-" + strconv.Itoa(number), number: number}
		n.labels = func(gpu int) []string {
			return []string{"Hostname", n.name, "exported_pod", "llama-" + strconv.Itoa(number*8+gpu), "exported_namespace", "models", "pod", "dcgm-exporter-x", "namespace", "observability"}
		}
		w.gpus(n, 8, true, func(gpu, m int) load {
			d := max(0, demand(m)+0.05*noise(number, gpu, m))
			if gpu < 4 {
				return load{util: min(100, 20+90*d), memory: 72_000, power: 150 + 480*d, clock: 1755 + 20*noise(gpu, m), temperature: 40 + 25*d, active: 0.7 * d, tensor: 0.5 * d}
			}
			return load{util: min(100, 110*d), memory: 72_000, power: 140 + 200*d, clock: 1980, temperature: 38 + 15*d, active: 0.3 * d, tensor: 0.05 * d}
		}, func(gpu, m int) float64 {
			if gpu == 2 && m >= 3*day {
				return 31
			}
			return 0
		})
		w.machine(n)
	}
	flows := map[string]func(m int) float64{
		"443": func(m int) float64 { return 3000 + 2500*demand(m) },
		// A client that runs for two hours a day.
		"8443": func(m int) float64 {
			if m%day < 2*hour {
				return 6000
			}
			return 1
		},
	}
	for port, perMinute := range flows {
		total := make([]float64, w.length)
		for m := range total {
			total[m] = total[max(m-1, 0)] + perMinute(m)
		}
		w.add(1, "vendor_elb_new_flows", func(m int) float64 { return total[m] }, "elb_name", "gateway", "vip_port", port, "proto", "tcp")
	}
	return w
}

// notebooksFleet is a cluster without profiling metrics, InfiniBand and agent: notebooks that are used now and then, and Slurm, whose
// exporter names no cluster and has one node drained and switched off for a day.
func notebooksFleet() *world {
	w := &world{length: days * day}
	for number := range 3 {
		n := machineOf{cluster: "lab", pool: "research", name: "lab-" + strconv.Itoa(number), number: number}
		n.labels = func(gpu int) []string {
			return []string{"vm_name", n.name, "pod", "jupyter-user" + strconv.Itoa(gpu), "namespace", "research", "container", "notebook"}
		}
		if number == 1 {
			n.drained, n.down = [2]int{2*day + 100, 3*day + 200}, [2]int{2*day + 130, 3*day + 100}
		}
		w.gpus(n, 4, false, func(gpu, m int) load {
			if n.isIn(n.drained, m) || noise(number, gpu, m/(6*hour)) < 0 {
				return idle
			}
			if noise(number, gpu, m/7, 4) < 0.4 {
				return load{memory: 12_000, power: 90, clock: 1980, temperature: 38} // its user thinks
			}
			return load{util: 50 + 49*noise(number, gpu, m), memory: 30_000, power: 320, clock: 1500 + 450*noise(number, gpu, m/300, 5), temperature: 58}
		}, func(gpu, m int) float64 {
			return []float64{0, 13, 31, 43, 13, 45}[m/((12+gpu)*hour)%6]
		})
		w.slurm(n)
	}
	for name, value := range map[string]func(m int) float64{
		"slurm_nodes": func(int) float64 { return 3 }, "slurm_nodes_down": func(int) float64 { return 0 },
		"slurm_nodes_idle": func(m int) float64 { return float64(m / (3 * hour) % 3) },
		// Jobs wait for some minutes until they begin, also while nodes are idle.
		"slurm_jobs_pending": func(m int) float64 { return float64(m / 20 % 3) },
	} {
		w.add(1, "vendor_"+name, value, "cluster_id", "lab-slurm")
	}
	return w
}

const (
	hour = 60
	day  = 24 * hour
)

// world is a storage of series that are given by functions of time.
type world struct {
	length int // minutes
	series samples.List
}

// missed is the value of a scrape that failed, or of what is not there.
var missed = math.NaN()

// add adds a series with a sample every step minutes. Labels are names and values in turn, the first name is __name__.
func (w *world) add(step int, name string, value func(m int) float64, more ...string) {
	s := &samples.Series{Labels: labels.FromStrings(append([]string{model.MetricNameLabel, name}, more...)...)}
	for m := 0; m < w.length; m += step {
		if v := value(m); !math.IsNaN(v) {
			s.Samples = append(s.Samples, samples.Float(minute(m).UnixMilli(), v))
		}
	}
	if len(s.Samples) > 0 {
		w.series = append(w.series, s)
	}
}

// noise is between -1 and 1, the same for the same numbers.
func noise(numbers ...int) float64 {
	h := uint64(0x9E3779B97F4A7C15)
	for _, n := range numbers {
		h = (h ^ uint64(n)) * 0xBF58476D1CE4E5B9
		h ^= h >> 29
	}
	return float64(h>>11)/(1<<52) - 1
}
