package plugin_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

func TestPromQL_Range(t *testing.T) {
	_, address := newPlatform(t)
	got := frames(t, newDatasource(t, address, nil), values{"expr": "DCGM_FI_DEV_GPU_UTIL", "range": true, "legendFormat": "{{ vm_name }}/{{gpu}}"})
	require.Len(t, got, 64)
	require.Equal(t, "Expr: DCGM_FI_DEV_GPU_UTIL\nStep: 60s", got[0].Meta.ExecutedQueryString)
	require.EqualValues(t, 60_000, got[0].Meta.Custom.(prom.Custom).CalculatedMinStep)
	for i, frame := range got {
		if i > 0 {
			require.Empty(t, frame.Meta.ExecutedQueryString, "it is on the first frame alone")
			require.Zero(t, frame.Meta.Custom.(prom.Custom).CalculatedMinStep)
		}
		require.Equal(t, data.FrameTypeTimeSeriesMulti, frame.Meta.Type)
		require.Equal(t, data.FrameTypeVersion{0, 1}, frame.Meta.TypeVersion)
		require.Equal(t, "A", frame.RefID)
		times, value := frame.Fields[0], frame.Fields[1]
		require.Equal(t, 61, times.Len())
		require.Equal(t, noon.Add(-time.Hour), times.At(0))
		require.Equal(t, noon, times.At(60))
		require.EqualValues(t, 60_000, times.Config.Interval)
		require.Equal(t, "DCGM_FI_DEV_GPU_UTIL", value.Name)
		require.Equal(t, value.Labels["vm_name"]+"/"+value.Labels["gpu"], value.Config.DisplayNameFromDS)
	}
	require.NotEqual(t, got[0].Fields[1].Labels, got[1].Fields[1].Labels)
}

func TestPromQL_Instant(t *testing.T) {
	_, address := newPlatform(t)
	got := frames(t, newDatasource(t, address, nil), values{"expr": "count by (cluster_id) (DCGM_FI_DEV_GPU_UTIL)", "instant": true})
	require.Len(t, got, 1)
	require.Equal(t, data.FrameTypeNumericMulti, got[0].Meta.Type)
	require.Equal(t, noon, got[0].Fields[0].At(0))
	require.Equal(t, 64.0, got[0].Fields[1].At(0))
	require.Equal(t, []string{"cluster_id"}, keys(got[0].Fields[1].Labels))
}

func TestPromQL_InstantText(t *testing.T) {
	_, address := newPlatform(t)
	got := frames(t, newDatasource(t, address, nil), values{"expr": `"a string"`, "instant": true})
	require.Len(t, got, 1)
	require.Equal(t, data.FrameTypeTimeSeriesMulti, got[0].Meta.Type, "as of Grafana's Prometheus data source: it has no number")
}

func TestPromQL_RangeAndInstant(t *testing.T) {
	_, address := newPlatform(t)
	got := frames(t, newDatasource(t, address, nil), values{"expr": "sum(DCGM_FI_DEV_GPU_UTIL)", "range": true, "instant": true})
	require.Len(t, got, 2)
	require.Equal(t, data.FrameTypeTimeSeriesMulti, got[0].Meta.Type)
	require.Equal(t, data.FrameTypeNumericMulti, got[1].Meta.Type)
	require.Equal(t, got[0].Fields[1].At(60), got[1].Fields[1].At(0))
}

func TestPromQL_DefaultIsRange(t *testing.T) {
	_, address := newPlatform(t)
	got := frames(t, newDatasource(t, address, nil), values{"expr": "vector(1)"})
	require.Equal(t, data.FrameTypeTimeSeriesMulti, got[0].Meta.Type)
}

func TestPromQL_UnknownQueryType(t *testing.T) {
	_, address := newPlatform(t)
	got := frames(t, newDatasource(t, address, nil), values{"expr": "vector(3)", "queryType": "randomWalk"})
	require.Equal(t, 3.0, got[0].Fields[1].At(0))
}

func TestPromQL_Scalar(t *testing.T) {
	_, address := newPlatform(t)
	got := frames(t, newDatasource(t, address, nil), values{"expr": "42", "instant": true})
	require.Equal(t, 42.0, got[0].Fields[1].At(0))
	require.Equal(t, "42", got[0].Fields[1].Config.DisplayNameFromDS)
}

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

func TestPromQL_TableFormat(t *testing.T) {
	_, address := newPlatform(t)
	saved := values{"expr": `DCGM_FI_DEV_GPU_UTIL{gpu=~"[01]"} or vector(1)`, "instant": true, "format": "table"}
	got := frames(t, newDatasource(t, address, nil), saved)
	require.Len(t, got, 1)
	table := got[0]
	require.Equal(t, data.FrameTypeTable, table.Meta.Type)
	require.Equal(t, "Time", table.Fields[0].Name)
	require.Equal(t, "Value", table.Fields[len(table.Fields)-1].Name)
	require.Equal(t, 17, table.Rows())
	gpu, _ := table.FieldByName("gpu")
	require.NotNil(t, gpu)
	require.Equal(t, "0", gpu.At(0))
	require.Equal(t, "", gpu.At(16), "a series without the label has an empty cell")

	t.Run("range sorted by time", func(t *testing.T) {
		saved["range"], saved["instant"] = true, false
		table := frames(t, newDatasource(t, address, nil), saved)[0]
		require.Equal(t, 17*61, table.Rows())
		for i := 1; i < table.Rows(); i++ {
			require.False(t, table.Fields[0].At(i).(time.Time).Before(table.Fields[0].At(i-1).(time.Time)))
		}
	})
	t.Run("not for alert rules and expressions", func(t *testing.T) {
		for _, header := range []string{"FromAlert", "http_X-Grafana-From-Expr"} {
			response, err := newDatasource(t, address, nil).QueryData(context.Background(), &backend.QueryDataRequest{
				Headers: map[string]string{header: "true"}, Queries: []backend.DataQuery{dataQuery(t, "A", saved)},
			})
			require.NoError(t, err)
			require.Equal(t, data.FrameTypeTimeSeriesMulti, response.Responses["A"].Frames[0].Meta.Type)
		}
	})
}

func TestPromQL_HeatmapFormat(t *testing.T) {
	_, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	const expr = "sum by (le) (rate(vendor_vm_disk_read_latency_seconds_bucket[10m]))"
	got := frames(t, ds, values{"expr": expr, "format": "heatmap"})
	require.Len(t, got, 1)
	require.EqualValues(t, "heatmap-rows", got[0].Meta.Type)
	fields := got[0].Fields[1:]
	require.Greater(t, len(fields), 3)
	require.Equal(t, "+Inf", fields[len(fields)-1].Name)
	var total float64
	for _, field := range fields {
		alone := *field.At(30).(*float64)
		require.GreaterOrEqual(t, alone, 0.0)
		total += alone
	}
	cumulative := frames(t, ds, values{"expr": strings.Replace(expr, "_bucket", `_bucket{le="+Inf"}`, 1)})[0].Fields[1].At(30).(float64)
	// Counters are integers, so a bucket can increase by one less than the next lower bucket, which is drawn as 0.
	require.InEpsilon(t, cumulative, total, 1e-6, "the buckets add up to all there is")

	t.Run("without buckets", func(t *testing.T) {
		got := frames(t, ds, values{"expr": "vector(1)", "format": "heatmap"})
		require.Contains(t, got[0].Meta.Notices[0].Text, `without the label "le"`)
	})
}

func TestPromQL_EmptyResult(t *testing.T) {
	_, address := newPlatform(t)
	got := frames(t, newDatasource(t, address, nil), values{"expr": "no_such_metric"})
	require.Len(t, got, 1)
	require.Empty(t, got[0].Fields)
	require.Equal(t, data.FrameTypeTimeSeriesMulti, got[0].Meta.Type)
	require.Contains(t, got[0].Meta.ExecutedQueryString, "no_such_metric")
}

func TestPromQL_WarningsAndInfos(t *testing.T) {
	_, address := newPlatform(t)
	got := frames(t, newDatasource(t, address, nil), values{"expr": "rate(DCGM_FI_DEV_GPU_UTIL[5m])"})
	require.NotEmpty(t, got[0].Meta.Notices)
	require.Equal(t, data.NoticeSeverityInfo, got[0].Meta.Notices[0].Severity)
	require.Contains(t, got[0].Meta.Notices[0].Text, "might not be a counter")
}

func TestSteps(t *testing.T) {
	_, address := newPlatform(t)
	for name, test := range map[string]struct {
		saved  values
		span   time.Duration
		points int64
		want   string
	}{
		"never under the collection interval":                {values{"intervalMs": 15000}, time.Hour, 1000, "60s"},
		"unless the query says so":                           {values{"interval": "15s"}, time.Hour, 1000, "15s"},
		"the query's minimum":                                {values{"interval": "5m"}, time.Hour, 1000, "300s"},
		"a minimum in seconds without a unit":                {values{"interval": "120"}, time.Hour, 1000, "120s"},
		"the panel's interval":                               {values{"intervalMs": 120000}, time.Hour, 1000, "120s"},
		"as many points as the panel draws":                  {values{}, 24 * time.Hour, 100, "900s"},
		"at most 11,000 points":                              {values{"interval": "1s"}, 24 * time.Hour, 100000, "10s"},
		"the interval factor":                                {values{"interval": "1m", "intervalFactor": 5}, time.Hour, 1000, "300s"},
		"the rate interval as a step":                        {values{"interval": "$__rate_interval"}, time.Hour, 1000, "240s"},
		"a macro as a step is an automatic step":             {values{"interval": "${__interval}"}, time.Hour, 1000, "60s"},
		"a panel that does not say how many points it draws": {values{}, 30 * 24 * time.Hour, 0, "1800s"},
	} {
		t.Run(name, func(t *testing.T) {
			saved := values{"expr": "vector(1)"}
			for k, v := range test.saved {
				saved[k] = v
			}
			q := dataQuery(t, "A", saved)
			q.TimeRange.From, q.MaxDataPoints = noon.Add(-test.span), test.points
			response := runQueries(t, newDatasource(t, address, nil), q)["A"]
			require.NoError(t, response.Error)
			require.Equal(t, "Expr: vector(1)\nStep: "+test.want, response.Frames[0].Meta.ExecutedQueryString)
			require.LessOrEqual(t, response.Frames[0].Rows(), 11000)
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

func TestPromQL_ScopeFilters(t *testing.T) {
	_, address := newPlatform(t)
	saved := values{
		"expr":         "sum(DCGM_FI_DEV_GPU_UTIL) / sum(DCGM_FI_DEV_POWER_USAGE)",
		"scopes":       []values{{"name": "s", "filters": []values{{"key": "cluster_id", "operator": "regex-match", "value": ".+"}}}},
		"adhocFilters": []values{{"key": "gpu", "operator": "one-of", "values": []string{"0", "1"}}},
	}
	executed := frames(t, newDatasource(t, address, nil), saved)[0].Meta.ExecutedQueryString
	require.Equal(t, 2, strings.Count(executed, `{cluster_id=~".+",gpu=~"0|1"}`), executed)
}

func TestQueryData_OneFailure(t *testing.T) {
	p, address := newPlatform(t)
	ds := newDatasource(t, address, nil)
	queries := []backend.DataQuery{dataQuery(t, "bad", values{"expr": "sum("}), dataQuery(t, "type", values{"queryType": "nonsense"})}
	for i := range 20 {
		queries = append(queries, dataQuery(t, fmt.Sprint("good", i), values{"expr": fmt.Sprintf("vector(%d)", i)}))
	}
	got := runQueries(t, ds, queries...)
	require.Len(t, got, 22)
	require.Contains(t, got["bad"].Error.Error(), "parse error")
	require.Contains(t, got["type"].Error.Error(), "nonsense")
	for i := range 20 {
		response := got[fmt.Sprint("good", i)]
		require.NoError(t, response.Error)
		require.EqualValues(t, i, response.Frames[0].Fields[1].At(0))
	}
	require.Equal(t, 20, p.Counters().Count(platform.ServiceMetrics, "query_range", http.StatusOK))
}

func keys(labels data.Labels) []string {
	var names []string
	for name := range labels {
		names = append(names, name)
	}
	return names
}
