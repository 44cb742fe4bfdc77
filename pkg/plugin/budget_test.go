package plugin_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// everything is a platform, a gateway and an archive at one address, which counts requests. Lists of things never end, no job is
// known, ranges of more than two days are refused if they are heavy, and the instant query is at the second path only.
type everything struct{ requests atomic.Int64 }

func (e *everything) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := e.requests.Add(1)
	_ = r.ParseForm()
	reply := func(status int, body string) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
	start, _ := time.Parse(time.RFC3339, r.Form.Get("start"))
	end, _ := time.Parse(time.RFC3339, r.Form.Get("end"))
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/fine_tuning/jobs"):
		reply(http.StatusOK, `{"data":[],"has_more":false}`)
	case strings.HasPrefix(path, "/gate/"):
		reply(http.StatusNotFound, `{}`)
	case strings.HasPrefix(path, "/v1/things"):
		reply(http.StatusOK, fmt.Sprintf(`{"items":[{"a":%d}],"next_token":"%d"}`, n, n))
	case end.Sub(start) > 48*time.Hour && strings.Contains(r.Form.Get("query"), "heavy"):
		reply(http.StatusUnprocessableEntity, `{"status":"error","errorType":"execution","error":"query processing would load too many samples into memory"}`)
	case strings.HasSuffix(path, "/query_range"):
		reply(http.StatusOK, emptyMatrix)
	case strings.HasSuffix(path, "/api/v1/query"):
		reply(http.StatusNotFound, `{}`)
	default:
		reply(http.StatusOK, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
	}
}

// Whatever the queries of a request are, it makes at most 600 requests to the platform. Each query has a result, with a notice on what
// is left out, or an error that names the bound; in an alert rule it is an error.
func TestBudget_OfARequest(t *testing.T) {
	t.Parallel()
	var runs []values
	for range 200 {
		runs = append(runs, values{"from": "now-33d"})
	}
	byHand := values{"kind": "manual", "runs": runs}
	measured := values{"queryType": "runs", "selector": "{}", "measures": []string{"gpus"}, "source": byHand}
	compared := values{"queryType": "runComparison", "source": byHand, "maxRuns": 200, "expr": "loss"}
	expr := func(name string) func(int) values {
		return func(i int) values {
			return values{"expr": fmt.Sprintf("%s + %d", name, i), "range": true, "instant": true, "untilEnd": true}
		}
	}
	unknown := func(i int) values {
		var ids []string
		for n := range 150 {
			ids = append(ids, fmt.Sprintf("job-%d-%d", i, n))
		}
		return values{"queryType": "fineTuningJobs", "jobIds": ids}
	}
	list := func(i int) values {
		return values{"queryType": "platform", "path": fmt.Sprint("/v1/things", i), "maxPages": 100}
	}
	placement := func(i int) values { return values{"queryType": "placement", "gpus": 8 + i} }
	always := func(q values) func(int) values { return func(int) values { return q } }
	const bound = "at most 600 requests to the platform"
	for name, test := range map[string]struct {
		n int
		// query is each of the others, and last is the last one.
		query func(int) values
		last  values
		says  string
	}{
		"runs":                         {6, always(measured), measured, bound},
		"PromQL beside runs":           {100, expr("up"), measured, bound},
		"comparisons over an archive":  {6, always(compared), compared, bound},
		"lists":                        {8, list, list(8), bound},
		"lists beside runs":            {5, list, measured, bound},
		"jobs that nobody knows":       {6, unknown, unknown(6), "job"},
		"placements":                   {60, placement, placement(60), ""},
		"PromQL":                       {100, expr("up"), expr("up")(100), ""},
		"a long range that is refused": {1, nil, expr("heavy")(1), ""},
		"long ranges that are refused": {100, expr("heavy"), expr("heavy")(100), "too many samples"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, alerting := range []bool{false, true} {
				e := &everything{}
				ds := newDatasourceWith(t, datasource.Nowhere, values{
					"intelligenceUrl": datasource.Nowhere + "/gate", "accessKeyId": "AK", "archive": values{"url": datasource.Nowhere + "/archive"},
				}, map[string]string{"monitoringToken": "token", "inferenceApiKey": "key", "secretKey": mainSecret})
				request := &backend.QueryDataRequest{}
				for i := range test.n {
					saved := test.last
					if i < test.n-1 {
						saved = test.query(i)
					}
					q := dataQuery(t, fmt.Sprint(i), saved)
					q.TimeRange = backend.TimeRange{From: time.Now().Add(-60 * 24 * time.Hour), To: time.Now()}
					request.Queries = append(request.Queries, q)
				}
				if alerting {
					request.SetHTTPHeader(backend.FromAlertHeaderName, "true")
				}
				response, err := ds.QueryData(datasource.InMemory(t.Context(), e.ServeHTTP), request)
				require.NoError(t, err)
				require.LessOrEqual(t, e.requests.Load(), int64(600))
				last := response.Responses[fmt.Sprint(test.n-1)]
				t.Log(e.requests.Load(), last.Error)
				if test.says == "" {
					require.NoError(t, last.Error)
				} else if alerting {
					require.ErrorContains(t, last.Error, test.says)
				} else if last.Error != nil {
					require.ErrorContains(t, last.Error, test.says)
				} else {
					require.Contains(t, noticeTexts(last.Frames[0]), test.says)
				}
			}
		})
	}
}
