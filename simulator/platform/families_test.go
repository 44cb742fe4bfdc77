package platform_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// group is a group of metric families as deployments of the platform are known to expose them.
type group struct {
	prefix   string
	gauges   string // names after the prefix
	counters string
	latency  string // histograms
	labels   string
	interval time.Duration
}

var groups = map[string]group{
	"GPU": {
		prefix: "DCGM_FI_DEV_",
		gauges: "GPU_UTIL MEM_COPY_UTIL FB_USED FB_FREE GPU_TEMP MEMORY_TEMP POWER_USAGE SM_CLOCK MEM_CLOCK XID_ERRORS ROW_REMAP_FAILURE",
		counters: "TOTAL_ENERGY_CONSUMPTION ECC_SBE_VOL_TOTAL ECC_DBE_VOL_TOTAL CORRECTABLE_REMAPPED_ROWS UNCORRECTABLE_REMAPPED_ROWS " +
			"PCIE_REPLAY_COUNTER NVLINK_BANDWIDTH_TOTAL POWER_VIOLATION THERMAL_VIOLATION",
		labels: "cluster_id vm_name instance gpu UUID modelName nodepool_name",
	},
	"GPU profiling": {
		prefix: "DCGM_FI_PROF_",
		gauges: "GR_ENGINE_ACTIVE SM_ACTIVE SM_OCCUPANCY PIPE_TENSOR_ACTIVE DRAM_ACTIVE PCIE_TX_BYTES PCIE_RX_BYTES NVLINK_TX_BYTES NVLINK_RX_BYTES",
		labels: "cluster_id vm_name instance gpu UUID modelName nodepool_name",
	},
	"rollups": {
		prefix: "vendor_node:",
		gauges: "node_gpu_utilization:ratio_avg_1m node_gpu_memory_utilization:ratio_avg_1m node_gpu_temperature:p95_1m node_gpu_power:p95_1m",
		labels: "cluster_id vm_name instance",
	},
	"node": {
		prefix: "vendor_vm_",
		gauges: "memory_used_bytes memory_total_bytes boot_time",
		counters: "cpu_seconds_total disk_read_bytes_total disk_written_bytes_total disk_reads_completed_total disk_writes_completed_total " +
			"network_receive_bytes_total network_transmit_bytes_total",
		labels: "vm_name instance",
	},
	"processors": {prefix: "vendor_vm_", counters: "cpu_seconds_total", labels: "vm_name mode"},
	"InfiniBand": {
		prefix: "vendor_ib_port_", gauges: "line_rate throughput_tx throughput_rx",
		counters: "packets_tx packets_rx tx_wait link_downed link_error_recovery error_rx xmit_discard",
		labels:   "vm_name hca_number cluster_id", interval: 5 * time.Minute,
	},
	"shared disk": {
		prefix: "vendor_sdisk_",
		gauges: "disk_read_iops disk_write_iops disk_read_bw_bytes_sum disk_write_bw_bytes_sum disk_read_latency disk_write_latency capacity_used_bytes",
		labels: "disk_id disk_name", interval: 5 * time.Minute,
	},
	"local NVMe": {
		prefix: "vendor_vm_nvme_", gauges: "smart_critical_warning percentage_used available_spare",
		counters: "media_errors_total power_on_hours", labels: "vm_name device",
	},
	"NVMe warnings": {prefix: "vendor_vm_nvme_", gauges: "smart_critical_warning", labels: "vm_name bit"},
	"disk": {
		prefix: "vendor_vm_disk_", gauges: "bytes_used bytes_total",
		counters: "reads_completed_total writes_completed_total read_bytes_total write_bytes_total",
		latency:  "read_latency_seconds write_latency_seconds", labels: "vm_name device mount_point",
	},
	"object storage": {
		prefix: "vendor_vm_objectstore_", counters: "connections_total tcp_retransmits_total bytes_sent_total bytes_recv_total",
		latency: "connection_latency_histogram_seconds", labels: "vm_name endpoint",
	},
	"load balancer": {
		prefix: "vendor_elb_", gauges: "active_flows", counters: "in_packets out_packets bytes_in bytes_out new_flows",
		labels: "elb_name vip_port proto", interval: 30 * time.Second,
	},
	"Slurm": {
		prefix: "vendor_slurm_",
		gauges: "nodes nodes_alloc nodes_idle nodes_mixed nodes_down nodes_drain jobs_pending jobs_running jobs_failed jobs_outofmemory " +
			"jobs_timeout node_cpus partition_jobs_pending sched_mean_cycle schedule_cycle_last bf_depth_mean",
	},
	"Slurm nodes":      {prefix: "vendor_slurm_", gauges: "node_cpus", labels: "node"},
	"Slurm partitions": {prefix: "vendor_slurm_", gauges: "partition_jobs_pending", labels: "partition"},
	"custom metrics": {
		gauges:   "training_loss learning_rate batch_seconds training_tokens_per_second training_step",
		counters: "checkpoint_total training_tokens_total inference_requests_total",
		latency:  "inference_latency_seconds", labels: "pod_name pod_ip metrics_source",
	},
}

// each calls fn with every name that the group's series are found under.
func (g group) each(fn func(name string, counter bool)) {
	for _, name := range strings.Fields(g.gauges) {
		fn(g.prefix+name, false)
	}
	for _, name := range strings.Fields(g.counters) {
		fn(g.prefix+name, true)
	}
	for _, name := range strings.Fields(g.latency) {
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			fn(g.prefix+name+suffix, true)
		}
	}
}

func TestFamilies_Labels(t *testing.T) {
	c := start(t, platform.Config{})
	known := map[string]bool{}
	for title, g := range groups {
		g.each(func(name string, _ bool) {
			known[name] = true
			r := c.at(now, `{__name__="`+name+`"}`)
			if len(r.Data.Result) == 0 {
				t.Errorf("%s: no series of %s", title, name)
			}
			for _, s := range r.Data.Result {
				for _, label := range strings.Fields(g.labels) {
					if s.Metric[label] == "" {
						t.Fatalf("%s: %v has no label %s", title, s.Metric, label)
					}
				}
			}
		})
	}
	for _, s := range c.at(now, `count by (__name__) ({__name__=~".+"})`).Data.Result {
		if !known[s.Metric["__name__"]] {
			t.Errorf("%s is in no group of this test", s.Metric["__name__"])
		}
	}
}

func TestSamples_OnTheInterval(t *testing.T) {
	c := start(t, platform.Config{Nodes: 4, GPUsPerNode: 2})
	for title, g := range groups {
		interval := time.Minute
		if g.interval > 0 {
			interval = g.interval
		}
		g.each(func(name string, _ bool) {
			for _, s := range c.at(now, `{__name__="`+name+`"}[1h]`).Data.Result {
				for i, p := range s.Values {
					seconds := interval.Seconds()
					if int64(p.time)%int64(seconds) != 0 || (i > 0 && p.time-s.Values[i-1].time != seconds) {
						t.Fatalf("%s: sample %d of %v is at %f", title, i, s.Metric, p.time)
					}
				}
				if last := s.Values[len(s.Values)-1].time; last > float64(now.Unix()) {
					t.Fatalf("%s: %v has a sample of the future", title, s.Metric)
				}
			}
		})
	}
}

func TestSamples_CountersNeverFall(t *testing.T) {
	c := start(t, platform.Config{Nodes: 1, GPUsPerNode: 2})
	for title, g := range groups {
		g.each(func(name string, counter bool) {
			if !counter {
				return
			}
			selector := `{__name__="` + name + `"}`
			if r := c.at(now, `resets(`+selector+`[24h]) > 0`); len(r.Data.Result) > 0 {
				t.Errorf("%s: %s fell: %v", title, name, r.Data.Result[0])
			}
		})
	}
}
