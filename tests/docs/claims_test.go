package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
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

// docs/reference/alert-rules.md: the table says in which part of a rule each number is.
func TestThresholdsAreWhereTheTableSays(t *testing.T) {
	parts := map[string]map[string]string{}
	files, err := filepath.Glob("../../provisioning/alerting/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		var saved struct {
			Groups []struct {
				Rules []struct {
					Title string
					Data  []struct {
						RefID string `yaml:"refId"`
						Model yaml.Node
					}
				}
			}
		}
		require.NoError(t, yaml.Unmarshal(content, &saved))
		for _, group := range saved.Groups {
			for _, rule := range group.Rules {
				parts[rule.Title] = map[string]string{}
				for _, part := range rule.Data {
					text, err := yaml.Marshal(&part.Model)
					require.NoError(t, err)
					parts[rule.Title][part.RefID] = string(text)
				}
			}
		}
	}
	rows := regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\(#[^)]+\) +\|[^|]+\|([^|]+)\|[^|]*\|$`).FindAllStringSubmatch(readDocument(t, "docs/reference/alert-rules.md"), -1)
	require.Len(t, rows, len(parts))
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			require.Contains(t, parts, row[1])
			where := ""
			// From the end, because "`< 5` and `> 8192` in A" names the part after both.
			tunes := regexp.MustCompile("`([^`]+)`(?: in ([A-D]))?").FindAllStringSubmatch(row[2], -1)
			for i := len(tunes) - 1; i >= 0; i-- {
				if tunes[i][2] != "" {
					where = tunes[i][2]
				}
				require.Regexp(t, regexp.MustCompile(`(^|[^\w.])`+regexp.QuoteMeta(tunes[i][1])+`($|[^\w.])`), parts[row[1]][where])
			}
		})
	}
}
