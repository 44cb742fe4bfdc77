package plugin_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"
)

func TestLegends(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	for name, test := range map[string]struct{ expr, format, want string }{
		"without a format the series names itself": {`sum by (gpu) (DCGM_FI_DEV_GPU_UTIL{gpu="3"})`, "", `{gpu="3"}`},
		"__auto leaves the naming to Grafana":      {`sum by (gpu) (DCGM_FI_DEV_GPU_UTIL{gpu="3"})`, "__auto", ""},
		"__auto without labels is the expression":  {`sum(DCGM_FI_DEV_GPU_UTIL) > 0`, "__auto", "sum(DCGM_FI_DEV_GPU_UTIL) > 0"},
		"a label that is not there is left out":    {`sum by (gpu) (DCGM_FI_DEV_GPU_UTIL{gpu="3"})`, "GPU {{gpu}}{{nope}}", "GPU 3"},
		"a label between blanks":                   {`sum by (gpu) (DCGM_FI_DEV_GPU_UTIL{gpu="3"})`, "{{ gpu }}", "3"},
		"braces that are none":                     {`sum by (gpu) (DCGM_FI_DEV_GPU_UTIL{gpu="3"})`, "{gpu} {{gpu} {{", "{gpu} {{gpu} {{"},
		"a name that gets too long is cut":         {`label_replace(vector(1), "x", "` + strings.Repeat("é", 600) + `", "", "")`, "a{{x}}", "a" + strings.Repeat("é", 499) + "…"},
		"a label's value is not read as a format":  {`label_replace(vector(1), "x", "{{y}}", "", "")`, "{{x}}", "{{y}}"},
	} {
		t.Run(name, func(t *testing.T) {
			value := frames(t, ds, values{"expr": test.expr, "legendFormat": test.format})[0].Fields[1]
			if test.want == "" {
				require.Nil(t, value.Config)
				return
			}
			require.Equal(t, test.want, value.Config.DisplayNameFromDS)
		})
	}
}

func TestPromQL_RangeAlignment(t *testing.T) {
	_, address := newPlatform(t)
	q := dataQuery(t, "A", values{"expr": "vector(1)", "interval": "1d", "utcOffsetSec": 2 * 3600})
	q.TimeRange = backend.TimeRange{From: noon.Add(-75 * time.Hour), To: noon}
	times := runQueries(t, newDatasource(t, address, nil), q)["A"].Frames[0].Fields[0]
	require.Equal(t, time.Date(2025, 5, 29, 22, 0, 0, 0, time.UTC), times.At(0), "midnight two hours east of Greenwich")
	require.Equal(t, time.Date(2025, 6, 1, 22, 0, 0, 0, time.UTC), times.At(times.Len()-1))
}

func TestMacros(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	for macro, want := range map[string]string{
		"__interval": "2m", "__interval_ms": "120000", "__rate_interval": "8m", "__range": "3600s", "__range_s": "3600", "__range_ms": "3600000",
	} {
		for _, written := range []string{"$" + macro, "${" + macro + "}"} {
			t.Run(written, func(t *testing.T) {
				expr := fmt.Sprintf(`label_replace(vector(1), "x", %q, "", "")`, "$"+written)
				// The label's value is a template for the engine too: its "$" is doubled, ours is gone.
				saved := values{"expr": strings.Replace(expr, "$"+written, written, 1), "interval": "2m"}
				require.Equal(t, want, frames(t, ds, saved)[0].Fields[1].Labels["x"])
			})
		}
	}
	t.Run("samples within the rate interval", func(t *testing.T) {
		got := frames(t, ds, values{"expr": "sum(rate(vendor_vm_network_receive_bytes_total[$__rate_interval]))"})
		require.Equal(t, 61, got[0].Rows())
		require.False(t, math.IsNaN(got[0].Fields[1].At(0).(float64)))
	})
	t.Run("scrape interval of the settings", func(t *testing.T) {
		slow := newDatasource(t, address, values{"timeInterval": "5m"})
		require.Contains(t, frames(t, slow, values{"expr": "rate(x[$__rate_interval])"})[0].Meta.ExecutedQueryString, "rate(x[20m])")
	})
}
