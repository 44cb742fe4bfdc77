package alerts_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/promapi"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// series is a data source whose metrics service has the series given, in the notation of Prometheus' tests: a sample a
// minute from the time 0 on.
func series(t *testing.T, lines ...string) *plugin.Datasource {
	t.Helper()
	storage, err := scenes.Storage(time.Unix(0, 0), time.Minute, lines...)
	require.NoError(t, err)
	api := promapi.New(storage, func() time.Time { return time.Unix(0, 0) })
	mux := http.NewServeMux()
	mux.HandleFunc("/metrics/api/v1/query", api.Query)
	mux.HandleFunc("/metrics/api/v1/query_range", api.QueryRange)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	jsonData := map[string]any{"metricsUrl": server.URL + "/metrics", "cache": map[string]any{"enabled": false}}
	return datasource.New(t, jsonData, map[string]string{"monitoringToken": "token"})
}

// minute is a time in the load of series.
func minute(n int) time.Time { return time.Unix(int64(n)*60, 0).UTC() }

// firesAt reports whether a rule fires with the series given, at minutes from..to.
func firesAt(t *testing.T, r rule, from, to, step int, lines ...string) (fires []bool) {
	t.Helper()
	storage, err := scenes.Storage(minute(0), time.Minute, lines...)
	require.NoError(t, err)
	for _, judged := range ofSeries(storage)(t, r, from, to, step) {
		fires = append(fires, slices.Contains(slices.Collect(maps.Values(judged)), true))
	}
	return fires
}

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
		"a code of an application":                 {[]string{"0x119 43x400"}, nil, []int{119, 125, 178}},
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

// loads are the values of the metrics of a GPU, in the notation of Prometheus' tests.
type loads struct{ utilization, clock, power, heat, limited string }

// peers is a node with some healthy GPUs that train, and one with the given values.
func peers(healthy int, suspect loads) []string {
	var lines []string
	add := func(gpu int, l loads) {
		for metric, values := range map[string]string{
			"GPU_UTIL": l.utilization, "SM_CLOCK": l.clock, "POWER_USAGE": l.power, "THERMAL_VIOLATION": l.heat, "POWER_VIOLATION": l.limited,
		} {
			lines = append(lines, fmt.Sprintf(`DCGM_FI_DEV_%s{cluster_id="c", vm_name="node-1", instance="10.0.0.1", gpu="%d"} %s`, metric, gpu, values))
		}
	}
	for gpu := range healthy {
		add(gpu, loads{"98x300", []string{"1950x300", "1935x300", "1965x300"}[gpu%3], []string{"600x300", "615x300"}[gpu%2], "0x300", "0+6e9x300"})
	}
	add(healthy, suspect)
	return lines
}

func TestStragglerRule_GPUUnderLoad(t *testing.T) {
	rule := rules(t)["gpu-straggler"]
	slow := loads{"100x300", "1560x300", "420x300", "0x300", "0+6e9x300"}
	with := func(change func(*loads)) loads {
		l := slow
		change(&l)
		return l
	}
	for name, test := range map[string]struct {
		healthy int
		suspect loads
		cause   string // "" if the rule does not fire
	}{
		"a low clock without a reason":               {7, slow, "low clock"},
		"a low clock and time lost by heat":          {7, with(func(l *loads) { l.heat = "0+20e9x300" }), "heat"},
		"a low clock and time lost by a power limit": {7, with(func(l *loads) { l.limited = "0+40e9x300" }), "power limit"},
		"counters of microseconds":                   {7, with(func(l *loads) { l.heat = "0+20e6x300" }), "low clock"},
		"the lowest clock of healthy GPUs":           {7, with(func(l *loads) { l.clock = "1860x300" }), ""},
		"three peers are enough":                     {3, slow, "low clock"},
		"two peers are too few":                      {2, slow, ""},
		"a GPU that does more than its peers":        {7, with(func(l *loads) { l.power = "700x300" }), ""},
		"an idle GPU":                                {7, loads{"0x300", "345x300", "75x300", "0x300", "0x300"}, ""},
		"a GPU that waits for its peers":             {7, loads{"100x300", "1980x300", "400x300", "0x300", "0x300"}, ""},
		"a clock that is low for two minutes":        {7, with(func(l *loads) { l.clock = "1950x95 1560x2 1950x200" }), ""},
		"a checkpoint every ten minutes":             {7, with(func(l *loads) { l.clock = "1560x94 345x1 1560x9 345x1 1560x9 345x1 1560x9 345x1 1560x100" }), "low clock"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := peers(test.healthy, test.suspect)
			for i, fires := range firesAt(t, rule, 90, 129, 1, lines...) {
				require.Equal(t, test.cause != "", fires, "at %d", 90+i)
			}
			if test.cause == "" {
				return
			}
			fired := inState(evaluate(t, series(t, lines...), rule, minute(100)), alerting)
			readable(t, rule, fired)
			require.Len(t, fired, 1)
			require.Equal(t, test.cause, fired[0].labels["cause"])
			require.Equal(t, strconv.Itoa(test.healthy), fired[0].labels["gpu"])
			require.InDelta(t, 20, fired[0].values["A"], 0.5)
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
	for id, says := range map[string]string{"gpu-held-idle": "8 GPUs of node-1 are held idle", "gpu-hot": "8 GPUs of node-1 are above 83 °C"} {
		rule := rules(t)[id]
		fired := inState(evaluate(t, ds, rule, minute(90)), alerting)
		require.Len(t, fired, 1, id)
		readable(t, rule, fired)
		require.Contains(t, expand(t, rule, fired[0])["description"], says)
	}
}

// gpuSeries are the metrics of a GPU of node-1 in the pool a: utilization, SM activity, memory, power and XID code. Without SM
// activity there are no profiling metrics.
func gpuSeries(gpu int, utilization, active, memory, power, xid string) []string {
	labels := fmt.Sprintf(`{cluster_id="c", nodepool_name="a", vm_name="node-1", instance="10.0.0.1", gpu="%d", modelName="NVIDIA H100 80GB HBM3"} `, gpu)
	lines := []string{
		"DCGM_FI_DEV_GPU_UTIL" + labels + utilization, "DCGM_FI_DEV_FB_USED" + labels + memory,
		"DCGM_FI_DEV_POWER_USAGE" + labels + power, "DCGM_FI_DEV_XID_ERRORS" + labels + xid,
	}
	if active != "" {
		lines = append(lines, "DCGM_FI_PROF_SM_ACTIVE"+labels+active)
	}
	return lines
}

func TestHeldIdleRule_States(t *testing.T) {
	rule := rules(t)["gpu-held-idle"]
	require.Equal(t, 30*time.Minute, time.Duration(rule.For))
	for name, test := range map[string]struct {
		utilization, active, memory, power, xid string
		// from and to are the minutes at which GPUs are held idle.
		from, to int
	}{
		"a process that does nothing":            {"0x200", "0x200", "70000x200", "110x200", "0x200", 1, 200},
		"a process whose job has ended":          {"99x100 0x100", "0.8x100 0x100", "70000x200", "600x100 110x100", "0x200", 101, 200},
		"a GPU that is free":                     {"0x200", "0x200", "4x200", "70x200", "0x200", 0, 0},
		"a GPU that works":                       {"99x200", "0.8x200", "70000x200", "600x200", "0x200", 0, 0},
		"a GPU that waits for its peers":         {"99x200", "0.1x200", "70000x200", "160x200", "0x200", 0, 0},
		"a GPU that is faulted":                  {"0x200", "0x200", "70000x200", "110x200", "0x49 48x150", 0, 0},
		"a GPU whose application failed":         {"0x200", "0x200", "70000x200", "110x200", "0x49 43x150", 1, 200},
		"a GPU whose samples end":                {"0x100", "0x100", "70000x100", "110x100", "0x100", 1, 107},
		"a process that does nothing, unmetered": {"0x200", "", "70000x200", "110x200", "0x200", 1, 200},
	} {
		t.Run(name, func(t *testing.T) {
			lines := gpuSeries(0, test.utilization, test.active, test.memory, test.power, test.xid)
			for i, fires := range firesAt(t, rule, 70, 190, 5, lines...) {
				at := 70 + 5*i
				require.Equal(t, at >= test.from && at <= test.to && test.to > 0, fires, "at %d", at)
			}
		})
	}
}
