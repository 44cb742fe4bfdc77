package plugin_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/platform"
)

// cut is a query of whose result something is left out.
type cut struct {
	saved values
	// bodies are the responses, by a part of the request's address; of several parts the last one in it counts.
	bodies map[string]string
}

// jobsOf are n jobs that have run for an hour.
func jobsOf(n int) string {
	all := make([]values, n)
	for i := range all {
		all[i] = values{"id": fmt.Sprintf("job-%05d", i), "status": "running", "created_at": noon.Add(-3600e9).Unix()}
	}
	return encode(values{"data": all, "has_more": false})
}

func detailsOf(n int, write func(i int) values) string {
	all := make([]values, n)
	for i := range all {
		all[i] = write(i)
	}
	return encode(values{"data": all, "has_more": false})
}

func itemsOf(n int, write func(i int) values) string {
	all := make([]values, n)
	for i := range all {
		all[i] = write(i)
	}
	return encode(values{"items": all, "next_token": "more"})
}

// matrixOf are n series with two points, as a vector if a query is for one.
func matrixOf(kind string, n int) string {
	var all []string
	for i := range n {
		sample := fmt.Sprintf(`"values":[[%d,"1"],[%d,"2"]]`, noon.Unix()-120, noon.Unix()-60)
		if kind == "vector" {
			sample = fmt.Sprintf(`"value":[%d,"1"]`, noon.Unix())
		}
		all = append(all, fmt.Sprintf(`{"metric":{"a":"%d"},%s}`, i, sample))
	}
	return `{"status":"success","data":{"resultType":"` + kind + `","result":[` + strings.Join(all, ",") + `]}}`
}

// cuts are the formats of the texts that say what is left out, and a query of each.
func cuts() map[string]cut {
	jobs := func(saved values) values { saved["onlyInRange"] = false; return saved }
	metrics := func(n int) values {
		all := values{}
		for i := range n {
			all[fmt.Sprint("m", i)] = 1
		}
		return all
	}
	texts := func(n int) values {
		all := values{"a": 1}
		for i := range n {
			all[fmt.Sprint("m", i)] = "x"
		}
		return all
	}
	capacity := func(i int) values {
		return values{"type": fmt.Sprint("a", i), "location": "b", "quantity": 1, "quota_type": "q"}
	}
	oneRun := func(saved values) values {
		saved["queryType"], saved["source"] = "runs", values{"kind": "manual", "runs": []values{{"name": "a", "from": "now-2h", "to": "now-1h"}}}
		return saved
	}
	return map[string]cut{
		"%s Choose jobs by id to see others.": {
			jobs(values{"queryType": "fineTuningJobs", "format": "count"}), map[string]string{"fine_tuning": jobsOf(2001)}},
		"The gateway says that it has more jobs than it lists.": {
			jobs(values{"queryType": "fineTuningJobs", "format": "count"}), map[string]string{"fine_tuning": strings.Replace(jobsOf(1), "false", "true", 1)}},
		"The gateway has more than %d files; the others are left out.": {
			values{"queryType": "trainingFiles"}, map[string]string{"files": detailsOf(2001, func(i int) values { return values{"id": fmt.Sprint(i)} })}},
		"Only %s of the newest %d of %d jobs are shown. Choose statuses, models or jobs to see others.": {
			values{"queryType": "fineTuningCurves"}, map[string]string{"fine_tuning": jobsOf(51), "/job-": `{"data":[]}`}},
		"Only the first %d of %d metrics are shown.": {
			values{"queryType": "fineTuningCheckpoints"}, map[string]string{"fine_tuning": jobsOf(1), "/checkpoints": encode(values{"data": []values{{"id": "c", "created_at": noon.Unix() - 60, "metrics": metrics(101)}}})}},
		"Only %d of %d curves are shown. Choose jobs or metrics to see others.": {
			values{"queryType": "fineTuningCurves"}, map[string]string{"fine_tuning": jobsOf(1), "/checkpoints": encode(values{"data": []values{
				{"id": "c", "created_at": noon.Unix() - 60, "metrics": metrics(1000)}, {"id": "d", "created_at": noon.Unix() - 60, "metrics": values{"one more": 1}}}})}},
		"The gateway has more than %d checkpoints of a job; the others are left out.": {
			values{"queryType": "fineTuningCheckpoints"}, map[string]string{"fine_tuning": jobsOf(1), "/checkpoints": detailsOf(1001, func(i int) values { return values{"id": fmt.Sprint(i), "metrics": values{"a": 1}} })}},
		"The gateway has more than %d events of a job; older ones are left out.": {
			values{"queryType": "fineTuningEvents"}, map[string]string{"fine_tuning": jobsOf(1), "/events": detailsOf(5001, func(i int) values {
				return values{"id": fmt.Sprint(i), "created_at": noon.Unix() - 60, "message": "x"}
			})}},
		"Only the newest %d of %d jobs are looked at. Choose jobs or statuses to see others.": {
			values{"queryType": "runs", "source": values{"kind": "fineTuning"}, "selector": "{}", "measures": []string{"gpus"}},
			map[string]string{"fine_tuning": jobsOf(210), "/job-": `{"data":[]}`, "query": matrixOf("vector", 0)}},
		"Only the first %d of %d members are shown as columns. Choose columns to see others.": {
			values{"queryType": "platform", "path": "/v1/x"}, map[string]string{"/v1/x": encode(values{"items": []values{texts(60)}})}},
		"Only the first %d pages are shown. Narrow the parameters, or raise Max pages, up to %d.": {
			values{"queryType": "platform", "path": "/v1/x", "maxPages": 1}, map[string]string{"/v1/x": itemsOf(1, func(int) values { return values{"a": 1} })}},
		"The platform names a page as the next one that has been read already; the list may be incomplete.": {
			values{"queryType": "capacities"}, map[string]string{"next_token": strings.Replace(itemsOf(1, capacity), "a0", "b", 1), "/v1/capacities": itemsOf(1, capacity)}},
		"%s are not all considered: %s": {
			values{"queryType": "placement", "gpus": 1, "format": "number"}, map[string]string{
				"/v1/capacities": itemsOf(1, capacity),
				"/vms/types":     `{"items":[{"product_name":"a0","num_gpu":1}]}`, "/quotas": `{"items":[{"name":"q","available":9}]}`, "query": matrixOf("vector", 0)}},
		"Only the first %d products are considered. Choose GPU types or locations.": {
			values{"queryType": "placement", "gpus": 1, "format": "number"}, map[string]string{
				"/v1/capacities": strings.Replace(itemsOf(2001, capacity), `"more"`, `""`, 1),
				"/vms/types":     `{"items":[{"product_name":"a0","num_gpu":1}]}`, "/quotas": `{"items":[{"name":"q","available":9}]}`, "query": matrixOf("vector", 0)}},
		`Which GPUs %s had is not known: %s. So there are no numbers of them. Select GPUs by a label of the run, for example nodepool_name="$node_pool", or all with {}.`: {
			oneRun(values{"selector": `a=~"` + strings.Repeat("x", 3000) + `"`, "measures": []string{"gpus"}}), map[string]string{"query": matrixOf("vector", 0)}},
		"Only %d of %d curves are shown. Choose fewer runs, or aggregate the expression, for example with avg().": {
			values{"queryType": "runComparison", "source": values{"kind": "manual", "runs": []values{{"name": "a", "from": "now-2h", "to": "now-1h"}}}, "expr": "x"},
			map[string]string{"query_range": strings.ReplaceAll(matrixOf("matrix", 1001), fmt.Sprint(noon.Unix()-120), fmt.Sprint(noon.Unix()-5400))}},
	}
}

func dataSourceOfBodies(t *testing.T, bodies map[string]string) backend.QueryDataHandlerFunc {
	t.Helper()
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		found, last := "", -1
		for part := range bodies {
			if at := strings.Index(r.URL.String(), part); at > last {
				found, last = part, at
			}
		}
		if found == "" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(bodies[found]))
	})
	ds := newDatasourceWith(t, address, values{"intelligenceUrl": address, "accessKeyId": platform.DefaultAccessKeyID}, map[string]string{
		"monitoringToken": platform.DefaultMonitoringToken, "inferenceApiKey": platform.DefaultInferenceAPIKey, "secretKey": platform.DefaultSecretKey,
	})
	return ds.QueryData
}

// What is left out is a notice in a panel, and an error in an alert rule, whose instances would else resolve without a word.
func TestCuts_ErrorsInAlertRules(t *testing.T) {
	t.Parallel()
	for format, test := range cuts() {
		t.Run(format[:min(len(format), 40)], func(t *testing.T) {
			says := regexp.MustCompile(regexp.MustCompile(`%[ds]`).ReplaceAllString(regexp.QuoteMeta(format), ".+"))
			ask := dataSourceOfBodies(t, test.bodies)
			response, err := ask(t.Context(), &backend.QueryDataRequest{Queries: []backend.DataQuery{dataQuery(t, "A", test.saved)}})
			require.NoError(t, err)
			got := response.Responses["A"]
			require.NoError(t, got.Error)
			var texts []string
			for _, notice := range got.Frames[0].Meta.Notices {
				require.NotEqual(t, data.NoticeSeverityError, notice.Severity)
				texts = append(texts, notice.Text)
			}
			require.Regexp(t, says, strings.Join(texts, "\n"))

			response, err = ask(t.Context(), alertRule(dataQuery(t, "A", test.saved)))
			require.NoError(t, err)
			require.ErrorContains(t, response.Responses["A"].Error, "an alert rule needs all of it")
			require.Regexp(t, says, response.Responses["A"].Error.Error())
		})
	}
}

// cutsElsewhere are the other formats: those of package runs, which its own tests have, and those of tables and annotations, which no
// rule evaluates.
var cutsElsewhere = []string{
	"%s", "%s%s", // the texts of lists, and hints, which are in the table
	"Only the first %d items are shown. Narrow the parameters, or choose another root.",
	"Only the first %d items are shown, because a list has at most %d MB. Narrow the parameters%s.",
	"Only %d of %d annotations are drawn, failures first. Choose statuses, models or jobs, or a shorter range.",
	"Only %d of %d annotations are drawn. Choose fewer runs.",
	"Only %d of %d curves are shown. Choose fewer runs, or aggregate the expression.",
	"Only %d of %d runs are compared: %s",
	"Only %d of %d runs are measured: %s",
	"Only %d of %d series are looked at. Choose fewer by labels.",
	"Only the first %d of %d checkpoints are shown, those of the newest jobs. Choose jobs to see others.",
	"Only the newest %d of %d events are shown.",
	"Only the newest %d of %d jobs are shown, because their status changes too often. Choose statuses, models or jobs to see others.",
	"Only the newest %d of %d runs are used. Choose runs, or a shorter range, to see others.",
	"%s left out, because all have %d points, and the limit is %d. Choose fewer jobs or metrics.",
}

// A cut that is added is either in the table or known to be tested elsewhere.
func TestCuts_AllAreKnown(t *testing.T) {
	call := regexp.MustCompile(`(?:\.[cC]ut|\.truncated)\((?:"([^"]*)"|\x60([^\x60]*)\x60)`)
	files, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	known, found := cuts(), 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, match := range call.FindAllStringSubmatch(string(source), -1) {
			format := match[1] + match[2]
			if _, ok := known[format]; !ok {
				require.Contains(t, cutsElsewhere, format, file)
			}
			found++
		}
	}
	require.Greater(t, found, 20)
}

// What looks like a cut in the sources is one: a notice with such a text would be a rule's instances that resolve without a word.
func TestCuts_NoNoticeOfOne(t *testing.T) {
	warning := regexp.MustCompile(`\.(?:Warn|Info)\("(?:Only (?:the|%d)|[^"]*more than %d)[^"]*"`)
	files, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		if found := warning.FindString(string(source)); !strings.Contains(found, "overlap") && !strings.Contains(found, "checkpoints are drawn") && !strings.Contains(found, "the baseline") {
			require.Empty(t, found, file)
		}
	}
}
