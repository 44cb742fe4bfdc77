package plugin_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
)

// resultOf is a matrix, vector or other result of these elements.
func resultOf(kind string, elements ...string) string {
	return `{"status":"success","data":{"resultType":"` + kind + `","result":[` + strings.Join(elements, ",") + `]}}`
}

// repeatedElements is the same element of a list so many times.
func repeatedElements(element string, n int) string {
	return strings.TrimSuffix(strings.Repeat(element+",", n), ",")
}

// allocated is what is allocated in all, of which at most a third is in use at a time.
const allocated = 200 << 20

// A small response, or a query that makes the platform send one, does not become a large result.
func TestHostile_Responses(t *testing.T) {
	var named, buckets, warnings []string
	for i := range 4_000 {
		named = append(named, fmt.Sprintf(`{"metric":{"label_%d":"x"},"values":[[%d,"1"]]}`, i, noon.Unix()))
	}
	for i := range 500 {
		var samples []string
		for n := range 50 {
			samples = append(samples, fmt.Sprintf(`[%d.%03d,"1"]`, noon.Unix()-int64(n), i))
		}
		buckets = append(buckets, fmt.Sprintf(`{"metric":{"le":"%d"},"values":[%s]}`, i, strings.Join(samples, ",")))
	}
	for i := range 20 {
		warnings = append(warnings, fmt.Sprintf(`"%d %s"`, i, strings.Repeat("a b", 100_000)))
	}
	long := strings.Repeat("x", 1<<20)
	rows := make([]string, 60)
	for i := range rows {
		rows[i] = fmt.Sprintf(`[%d,"1"]`, noon.Unix()-int64(60*i))
	}
	metric := strings.Repeat("a_", 50_000)
	for name, test := range map[string]struct {
		body     string
		saved    values
		resource string
		want     string // of the error, or of the first notice, or of the resource's response
	}{
		"no label of a series is another's":   {resultOf("matrix", named...), values{"expr": "up", "packed": true}, "", ""},
		"a table of long labels":              {resultOf("matrix", `{"metric":{"a":"`+long+long+`"},"values":[`+strings.Join(rows, ",")+`]}`), values{"expr": "up", "format": "table"}, "", "Format: as a table the result has 120 MB of labels in its rows, and the limit is 64 MB."},
		"a heatmap of times that differ":      {resultOf("matrix", buckets...), values{"expr": "up[1h]", "instant": true, "format": "heatmap"}, "", "Format: as a heatmap the result has more than 2000000 cells, the limit."},
		"native histograms without buckets":   {resultOf("matrix", `{"metric":{},"histograms":[`+repeatedElements("[0,{}]", 1_000_000)+`]}`), values{"expr": "up"}, "", "has 1000000 points"},
		"those of an instant query":           {resultOf("matrix", `{"metric":{},"histograms":[`+repeatedElements("[0,{}]", 100_000)+`]}`, `{"metric":{"a":"b"},"histograms":[`+repeatedElements("[0,{}]", 6_000_000)+`]}`), values{"expr": "up[1h]", "instant": true}, "", "has 6100000 points"},
		"long warnings":                       {strings.TrimSuffix(resultOf("matrix"), "}") + `,"warnings":[` + strings.Join(warnings, ",") + `]}`, values{"expr": "up"}, "", "a ba b"},
		"a label of 1 MiB":                    {resultOf("matrix", `{"metric":{"a":"`+long+`x"},"values":[[1748865600,"1"]]}`), values{"expr": "up"}, "", ""},
		"a label of more than 4 MB":           {resultOf("matrix", `{"metric":{"a":"`+strings.Repeat(long, 4)+`xx"},"values":[[1748865600,"1"]]}`), values{"expr": "up"}, "", "sent a text of more than 4 MB"},
		"a metric of many parts":              {`{"status":"success","data":{"` + metric + `":[{"type":"gauge"}]}}`, nil, "api/v1/metadata", metric},
		"many descriptions of a metric":       {`{"status":"success","data":{"up":[` + repeatedElements("{}", 1_000_000) + `]}}`, nil, "api/v1/metadata", "The list has 1000000 entries, and the limit is 500000."},
		"a list of labels that is a megabyte": {`{"status":"success","data":["` + long + `"]}`, nil, "api/v1/labels", long},
	} {
		t.Run(name, func(t *testing.T) {
			address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, test.body) })
			ds := newDatasource(t, address, values{"cache": uncached})
			budgettest.Within(t, time.Second, allocated, func() {
				if test.resource != "" {
					_, body := resource(t, ds, &backend.CallResourceRequest{Path: test.resource})
					require.Contains(t, body, test.want)
					return
				}
				got := runQueries(t, ds, dataQuery(t, "A", test.saved))["A"]
				if got.Error != nil {
					require.NotEmpty(t, test.want, got.Error)
					require.ErrorContains(t, got.Error, test.want)
					return
				}
				_, err := got.Frames.MarshalArrow()
				require.NoError(t, err)
				if test.want != "" {
					require.Contains(t, got.Frames[0].Meta.Notices[0].Text, test.want)
				}
			})
		})
	}
}
