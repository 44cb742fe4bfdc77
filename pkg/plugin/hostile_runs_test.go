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

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
)

// seriesWithGaps is a platform with series of which each sample is a run, because of the gap that follows. Other queries have no
// result.
func seriesWithGaps(t *testing.T, series, runsEach int, now time.Time) *plugin.Datasource {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"status":"success","data":{"resultType":"matrix","result":[`)
	for i := range series {
		for _, edge := range []string{"min", "max"} {
			if b.Len() > 80 {
				b.WriteByte(',')
			}
			_, _ = fmt.Fprintf(&b, `{"metric":{"pod":"pod-%05d","edge_of_run":%q},"values":[`, i, edge)
			for n := range runsEach {
				at := now.Add(-time.Duration(runsEach-n) * 30 * time.Minute).Unix()
				if n > 0 {
					b.WriteByte(',')
				}
				_, _ = fmt.Fprintf(&b, `[%d,"%d"]`, at, at-60)
			}
			b.WriteString("]}")
		}
	}
	b.WriteString("]}}")
	body := b.String()
	return newDatasource(t, serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Query().Get("query"), "timestamp(") {
			_, _ = io.WriteString(w, body)
			return
		}
		_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
	}), values{"cache": uncached})
}

// Runs are limited while they are found, and chosen ids are looked up, not compared with each run.
func TestHostile_RunsOfSeries(t *testing.T) {
	now := time.Now().Truncate(time.Hour)
	var ids []string
	for n := range 2000 {
		ids = append(ids, "pod-00000@@"+now.Add(-time.Duration(n)*30*time.Minute).UTC().Format("2006-01-02T15:04"))
	}
	for name, test := range map[string]struct {
		series, runsEach int
		chosen           []string
		says             string
	}{
		"1,440 runs of each of 200 series": {200, 1440, nil, "Only the newest 200 of 287800 runs are used."},
		"10,000 series of 10 runs":         {10_000, 10, nil, "Only the newest 200 of 100000 runs are used."},
		"2,000 chosen runs of one series":  {1, 1440, ids, "Only the newest 200 of 1439 runs are used."},
	} {
		t.Run(name, func(t *testing.T) {
			ds := seriesWithGaps(t, test.series, test.runsEach, now)
			q := dataQuery(t, "A", values{"queryType": "runs", "source": podSourceOf("loss", "pod"), "selector": "{}", "measures": []string{}, "runs": test.chosen})
			q.TimeRange = backend.TimeRange{From: now.Add(-30 * 24 * time.Hour), To: now}
			var got backend.DataResponse
			budgettest.Within(t, time.Second, 50<<20, func() {
				got = runQueries(t, ds, q)["A"]
				require.NoError(t, got.Error)
				require.Equal(t, 200, got.Frames[0].Rows())
				require.Contains(t, noticeTexts(got.Frames[0]), test.says)
			})
			start, _ := got.Frames[0].FieldByName("start")
			newest, _ := start.ConcreteAt(0)
			require.Equal(t, now.Add(-31*time.Minute).UTC(), newest)
		})
	}
}

func podSourceOf(expr string, by ...string) values {
	return values{"kind": "series", "expr": expr, "by": by}
}
