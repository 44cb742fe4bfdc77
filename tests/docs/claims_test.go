package docs_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
)

// docs/alerting.md, Rules of your own: which queries an alert rule can evaluate.
func TestQueriesInAlertRules(t *testing.T) {
	ds := newDemo(t)
	list := object{"queryType": "platform", "path": "/v1/capacities"}
	timed := object{"queryType": "platform", "path": "/v1/organizations/{organizationId}/usage", "timeColumn": "start_time"}
	saved := map[string][]object{
		"metrics":          {{"expr": "avg(DCGM_FI_DEV_GPU_TEMP)", "instant": true}, {"expr": "DCGM_FI_DEV_GPU_TEMP", "range": true}},
		"fineTuningJobs":   {{}, {"format": "timeline"}, {"format": "countByJob"}},
		"fineTuningCurves": {{"statuses": []string{"running"}}}, // of at most 50 jobs
		"capacities":       {{}, {"format": "number"}},
		"platform":         {list, timed},
		"placement":        {{"gpus": 1}, {"format": "number"}, {"gpus": 1, "format": "answer"}},
		"runs":             {{"measures": []string{"gpus"}}, {"measures": []string{"gpus"}, "format": "table"}},
		"trainingHealth":   {{}, {"format": "eta"}, {"format": "number"}},
		"runComparison":    {{"metric": "train_loss", "maxRuns": 200}}, "runAnnotations": {{"source": object{"kind": "fineTuning", "statuses": []string{"running"}}}},
		"fineTuningCheckpoints": {{}}, "trainingFiles": {{}}, "fineTuningEvents": {{}}, "fineTuningAnnotations": {{"show": []string{"jobs"}, "statuses": []string{"running"}}},
	}
	documented := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`.+?) +\\| (yes|no)\\b").FindAllStringSubmatch(readDocument(t, "docs/alerting.md"), -1) {
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[1], -1) {
			documented++
			queries, known := saved[name[1]]
			require.True(t, known, "%s is a query type", name[1])
			for _, query := range queries {
				query["queryType"] = name[1]
				response := run(t, ds, query, 7*24*time.Hour, map[string]string{backend.FromAlertHeaderName: "true"})
				require.NoError(t, response.Error, "%v", query)
				require.NotZero(t, response.Frames[0].Rows(), "%v", query)
				require.Equal(t, row[2] == "yes", areNumbers(response.Frames), "%v", query)
			}
		}
	}
	require.Equal(t, len(saved), documented, "query types in the table")
}

// areNumbers reports whether server-side expressions take the frames: a number or a time series each, and no text.
func areNumbers(frames data.Frames) bool {
	for _, frame := range frames {
		for _, field := range frame.Fields {
			if !field.Type().Numeric() && !field.Type().Time() {
				return false
			}
		}
		if schema := frame.TimeSeriesSchema(); schema.Type != data.TimeSeriesTypeWide && frame.Rows() != 1 {
			return false
		}
	}
	return true
}
