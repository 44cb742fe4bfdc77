package mainapi_test

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/served"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

func TestLists_Paths(t *testing.T) {
	c := start(t, platform.Config{})
	const project, organization = "projects/" + platform.DefaultProjectID + "/", "organizations/" + platform.OrganizationID + "/"
	for _, tc := range []struct{ path, endpoint string }{
		{"capacities", "capacities"},
		{"quotas", "quotas"},
		{project + "quotas", "quotas"},
		{project + "compute/vms/instances", "vm_instances"},
		{"compute/vms/instances", "vm_instances"},
		{project + "compute/vms/types", "vm_types"},
		{"compute/vms/types", "vm_types"},
		{project + "kubernetes/clusters", "kubernetes_clusters"},
		{"kubernetes/nodepools", "kubernetes_nodepools"},
		{project + "slurm/clusters", "slurm_clusters"},
		{"storage/disks", "disks"},
		{"networking/load-balancers", "load_balancers"},
		{organization + "usage", "usage"},
		{organization + "audit-logs", "audit_logs"},
		{"audit-logs", "audit_logs"},
	} {
		items, token := c.items(tc.path, nil)
		if len(items) == 0 || token != "" {
			t.Errorf("%s: %d items, token %q", tc.path, len(items), token)
		}
		if c.Counters().Count(platform.ServiceMain, tc.endpoint, http.StatusOK) == 0 {
			t.Errorf("%s is not counted as %s", tc.path, tc.endpoint)
		}
		for _, one := range items {
			if !slices.Equal(slices.Sorted(maps.Keys(one)), slices.Sorted(maps.Keys(items[0]))) {
				t.Errorf("%s: members differ: %v and %v", tc.path, one, items[0])
			}
		}
	}
}

func TestLists_Refused(t *testing.T) {
	c := start(t, platform.Config{})
	for _, tc := range []struct {
		method, path string
		status       int
		code         string
	}{
		{"GET", "/v1/nothing", 404, "not_found"},
		{"GET", "/v1/capacities/", 404, "not_found"},
		{"GET", "/v1/projects/another/quotas", 404, "not_found"},
		{"GET", "/v1/organizations/another/usage", 404, "not_found"},
		{"GET", "/v1/organizations/org-demo/quotas", 404, "not_found"},
		{"GET", "/v1/projects/demo-project/capacities", 404, "not_found"},
		{"POST", "/v1/nothing", 404, "not_found"},
		{"POST", "/v1/capacities", 405, "method_not_allowed"},
		{"PUT", "/v1/capacities", 405, "method_not_allowed"},
		{"PATCH", "/v1/capacities", 405, "method_not_allowed"},
		{"DELETE", "/v1/capacities", 405, "method_not_allowed"},
		{"GET", "/v1/audit-logs?start_time=yesterday", 400, "bad_request"},
		{"GET", "/v1/audit-logs?end_time=2026-05-01T00%3A00%3A00Z&start_time=2026-05-02T00%3A00%3A00Z", 400, "bad_request"},
		{"GET", "/v1/audit-logs?limit=0", 400, "bad_request"},
		{"GET", "/v1/audit-logs?limit=many", 400, "bad_request"},
		{"GET", "/v1/audit-logs?next_token=nothing", 400, "bad_request"},
		{"GET", "/v1/audit-logs?next_token=%21", 400, "bad_request"},
	} {
		response, o := c.do(c.signed(tc.method, tc.path))
		if response.StatusCode != tc.status || o.Text("code") != tc.code || o.Text("message") == "" {
			t.Errorf("%s %s: status %d, %v", tc.method, tc.path, response.StatusCode, o)
		}
	}
	if failures := c.Counters().SignatureFailures; len(failures) != 0 {
		t.Errorf("good signatures were refused: %v", failures)
	}
}

func TestCapacities_Filtered(t *testing.T) {
	c := start(t, platform.Config{})
	all, _ := c.items("capacities", nil)
	some, _ := c.items("capacities", url.Values{"product_name": {"h100.8x,a100.2x,unknown"}, "location": {"us-east1-a,us-west1-a"}})
	if len(all) != 32 || len(some) != 4 {
		t.Errorf("%d capacities, of which %d were requested", len(all), len(some))
	}
	for _, one := range some {
		if len(one) != 4 || one.Text("location") == "eu-north1-a" || !slices.Contains([]string{"h100.8x", "a100.2x"}, one.Text("type")) {
			t.Errorf("%v", one)
		}
	}
}

func TestCapacities_WithoutWhatJobsHold(t *testing.T) {
	c := start(t, platform.Config{})
	params := url.Values{"product_name": {"h100.1x"}, "location": {"us-east1-a"}}
	free := map[bool][]float64{}
	for range 7 * 24 {
		c.Wait(time.Hour)
		idle := c.Series(c.t, `count(avg by (vm_name) (DCGM_FI_DEV_GPU_UTIL{modelName=~".*H100.*"}) == 0) or vector(0)`)[0].Text("value")
		items, _ := c.items("capacities", params)
		if len(items) != 1 {
			t.Fatalf("%d capacities", len(items))
		}
		allBusy := idle == "0"
		free[allBusy] = append(free[allBusy], items[0].Number("quantity"))
	}
	mean := func(values []float64) (sum float64) {
		for _, v := range values {
			sum += v / float64(len(values))
		}
		return sum
	}
	busy, idle := mean(free[true]), mean(free[false])
	if len(free[true]) == 0 || len(free[false]) == 0 || idle < busy+8 {
		t.Errorf("%.1f GPUs can be had while all nodes work (%d hours), %.1f while some don't (%d hours)", busy, len(free[true]), idle, len(free[false]))
	}
	if slices.Max(free[true]) > 32 || slices.Min(free[true]) < 0 {
		t.Errorf("while all nodes work from %g to %g GPUs can be had", slices.Min(free[true]), slices.Max(free[true]))
	}
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
		named, labeled := map[string]bool{}, map[string]bool{}
		items, _ := c.items(tc.path, nil)
		for _, one := range items {
			named[one.Text(tc.member)] = true
		}
		for _, one := range c.Series(c.t, "group by ("+tc.label+") ("+tc.family+")") {
			labeled[one.Text(tc.label)] = true
		}
		if len(labeled) == 0 || !maps.Equal(named, labeled) {
			t.Errorf("%s: %d names, %d labels", tc.path, len(named), len(labeled))
		}
	}
}

func TestLists_Pages(t *testing.T) {
	c := start(t, platform.Config{Nodes: 120, GPUsPerNode: 1})
	whole, _ := c.items("compute/vms/instances", url.Values{"limit": {"100000"}})
	var paged []object
	pages := 0
	for params := (url.Values{}); ; pages++ {
		items, token := c.items("compute/vms/instances", params)
		paged = append(paged, items...)
		if token == "" {
			break
		}
		params.Set("next_token", token)
	}
	if pages != 2 || len(whole) != 120 || fmt.Sprint(whole) != fmt.Sprint(paged) {
		t.Errorf("%d items on one page, %d on %d pages", len(whole), len(paged), pages+1)
	}
	if items, token := c.items("compute/vms/types", url.Values{"limit": {"1"}}); len(items) < 4 || token != "" {
		t.Error("a list that has no pages has them")
	}
}

func TestAuditLogs_Range(t *testing.T) {
	c := start(t, platform.Config{})
	window := url.Values{"start_time": {served.Begun.Add(-30 * time.Hour).Format(time.RFC3339)}, "end_time": {served.Begun.Add(-time.Hour).Format(time.RFC3339)}, "limit": {"500"}}
	items, _ := c.items("organizations/org-demo/audit-logs", window)
	ids := map[string]bool{}
	last := "9"
	for _, one := range items {
		at, end := one.Text("time"), one.Text("end_time")
		if at < window.Get("start_time") || at > window.Get("end_time") || at > last || end != "" && (end <= at || end > served.Begun.Format(time.RFC3339)) {
			t.Errorf("%s to %s, after %s", at, end, last)
		}
		last = at
		ids[one.Text("id")] = true
	}
	if len(items) < 17 || len(ids) != len(items) {
		t.Errorf("%d entries, %d ids", len(items), len(ids))
	}
}

func TestAuditLogs_SameEveryDayOfTheMonth(t *testing.T) {
	c := start(t, platform.Config{})
	month := url.Values{"start_time": {served.Begun.Add(-60 * 24 * time.Hour).Format(time.RFC3339)}, "limit": {"500"}}
	days := map[string]int{}
	for more := true; more; {
		items, token := c.items("audit-logs", month)
		for _, one := range items {
			days[one.Text("time")[:len(time.DateOnly)]]++
		}
		month.Set("next_token", token)
		more = token != ""
	}
	if len(days) != 31 || days["2026-05-01"] != 17 || days["2026-05-19"] != 17 {
		t.Errorf("%v", days)
	}
}

func TestInstances_FailedGPUDrainsItsMachine(t *testing.T) {
	c := start(t, platform.Config{Incidents: []scenario.Incident{scenario.GPUFailure}})
	failed := map[string]bool{}
	for _, one := range c.Series(c.t, `group by (vm_name) (DCGM_FI_DEV_XID_ERRORS > 0)`) {
		failed[one.Text("vm_name")] = true
	}
	instances, _ := c.items("compute/vms/instances", nil)
	for _, one := range instances {
		if isDrained := one.Text("state") == "drained"; isDrained != failed[one.Text("name")] {
			t.Errorf("%v", one)
		}
	}
	if len(failed) == 0 {
		t.Error("no GPU has failed")
	}
}

func TestUsage_Range(t *testing.T) {
	c := start(t, platform.Config{})
	for name, tc := range map[string]struct {
		params url.Values
		items  int
		hours  float64 // of the pool with 32 GPUs
	}{
		"a week by default": {nil, 8 * 4, 7 * 24 * 32},
		"the future":        {url.Values{"start_time": {served.Begun.Add(time.Hour).Format(time.RFC3339)}}, 0, 0},
		"a day":             {url.Values{"start_time": {"2026-05-18T00:00:00Z"}, "end_time": {"2026-05-19T00:00:00Z"}}, 4, 24 * 32},
		"an hour":           {url.Values{"start_time": {"2026-05-18T05:00:00Z"}, "end_time": {"2026-05-18T06:00:00Z"}}, 4, 32},
	} {
		items, _ := c.items("usage", tc.params)
		hours := 0.0
		for _, one := range items {
			if one.Text("nodepool_name") == "pretraining" {
				hours += one.Number("gpu_hours")
			}
		}
		if len(items) != tc.items || math.Abs(hours-tc.hours) > 1e-6 {
			t.Errorf("%s: %g GPU hours, %v", name, hours, items)
		}
	}
}

func TestLists_Fault(t *testing.T) {
	c := start(t, platform.Config{})
	c.Inject(platform.Fault{Service: platform.ServiceMain, Path: "/capacities$", Status: 429, Headers: map[string]string{"Retry-After": "1"}, Times: 1})
	if response, err := c.Server.Client().Do(c.signed(http.MethodGet, "/v1/capacities")); err != nil || response.StatusCode != 429 || response.Header.Get("Retry-After") != "1" {
		t.Errorf("%v, %v", response, err)
	}
	c.items("capacities", nil)
}
