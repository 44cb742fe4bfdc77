package platform_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

const monthAgo = 30 * 24 * time.Hour

func TestSamples_Reproducible(t *testing.T) {
	a, b := start(t, platform.Config{}), start(t, platform.Config{})
	for _, query := range []string{`DCGM_FI_DEV_GPU_UTIL`, `rate(vendor_vm_cpu_seconds_total[5m])`, `training_loss`, `vendor_slurm_jobs_pending`} {
		params := url.Values{"query": {query}, "start": {"1779200000"}, "end": {"1779210000"}, "step": {"60"}}
		_, first := a.get("/api/v1/query_range", params)
		if _, second := b.get("/api/v1/query_range", params); first != second || len(first) < 1000 {
			t.Errorf("%s: responses of %d and %d bytes differ", query, len(first), len(second))
		}
	}
}

func TestSamples_TrainingPhases(t *testing.T) {
	c := start(t, platform.Config{})
	const pool = `{nodepool_name="finetuning"}`
	util := c.over(48*time.Hour, time.Minute, `avg(DCGM_FI_DEV_GPU_UTIL`+pool+`)`).Data.Result[0].Values
	power := c.over(48*time.Hour, time.Minute, `avg(DCGM_FI_DEV_POWER_USAGE`+pool+`)`).Data.Result[0].Values
	written := c.over(48*time.Hour, time.Minute, `avg(rate(vendor_vm_disk_written_bytes_total{vm_name="gpu-node-0005"}[2m]))`).Data.Result[0].Values
	training, idle, checkpointing := 0, 0, 0
	for i := range util {
		switch u, p := util[i].value, power[i].value; {
		case u > 80:
			if u < 96 {
				t.Fatalf("kernels run for %.0f %% of the time", u)
			}
			if p > 450 { // not the warm-up
				training++
			}
		case u == 0:
			idle++
			if p > 90 {
				t.Fatalf("idle GPUs draw %.0f W", p)
			}
		case u > 0 && u < 5 && written[i].value > 8e8:
			checkpointing++
		}
	}
	if training < 1000 || idle < 60 || checkpointing < 20 {
		t.Errorf("of 2880 minutes %d were training, %d idle, %d wrote checkpoints", training, idle, checkpointing)
	}
}

func TestSamples_OtherHardware(t *testing.T) {
	c := start(t, platform.Config{})
	for name, query := range map[string]string{
		"memory":     `avg by (vm_name) (DCGM_FI_DEV_FB_USED)`,
		"heat":       `avg by (vm_name) (DCGM_FI_DEV_GPU_TEMP)`,
		"InfiniBand": `avg by (vm_name) (vendor_ib_port_throughput_tx)`,
	} {
		ratio := c.number(now, `avg(avg_over_time((`+query+` and on (vm_name) avg by (vm_name) (DCGM_FI_DEV_GPU_UTIL) > 80)[24h:15m]))
			/ avg(avg_over_time((`+query+` and on (vm_name) avg by (vm_name) (DCGM_FI_DEV_GPU_UTIL) == 0)[24h:15m]))`)
		if ratio < 1.5 {
			t.Errorf("%s is only %.2f times as high in training as in idleness", name, ratio)
		}
	}
	if c.number(now, `max(max_over_time(vendor_sdisk_disk_write_bw_bytes_sum[24h])) / max(min_over_time(vendor_sdisk_disk_write_bw_bytes_sum[24h]))`) < 100 {
		t.Error("checkpoints don't show on the shared disks")
	}
}

func TestSamples_TrainingLoss(t *testing.T) {
	c := start(t, platform.Config{})
	jobs := c.over(24*time.Hour, 5*time.Minute, `training_loss`).Data.Result
	if len(jobs) < 5 {
		t.Fatalf("%d jobs in a day", len(jobs))
	}
	ended := 0
	for _, j := range jobs {
		first, last := j.Values[0], j.Values[len(j.Values)-1]
		if len(j.Values) > 20 && first.time > float64(now.Add(-23*time.Hour).Unix()) && last.value > 0.8*first.value {
			t.Errorf("the loss of %s only falls from %g to %g", j.Metric["pod_name"], first.value, last.value)
		}
		if last.time < float64(now.Add(-10*time.Minute).Unix()) {
			ended++
		}
	}
	if ended == 0 {
		t.Error("no job's series ended within the day")
	}
}

func TestSamples_PartsAddUp(t *testing.T) {
	c := start(t, platform.Config{})
	if spread := c.number(now, `max(abs(sum by (vm_name) (rate(vendor_vm_cpu_seconds_total[10m])) - on (vm_name) label_replace(vendor_slurm_node_cpus, "vm_name", "$1", "node", "(.*)")))`); spread > 0.01 {
		t.Errorf("processor time of all modes is off by %g seconds a second", spread)
	}
	for _, name := range []string{"vendor_vm_disk_read_latency_seconds", "vendor_vm_objectstore_connection_latency_histogram_seconds"} {
		if off := c.number(now, `max(abs(`+name+`_bucket{le="+Inf"} - ignoring (le) `+name+`_count))`); off != 0 {
			t.Errorf("%s: the last bucket and the count differ by %g", name, off)
		}
		p99 := c.number(now, `max(histogram_quantile(0.99, rate(`+name+`_bucket[10m])))`)
		if p50 := c.number(now, `max(histogram_quantile(0.5, rate(`+name+`_bucket[10m])))`); !(p50 > 0 && p50 < p99 && p99 < 3) {
			t.Errorf("%s: median %g, 99th percentile %g", name, p50, p99)
		}
	}
}

func TestSamples_Retention(t *testing.T) {
	c := start(t, platform.Config{})
	c.none(now.Add(-monthAgo-10*time.Minute), `DCGM_FI_DEV_GPU_UTIL`)
	c.none(now.Add(10*time.Minute), `DCGM_FI_DEV_GPU_UTIL`)
	if n := c.number(now, `max(count_over_time(DCGM_FI_DEV_GPU_UTIL[40d]))`); n != 30*24*60 {
		t.Errorf("%g samples in all, want those of 30 days", n)
	}
	if n := c.number(now.Add(time.Hour), `max(count_over_time(DCGM_FI_DEV_GPU_UTIL[2h]))`); n != 60 {
		t.Errorf("%g samples around now, want those of the hour before", n)
	}
}
