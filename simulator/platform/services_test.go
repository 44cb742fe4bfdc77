package platform_test

import (
	"maps"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

func TestCapacities_WithoutWhatJobsHold(t *testing.T) {
	c := start(t, platform.Config{})
	params := url.Values{"product_name": {"h100.1x"}, "location": {"us-east1-a"}}
	free := map[bool][]float64{}
	for range 7 * 24 {
		c.time = c.time.Add(time.Hour)
		idle := c.number(c.time, `count(avg by (vm_name) (DCGM_FI_DEV_GPU_UTIL{modelName=~".*H100.*"}) == 0) or vector(0)`)
		free[idle == 0] = append(free[idle == 0], c.items("capacities", params)[0]["quantity"].(float64))
	}
	mean := func(values []float64) (sum float64) {
		for _, v := range values {
			sum += v / float64(len(values))
		}
		return sum
	}
	if busy, idle := mean(free[true]), mean(free[false]); idle < busy+8 || slices.Max(free[true]) > 32 || slices.Min(free[true]) < 0 {
		t.Errorf("%.1f GPUs can be had while all nodes work, %.1f while some don't", busy, idle)
	}
}

// labels are the values that a label has.
func (c *client) labels(query, label string) map[string]bool {
	values := map[string]bool{}
	for _, one := range c.at(c.time, query).Data.Result {
		values[one.Metric[label]] = true
	}
	return values
}

func TestLists_NamesOfMetrics(t *testing.T) {
	c := start(t, platform.Config{})
	for _, tc := range []struct{ path, member, label, family string }{
		{"compute/vms/instances", "name", "vm_name", "vendor_vm_boot_time"},
		{"compute/vms/instances", "gpu_model", "modelName", "DCGM_FI_DEV_GPU_UTIL"},
		{"kubernetes/clusters", "id", "cluster_id", "vendor_vm_boot_time"},
		{"kubernetes/nodepools", "name", "nodepool_name", "DCGM_FI_DEV_GPU_UTIL"},
		{"slurm/clusters", "id", "cluster_id", "vendor_slurm_nodes"},
		{"storage/disks", "name", "disk_name", "vendor_sdisk_disk_read_iops"},
		{"storage/disks", "id", "disk_id", "vendor_sdisk_disk_read_iops"},
		{"networking/load-balancers", "name", "elb_name", "vendor_elb_active_flows"},
		{"usage", "nodepool_name", "nodepool_name", "DCGM_FI_DEV_GPU_UTIL"},
	} {
		named := map[string]bool{}
		for _, one := range c.items(tc.path, nil) {
			named[one[tc.member].(string)] = true
		}
		if labeled := c.labels(tc.family, tc.label); len(labeled) == 0 || !maps.Equal(named, labeled) {
			t.Errorf("%s: %d names, %d labels", tc.path, len(named), len(labeled))
		}
	}
}

func TestInstances_FailedGPUDrainsItsMachine(t *testing.T) {
	c := start(t, platform.Config{Incidents: []scenario.Incident{scenario.GPUFailure}})
	failed := c.labels(`DCGM_FI_DEV_XID_ERRORS > 0`, "vm_name")
	for _, one := range c.items("compute/vms/instances", nil) {
		if isDrained := one["state"] == "drained"; isDrained != failed[one["name"].(string)] {
			t.Errorf("%v", one)
		}
	}
	if len(failed) == 0 {
		t.Error("no GPU has failed")
	}
}
