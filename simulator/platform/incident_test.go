package platform_test

import (
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

func TestIncidents_InMetrics(t *testing.T) {
	c, calm := start(t, platform.Config{Incidents: scenario.Incidents}), start(t, platform.Config{})
	tests := map[string]struct {
		query        string
		above, below float64 // what incidents make of it
	}{
		"GPUs hang with their memory taken":  {`count(DCGM_FI_DEV_GPU_UTIL < 5 and DCGM_FI_DEV_FB_USED > 40000)`, 7, 65},
		"a GPU fails":                        {`sum(increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[1h]))`, 0.5, 1.5},
		"a link goes down every ten minutes": {`sum(increase(vendor_ib_port_link_downed[30m]))`, 1, 4},
		"packets have errors":                {`sum(increase(vendor_ib_port_error_rx[30m]))`, 800, 1000},
		"a file system is nearly full":       {`max(vendor_vm_disk_bytes_used / vendor_vm_disk_bytes_total)`, 0.95, 0.97},
		"traffic is lost":                    {`sum(rate(vendor_elb_new_flows[5m])) / sum(rate(vendor_elb_new_flows[1h] offset 1h))`, 0, 0.2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if v := c.number(now, test.query); v <= test.above || v >= test.below {
				t.Errorf("%s is %g, want it between %g and %g", test.query, v, test.above, test.below)
			}
			for place, r := range map[string]result{
				"before it began": c.at(now.Add(-scenario.IncidentAge-time.Minute), test.query), "without incident": calm.at(now, test.query),
			} {
				if len(r.Data.Result) > 0 && r.Data.Result[0].Value.value > test.above && r.Data.Result[0].Value.value < test.below {
					t.Errorf("%s is %g %s as well", test.query, r.Data.Result[0].Value.value, place)
				}
			}
		})
	}
}
