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
