package jobs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
)

func texts(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(prefix, i)
	}
	return all
}

func TestLimits_QueryOptions(t *testing.T) {
	client := newClient(t, &gateway{jobs: manyJobs(3)})
	ofJobs := slices.DeleteFunc(jobs.QueryTypes(), func(queryType string) bool { return queryType == "trainingFiles" })
	for option, types := range map[string][]string{
		"jobIds": ofJobs, "statuses": ofJobs, "models": ofJobs, "metrics": {"fineTuningCurves"}, "levels": {"fineTuningEvents"}, "purposes": {"trainingFiles"},
	} {
		for name, test := range map[string]struct {
			list any
			says string
		}{
			"too many values":              {texts("v", 2001), "has more than 2000 values. Choose fewer, or all."},
			"too many, as a variable does": {"{" + strings.Join(texts("v", 2001), ",") + "}", "has more than 2000 values. Choose fewer, or all."},
			"a value that is too long":     {[]string{strings.Repeat("x", 257)}, "has a value of more than 256 characters."},
		} {
			for _, queryType := range types {
				_, err := try(t, client, queryType, object{option: test.list})
				var written *query.Error
				require.ErrorAs(t, err, &written, name)
				require.EqualError(t, err, fmt.Sprintf("Query: field %q %s", option, test.says), name)
			}
		}
	}
	frames := fetch(t, client, "fineTuningJobs", object{"statuses": append(texts("v", 1999), "SUCCEEDED"), "models": texts(strings.Repeat("é", 250), 10), "onlyInRange": false})
	require.Zero(t, frames[0].Rows())
	frames = fetch(t, client, "fineTuningJobs", object{"statuses": append(texts("v", 1999), "SUCCEEDED"), "onlyInRange": false})
	require.Equal(t, 3, frames[0].Rows(), "letter case does not matter")
}

func TestLimits_Counts(t *testing.T) {
	client := newClient(t, &gateway{jobs: manyJobs(3)})
	_, err := try(t, client, "fineTuningJobs", object{"format": "count", "statuses": texts("s", 2000), "models": append(texts("m", 1999), "llama-8b")})
	var written *query.Error
	require.ErrorAs(t, err, &written)
	require.ErrorContains(t, err, "at most 1000")
	require.Len(t, fetch(t, client, "fineTuningJobs", object{"format": "count", "statuses": texts("s", 10), "models": texts("m", 100)}), 1000)
}

func TestLimits_Checkpoints(t *testing.T) {
	g := &gateway{jobs: manyJobs(51), checkpoints: map[string]any{}}
	for i := range 51 {
		var detailList []any
		for n := range 1001 {
			detailList = append(detailList, object{"id": fmt.Sprintf("%d-%d", i, n), "step_number": n})
		}
		g.checkpoints[fmt.Sprintf("job-%05d", i)] = detailList
	}
	frames := fetch(t, newClient(t, g), "fineTuningCheckpoints", nil)
	require.Contains(t, notices(frames), "more than 1000 checkpoints of a job")
	require.Equal(t, 50000, frames[0].Rows())
	require.Contains(t, notices(frames), "Only the first 50000 of 51000 checkpoints are shown")
}

func TestLimits_Notices(t *testing.T) {
	g := &gateway{jobs: manyJobs(40), series: map[string]any{}}
	for i := range 40 {
		g.series[fmt.Sprintf("job-%05d", i)] = object{"metrics": []any{object{"metric_name": "loss", "data": []any{
			object{"value": 1}, object{"value": 1, "timestamp": ago(2 * time.Hour)},
		}}}}
	}
	frames := fetch(t, newClient(t, g), "fineTuningCurves", nil)
	require.Len(t, frames, 40)
	require.Len(t, frames[0].Meta.Notices, 21)
	require.Contains(t, notices(frames), "There are more notices")
}

// The cost of a query is bounded for all options. The gateway's responses are small here.
const (
	maxProcessorTime = 100 * time.Millisecond
	maxAllocated     = 10 << 20
)

// withinBudget runs one query of each type and checks its cost.
func withinBudget(t *testing.T, client *jobs.Client, saved []byte) {
	t.Helper()
	for _, queryType := range jobs.QueryTypes() {
		budgettest.Within(t, maxProcessorTime, maxAllocated, func() {
			frames, err := queryData(client, t.Context(), queryType, backend.DataQuery{RefID: "A", JSON: saved, TimeRange: backend.TimeRange{
				From: noon.Add(-24 * time.Hour), To: noon,
			}}, false)
			forUsers(t, err)
			if err == nil {
				_, err = frames.MarshalArrow()
				require.NoError(t, err, queryType)
			}
		})
	}
}

// costly are queries that would take long without bounds of their options.
func costly(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for name, saved := range map[string]object{
		"20,000 job ids":               {"jobIds": texts("ftjob-", 20_000)},
		"20,000 job ids in a text":     {"jobIds": "{" + strings.Join(texts("ftjob-", 20_000), ",") + "}"},
		"as many as there may be":      {"jobIds": texts("job-0", 2000)},
		"statuses and models":          {"statuses": texts("s", 2000), "models": texts("m", 2000), "format": "count"},
		"metrics":                      {"metrics": texts("metric ", 2000)},
		"levels and purposes":          {"levels": texts("l", 2000), "purposes": texts("p", 2000)},
		"commas":                       {"jobIds": strings.Repeat(",", 200_000)},
		"long values":                  {"jobIds": []string{strings.Repeat("x", 200_000)}},
		"a long format":                {"format": strings.Repeat("<", 200_000)},
		"a member that isn't known":    {"more": strings.Repeat("x", 200_000)},
		"values that are all the same": {"jobIds": strings.Repeat("a,", 100_000)},
	} {
		raw, err := json.Marshal(saved)
		require.NoError(t, err)
		all[name] = raw
	}
	all["brackets"] = []byte(`{"jobIds":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}")
	return all
}

// FuzzQueryCost runs the costly queries without -fuzz, too.
func FuzzQueryCost(f *testing.F) {
	for _, saved := range costly(f) {
		f.Add(saved)
	}
	f.Add([]byte(`{"statuses":["running"],"format":"timeline","show":["checkpoints"]}`))
	g := &gateway{jobs: manyJobs(20)}
	g.withEmptyDetails()
	client := newClient(f, g)
	f.Fuzz(func(t *testing.T, saved []byte) { withinBudget(t, client, saved) })
}
