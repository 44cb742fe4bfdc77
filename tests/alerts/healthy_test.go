package alerts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// TestRules_HealthyFleets follows every rule on metrics alone through days of three healthy fleets, and expects no alert.
func TestRules_HealthyFleets(t *testing.T) {
	all := rules(t)
	for name, fleet := range map[string]func() *world{"training": trainingFleet, "serving": servingFleet, "notebooks": notebooksFleet} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fleet()
			followed, evaluated, alerts := 0, 0, 0
			for _, id := range slices.Sorted(maps.Keys(all)) {
				if !all[id].isPromQL() {
					continue
				}
				fired, count := follow(t, ofSeries(w), all[id], 2*day, w.length-1, 5)
				followed, evaluated, alerts = followed+1, evaluated+count, alerts+len(fired)
				for _, p := range fired {
					t.Errorf("%s: %s", all[id].Title, p)
				}
			}
			t.Logf("%d rules on %d series, evaluated %d times over %d days: %d alerts", followed, len(w.series), evaluated, w.length/day-2, alerts)
		})
	}
}

// TestRules_Timelines follows rules through faults: each is one alert, from when the fault has lasted for the pending time until it is
// over and the alert need not be kept.
func TestRules_Timelines(t *testing.T) {
	all := rules(t)
	port := `{cluster_id="c", vm_name="node-1", hca_number="3"} `
	for name, test := range map[string]struct {
		rule   string
		series []string
		// alerts are those of what is not node-2, in minutes from and to, give or take three.
		alerts [][2]int
	}{
		"heat that comes and goes, while another node is hot all the time": {
			"gpu-hot", together(one(gpuLine("GPU_TEMP", "node-1", "60x99 88x40 60x20 88x20 60x400"), 0), one(gpuLine("GPU_TEMP", "node-2", "90x600"), 0)),
			[][2]int{{109, 242}}},
		"heat of one node": {
			"gpu-hot", one(gpuLine("GPU_TEMP", "node-1", "60x99 88x40 60x20 88x20 60x400"), 0), [][2]int{{109, 242}}},
		"heat that is over before the pending time": {
			"gpu-hot", one(gpuLine("GPU_TEMP", "node-1", "60x99 88x4 60x400"), 0), nil},
		"an ECC error": {
			"gpu-ecc", ofNode3("ECC_DBE_VOL_TOTAL", "0x2999 1x2000"), [][2]int{{3000, 3060}}},
		"two ECC errors, two hours apart": {
			"gpu-ecc", ofNode3("ECC_DBE_VOL_TOTAL", "0x2999 1x120 2x2000"), [][2]int{{3000, 3060}, {3121, 3181}}},
		"a failed remapping, until the GPU is replaced": {
			"gpu-remap", ofNode3("ROW_REMAP_FAILURE", "0x999 1x4000 0x1000"), [][2]int{{1000, 5721}}},
		"a new XID code": {
			"gpu-xid", ofNode3("XID_ERRORS", "0x2999 79x2000"), [][2]int{{3000, 3060}}},
		"a GPU that falls off the bus for half a day": {
			"gpu-missing", together(each(7, gpuLine("FB_USED", "node-1", "4x6000")), one(gpuLine("FB_USED", "node-1", "4x2999 _x720 4x2000"), 7)), [][2]int{{3016, 3780}}},
		"a node that goes": {
			"node-missing", together(each(8, gpuLine("FB_USED", "node-1", "40000x2999")), each(8, gpuLine("FB_USED", "node-2", "4x6000"))), [][2]int{{3016, 3135}}},
		"a hang of an hour, before the exporter loses the utilization": {
			"gpu-held-idle", together(ofNode3("FB_USED", "60000x6000"), ofNode3("GPU_UTIL", "99x2999 0x59 99x1000"), ofNode3("POWER_USAGE", "600x2999 120x59 600x1000")), [][2]int{{3030, 3060}}},
		"a link that is down for three days": {
			"infiniband-link-down", []string{"vendor_ib_port_line_rate" + port + "400x2999 0x4320 400x2000", "vendor_ib_port_link_downed" + port + "0x2999 1x6320"}, [][2]int{{3000, 7340}}},
		"a shared disk that is slow for eight hours": {
			"shared-disk-slow", []string{`vendor_sdisk_disk_read_latency{disk_name="data"} 2x2999 40x480 2x3000`}, [][2]int{{3023, 3488}}},
		"no connections for half an hour, and half as many soon after, while another listener gets responses": {
			// The least of the night is so little that any decline of the day is more.
			"load-balancer-drop", []string{
				`vendor_elb_new_flows{elb_name="a"} 0+66x2000 132000+6000x999 6126000x30 6126000+6000x20 6246000+3000x3000`,
				`vendor_elb_new_flows{elb_name="b"} 0+600x6000`, `vendor_elb_in_packets{elb_name="b"} 0+6000x6000`, `vendor_elb_out_packets{elb_name="b"} 0+6000x6000`},
			[][2]int{{3007, 3091}}},
		"a restart of 22 minutes, and later a node that does not come back for hours": {
			"slurm-nodes-down", []string{`vendor_slurm_nodes_down{cluster_id="s"} 0x999 1x22 0x500 1x400 0x4000`}, [][2]int{{1554, 1925}}},
	} {
		t.Run(test.rule+": "+name, func(t *testing.T) {
			storage, err := scenes.Storage(minute(0), time.Minute, test.series...)
			require.NoError(t, err)
			until := 8000
			if !strings.Contains(name, "three days") {
				until = 5730
			}
			fired, _ := follow(t, ofSeries(storage), all[test.rule], 60, until, 5)
			fired = slices.DeleteFunc(fired, func(p period) bool { return strings.Contains(p.labels, "vm_name=node-2") })
			require.Len(t, fired, len(test.alerts), "%v", fired)
			for i, want := range test.alerts {
				require.InDelta(t, want[0], fired[i].from, 5, "%v", fired)
				require.InDelta(t, want[1], fired[i].to, 6, "%v", fired)
			}
		})
	}
}
