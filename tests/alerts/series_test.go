package alerts_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/promapi"
)

// series is a data source whose metrics service has the series given, in the notation of Prometheus' tests: a sample a
// minute from the time 0 on.
func series(t *testing.T, lines ...string) *plugin.Datasource {
	t.Helper()
	storage := promqltest.LoadedStorage(t, "load 1m\n  "+strings.Join(lines, "\n  "))
	t.Cleanup(func() { require.NoError(t, storage.Close()) })
	api := promapi.New(storage, func() time.Time { return time.Unix(0, 0) })
	mux := http.NewServeMux()
	mux.HandleFunc("/metrics/api/v1/query", api.Query)
	mux.HandleFunc("/metrics/api/v1/query_range", api.QueryRange)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	jsonData, err := json.Marshal(map[string]any{"metricsUrl": server.URL + "/metrics", "cache": map[string]any{"enabled": false}})
	require.NoError(t, err)
	made, err := plugin.New(context.Background(), backend.DataSourceInstanceSettings{
		UID: "gpucloud", JSONData: jsonData, DecryptedSecureJSONData: map[string]string{"monitoringToken": "token"},
	})
	require.NoError(t, err)
	ds := made.(*plugin.Datasource)
	t.Cleanup(ds.Dispose)
	return ds
}

// minute is a time in the load of series.
func minute(n int) time.Time { return time.Unix(int64(n)*60, 0).UTC() }

func TestXIDRule_NewCode(t *testing.T) {
	rule := rules(t)["gpu-xid"]
	for name, test := range map[string]struct {
		series []string
		// fires has the code at each minute at which the rule fires. At other minutes it must not fire.
		fires map[int]string
		quiet []int
	}{
		"a code after none, for an hour":           {[]string{"0x119 48x400"}, map[int]string{120: "48", 150: "48", 178: "48"}, []int{119, 185, 300, 500}},
		"a code of long ago":                       {[]string{"48x2000"}, nil, []int{200, 1600, 1999}},
		"another code":                             {[]string{"48x199 79x400"}, map[int]string{200: "79", 250: "79"}, []int{199, 300}},
		"the same code again after a reset":        {[]string{"0x99 48x99 0x4 48x400"}, map[int]string{205: "48", 255: "48"}, []int{202, 300}},
		"a reset":                                  {[]string{"48x199 0x400"}, nil, []int{200, 230, 400}},
		"a GPU whose first sample is a code":       {[]string{"_x200 48x400"}, map[int]string{201: "48", 240: "48"}, []int{199, 275}},
		"missed scrapes":                           {[]string{"0x119 48x10 _x3 48x20 _x8 48x400"}, map[int]string{120: "48", 170: "48"}, []int{190, 300}},
		"scrapes missed around the code":           {[]string{"0x119 _x60 48x400"}, map[int]string{181: "48", 230: "48"}, []int{150, 300}},
		"an old code after scrapes were missed":    {[]string{"48x199 _x70 48x400"}, nil, []int{199, 271, 300, 335}},
		"an exporter that restarts with its code":  {[]string{`{pod="a"} 48x199`, `{pod="b"} _x202 48x400`}, nil, []int{203, 230, 262, 264, 300}},
		"a code after an upgrade of DCGM":          {[]string{"DCGM_FI_DEV_XID_ERROR{} 0x119 48x400"}, map[int]string{120: "48", 178: "48"}, []int{119, 185}},
		"an old code through an upgrade of DCGM":   {[]string{"48x199", "DCGM_FI_DEV_XID_ERROR{} _x200 48x400"}, nil, []int{199, 201, 230, 300}},
		"an exporter that restarts with a new one": {[]string{`{pod="a"} 48x199`, `{pod="b"} _x202 79x400`}, map[int]string{203: "79", 250: "79"}, []int{300}},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for _, line := range test.series {
				name, labels := "DCGM_FI_DEV_XID_ERRORS", `cluster_id="c", vm_name="node-1", instance="10.0.0.1", gpu="3"`
				if given, values, ok := strings.Cut(line, "} "); ok {
					other, more, _ := strings.Cut(given, "{")
					name, labels, line = cmp.Or(other, name), labels+", "+more, values
				}
				lines = append(lines, name+"{"+strings.TrimSuffix(labels, ", ")+"} "+line)
			}
			ds := series(t, lines...)
			for at, code := range test.fires {
				fired := inState(evaluate(t, ds, rule, minute(at)), alerting)
				require.Len(t, fired, 1, "at %d", at)
				require.Equal(t, code, fired[0].labels["xid"], "at %d", at)
				readable(t, rule, fired)
			}
			for _, at := range test.quiet {
				require.Empty(t, inState(evaluate(t, ds, rule, minute(at)), alerting), "at %d", at)
			}
		})
	}
}

func TestXIDRule_Text(t *testing.T) {
	rule := rules(t)["gpu-xid"]
	for code, says := range map[string][2]string{
		"48":  {"GPU 3 of node-1 reports XID 48: a double-bit ECC error: GPU memory lost data that cannot be corrected. Usual origin: hardware.", "drain this node and reset the GPU"},
		"43":  {"Usual origin: application.", "The GPU needs nothing."},
		"777": {"GPU 3 of node-1 reports XID 777: a code that this list does not have.", "Look the code up"},
	} {
		t.Run(code, func(t *testing.T) {
			ds := series(t, `DCGM_FI_DEV_XID_ERRORS{vm_name="node-1", gpu="3"} 0x119 `+code+`x100`)
			fired := inState(evaluate(t, ds, rule, minute(130)), alerting)
			require.Len(t, fired, 1)
			readable(t, rule, fired)
			written := expand(t, rule, fired[0])
			require.Contains(t, written["description"], says[0])
			require.Contains(t, written["action"], says[1])
		})
	}
}

// peers is a node with three busy GPUs and one with the given values.
func peers(utilization, memory, clock string) []string {
	var lines []string
	for gpu, values := range [][3]string{{"96x300", "70000x300", "1950x300"}, {"97x300", "70000x300", "1935x300"}, {"95x300", "70000x300", "1965x300"}, {utilization, memory, clock}} {
		for i, metric := range []string{"GPU_UTIL", "FB_USED", "SM_CLOCK"} {
			lines = append(lines, `DCGM_FI_DEV_`+metric+`{vm_name="node-1", gpu="`+string(rune('0'+gpu))+`"} `+values[i])
		}
	}
	return lines
}

func TestStragglerRule_BusyGPUs(t *testing.T) {
	rule := rules(t)["gpu-straggler"]
	for name, test := range map[string]struct {
		utilization, memory, clock string
		fires                      []string
	}{
		"a GPU with a low clock":                        {"100x300", "70000x300", "1380x300", []string{"3"}},
		"a GPU that waits for its peers at full clock":  {"100x300", "70000x300", "1980x300", nil},
		"a GPU that waits for data":                     {"40x300", "70000x300", "1980x300", nil},
		"a GPU that waits for data at a low clock":      {"5x300", "70000x300", "345x300", nil},
		"a GPU that is idle":                            {"0x300", "4x300", "345x300", nil},
		"a GPU whose job ends":                          {"96x100 0x200", "70000x100 4x200", "1950x100 345x200", nil},
		"a GPU whose job begins":                        {"0x100 96x200", "4x100 70000x200", "345x100 1950x200", nil},
		"a GPU whose job ends and whose memory is kept": {"96x100 0x200", "70000x300", "1950x100 345x200", nil},
	} {
		t.Run(name, func(t *testing.T) {
			ds := series(t, peers(test.utilization, test.memory, test.clock)...)
			pending := 0
			for at := 95; at < 135; at++ {
				fired := inState(evaluate(t, ds, rule, minute(at)), alerting)
				if len(fired) == 0 {
					pending = 0
					continue
				}
				pending++
				readable(t, rule, fired)
				if test.fires == nil {
					require.True(t, strings.HasSuffix(name, "memory is kept"), "at %d", at)
					require.Less(t, pending, int(time.Duration(rule.For).Minutes()), "at %d, while it is pending", at)
					continue
				}
				require.Len(t, fired, 1)
				require.Equal(t, test.fires[0], fired[0].labels["gpu"])
			}
			require.Equal(t, test.fires != nil, pending == 40)
		})
	}
}

func TestRules_OneAlertPerNode(t *testing.T) {
	var lines []string
	for gpu := range 8 {
		labels := `{cluster_id="c", vm_name="node-1", instance="10.0.0.1", gpu="` + string(rune('0'+gpu)) + `"} `
		lines = append(lines, "DCGM_FI_DEV_GPU_UTIL"+labels+"0x100", "DCGM_FI_DEV_FB_USED"+labels+"70000x100", "DCGM_FI_DEV_GPU_TEMP"+labels+"91x100")
	}
	ds := series(t, lines...)
	for id, says := range map[string]string{"gpu-idle": "8 GPUs of node-1 are idle", "gpu-hot": "8 GPUs of node-1 are above 83 °C"} {
		rule := rules(t)[id]
		fired := inState(evaluate(t, ds, rule, minute(90)), alerting)
		require.Len(t, fired, 1, id)
		readable(t, rule, fired)
		require.Contains(t, expand(t, rule, fired[0])["description"], says)
	}
}
