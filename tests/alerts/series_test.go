package alerts_test

import (
	"cmp"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/scenes"
)

// series is a data source whose metrics service has the series given, in the notation of Prometheus' tests: a sample a
// minute from the time 0 on.
func series(t *testing.T, lines ...string) *plugin.Datasource {
	t.Helper()
	storage, err := scenes.Storage(time.Unix(0, 0), time.Minute, lines...)
	require.NoError(t, err)
	server := httptest.NewServer(scenes.API(storage, func() time.Time { return minute(0) }))
	t.Cleanup(server.Close)
	jsonData := map[string]any{"metricsUrl": server.URL, "cache": map[string]any{"enabled": false}}
	return datasource.New(t, jsonData, map[string]string{"monitoringToken": "token"})
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
				require.Equal(t, code, fmt.Sprint(fired[0].values["A"]), "at %d", at)
				readable(t, rule, fired)
			}
			for _, at := range test.quiet {
				require.Empty(t, inState(evaluate(t, ds, rule, minute(at)), alerting), "at %d", at)
			}
		})
	}
}
