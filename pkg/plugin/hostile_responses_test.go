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
	var named, warnings []string
	for i := range 4_000 {
		named = append(named, fmt.Sprintf(`{"metric":{"label_%d":"x"},"values":[[%d,"1"]]}`, i, noon.Unix()))
	}
	for i := range 20 {
		warnings = append(warnings, fmt.Sprintf(`"%d %s"`, i, strings.Repeat("a b", 100_000)))
	}
	long := strings.Repeat("x", 1<<20)
	rows := make([]string, 65)
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
		"a table of long labels":              {resultOf("matrix", `{"metric":{"a":"`+long+long+`"},"values":[`+strings.Join(rows, ",")+`]}`), values{"expr": "up", "format": "table"}, "", "Query: the result has more than 128 MB of text, with labels and names."},
		"native histograms without buckets":   {resultOf("matrix", `{"metric":{},"histograms":[`+repeatedElements("[0,{}]", 600_000)+`]}`), values{"expr": "up"}, "", "has more than 500000 points"},
		"those of an instant query":           {resultOf("matrix", `{"metric":{},"histograms":[`+repeatedElements("[0,{}]", 100_000)+`]}`, `{"metric":{"a":"b"},"histograms":[`+repeatedElements("[0,{}]", 600_000)+`]}`), values{"expr": "up[1h]", "instant": true}, "", "has more than 500000 points"},
		"long warnings":                       {strings.TrimSuffix(resultOf("matrix"), "}") + `,"warnings":[` + strings.Join(warnings, ",") + `]}`, values{"expr": "up"}, "", "a ba b"},
		"a label of 1 MiB":                    {resultOf("matrix", `{"metric":{"a":"`+long+`x"},"values":[[1748865600,"1"]]}`), values{"expr": "up"}, "", ""},
		"a label of more than 4 MB":           {resultOf("matrix", `{"metric":{"a":"`+strings.Repeat(long, 4)+`xx"},"values":[[1748865600,"1"]]}`), values{"expr": "up"}, "", "sent a text of more than 4 MB"},
		"a metric of many parts":              {`{"status":"success","data":["` + metric + `"]}`, nil, "api/v1/metadata", metric},
		"many metrics":                        {`{"status":"success","data":[` + repeatedElements(`""`, 1_000_000) + `]}`, nil, "api/v1/metadata", "The list has more than 500000 entries"},
		"a list of labels that is a megabyte": {`{"status":"success","data":["` + long + `"]}`, nil, "api/v1/labels", long},
	} {
		t.Run(name, func(t *testing.T) {
			address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, test.body) })
			ds := newDatasource(t, address, values{"cache": uncached, "maxPoints": 500_000})
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

// Texts of a job are in every row and label of a result.
func TestHostile_TextsOfJobs(t *testing.T) {
	created := noon.Add(-30 * time.Minute).Unix()
	var events, checkpoints, metrics []string
	for i := range 500 {
		events = append(events, fmt.Sprintf(`{"id":"e%d","created_at":%d,"message":"The job has failed: %s"}`, i, created, strings.Repeat("a ", 900)))
		checkpoints = append(checkpoints, fmt.Sprintf(`{"id":"c%d","created_at":%d,"metrics":{"train_loss":1}}`, i, created))
		metrics = append(metrics, fmt.Sprintf(`{"metric_name":"m%d","data":[{"value":1,"timestamp":%d}]}`, i, created))
	}
	bodies := map[string]string{
		"events": `{"data":[` + strings.Join(events, ",") + `]}`, "checkpoints": `{"data":[` + strings.Join(checkpoints, ",") + `]}`,
		"metrics": `{"metrics":[` + strings.Join(metrics, ",") + `]}`,
	}
	job := `{"id":"a","status":"running","created_at":` + fmt.Sprint(created) + `,"model":"` + strings.Repeat("m", 300_000) + `"}`
	for queryType, want := range map[string]string{
		"fineTuningEvents":      "Query: the result has more than 128 MB of text, with labels and names.",
		"fineTuningCheckpoints": "Query: the result has more than 128 MB of text, with labels and names.",
		"fineTuningCurves":      "Query: the result has more than 128 MB of text, with labels and names.",
	} {
		address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
			if body, ok := bodies[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]; ok {
				_, _ = io.WriteString(w, body)
				return
			}
			_, _ = io.WriteString(w, `{"data":[`+job+`]}`)
		})
		ds := newDatasourceWith(t, address, values{"intelligenceUrl": address}, map[string]string{"inferenceApiKey": "k"})
		budgettest.Within(t, time.Second, allocated, func() {
			require.ErrorContains(t, runQueries(t, ds, dataQuery(t, "A", values{"queryType": queryType}))["A"].Error, want, queryType)
		})
	}
}

// An archive whose responses are no series, or have other label names in each, has an error or a short notice.
func TestHostile_Archive(t *testing.T) {
	t.Parallel()
	older := noon.AddDate(0, 0, -60)
	var named []string
	for i := range 500 {
		named = append(named, fmt.Sprintf(`{"metric":{"%s%d":"x"},"values":[[%d,"1"]]}`, strings.Repeat("l", 1_000), i, older.Unix()))
	}
	platform := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, aMatrix) })
	for _, body := range []string{
		resultOf("string", "1", `"x"`), resultOf("matrix", named...), resultOf("scalar", `1`, `"1"`), resultOf("vector", `{"metric":{"a":"b"},"value":[1,"1"]}`),
	} {
		archive := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		ds := newDatasource(t, platform, values{"archive": values{"url": archive}})
		for _, format := range []string{"time_series", "table", "heatmap"} {
			q := dataQuery(t, "A", values{"expr": "up", "format": format})
			q.TimeRange = backend.TimeRange{From: time.Now().AddDate(0, 0, -60), To: time.Now()}
			got := runQueries(t, ds, q)["A"]
			if got.Error == nil {
				_, err := got.Frames.MarshalArrow()
				require.NoError(t, err)
				require.Less(t, len(noticeTexts(got.Frames[0])), 3_000)
			}
		}
	}
}
