package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/placement"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

const aMatrix = `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"b"},"values":[[1748865600,"1"]]}]}}`

func TestAdmission_QueriesPerRequest(t *testing.T) {
	address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, aMatrix) })
	ds := newDatasource(t, address, nil)
	var queries []backend.DataQuery
	for i := range 102 {
		queries = append(queries, dataQuery(t, fmt.Sprint(i), values{"expr": fmt.Sprint("up", i)}))
	}
	got := runQueries(t, ds, queries...)
	for i := range 102 {
		resp := got[fmt.Sprint(i)]
		if i < 100 {
			require.NoError(t, resp.Error)
			continue
		}
		require.ErrorContains(t, resp.Error, "Query: a request has at most 100 queries with 512 KiB together")
		require.Equal(t, backend.StatusBadRequest, resp.Status)
	}

	got = runQueries(t, ds, dataQuery(t, "small", values{"expr": "up"}), dataQuery(t, "large", values{"expr": "up" + strings.Repeat(" ", 600_000)}))
	require.NoError(t, got["small"].Error)
	require.ErrorContains(t, got["large"].Error, "Query: a request has at most 100 queries with 512 KiB together")
}

func TestAdmission_BytesOfEachType(t *testing.T) {
	ds := newDatasource(t, serveFunc(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }), nil)
	types := slices.Concat(jobs.QueryTypes(), runs.QueryTypes(), mainapi.QueryTypes(), []string{"", placement.QueryType})
	for _, queryType := range types {
		large := dataQuery(t, "A", values{"queryType": queryType, "expr": "up", "format": strings.Repeat("x", 512<<10)})
		require.ErrorContains(t, runQueries(t, ds, large)["A"].Error, "with 512 KiB together", queryType)
	}
}

// hang counts requests, none of which gets a response.
type hang struct{ now, most atomic.Int64 }

func (h *hang) serve(_ http.ResponseWriter, r *http.Request) {
	h.most.Store(max(h.most.Load(), h.now.Add(1)))
	defer h.now.Add(-1)
	<-r.Context().Done()
}

func TestAdmission_ConcurrentQueries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		platform := &hang{}
		ds := newDatasource(t, datasource.Nowhere, values{"maxConcurrentRequests": 1000})
		ctx, cancel := context.WithCancel(datasource.InMemory(t.Context(), platform.serve))
		defer cancel()
		const underWay, waiting = 48, 2048 // 16 more for alert rules
		const requests, refusals = 2300, 2300 - underWay - waiting
		refused := make(chan string, requests)
		var canceled atomic.Int64
		for r := range requests {
			query := dataQuery(t, "A", values{"expr": fmt.Sprint("up", r)})
			go func() {
				response, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{query}})
				if errors.Is(err, context.Canceled) {
					canceled.Add(1)
					return
				}
				refused <- response.Responses["A"].Error.Error()
			}()
		}
		synctest.Wait()
		require.EqualValues(t, underWay, platform.now.Load(), "as many are under way as may be")
		require.EqualValues(t, underWay, platform.most.Load(), "never more")
		require.Len(t, refused, refusals)
		for range refusals {
			require.Contains(t, <-refused, "More than 2048 queries of the same kind, or more than 16 MB, wait to be run.")
		}
		cancel()
		synctest.Wait()
		require.EqualValues(t, requests-refusals, canceled.Load(), "the others are canceled")
		require.Zero(t, platform.now.Load(), "no query continues after its request")
	})
}

func TestAdmission_QueuedBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ds := newDatasource(t, datasource.Nowhere, nil)
		ctx, cancel := context.WithCancel(datasource.InMemory(t.Context(), (&hang{}).serve))
		defer cancel()
		large := dataQuery(t, "A", values{"expr": "up"})
		large.JSON = append(large.JSON, strings.Repeat(" ", 1<<19-len(large.JSON))...)
		const accepted, refusals = 48 + 32, 20
		refused := make(chan string, accepted+refusals)
		for range accepted + refusals {
			go func() {
				response, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{large}})
				if err == nil {
					refused <- response.Responses["A"].Error.Error()
				}
			}()
		}
		synctest.Wait()
		require.Len(t, refused, refusals)
		require.Contains(t, <-refused, "or more than 16 MB, wait to be run")
	})
}

func TestAdmission_WaitLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ds := newDatasource(t, datasource.Nowhere, values{"maxConcurrentRequests": 1000, "timeout": 1})
		ctx := datasource.InMemory(t.Context(), (&hang{}).serve)
		start := time.Now()
		var group sync.WaitGroup
		for r := range 200 {
			query := dataQuery(t, "A", values{"expr": fmt.Sprint("up", r)})
			group.Go(func() {
				response, err := ds.QueryData(ctx, &backend.QueryDataRequest{Queries: []backend.DataQuery{query}})
				if assert.NoError(t, err) {
					assert.EqualValues(t, http.StatusGatewayTimeout, response.Responses["A"].Status)
				}
			})
		}
		group.Wait()
		require.LessOrEqual(t, time.Since(start), 2*time.Second, "the platform hangs for one timeout, and not for one after the other")
	})
}

// The budgets of a request of a Viewer.
const (
	requestTime   = 100 * time.Millisecond
	requestMemory = 10 << 20
)

// extremes are texts at the bounds, or slightly above.
func extremes() []string {
	times := strings.Repeat
	return []string{
		times("(", 40_000), times("(", 100) + "up" + times(")", 100), "up" + times("+up", 250), "up" + times("+up", 2000), times("-", 250) + "up", times("-", 100_000) + "up",
		`up{a=~"(` + times("a", 3200) + `){1000}"}`, "up{" + times(`a=~"a{999}",`, 20) + "}", `up{a=~"(?i)` + times(`\\pL`, 2) + `"}`, `up{a=~"(?i)[b-\\x{1e900}]"}`,
		`up{a=~"` + times("(a?)", 2000) + `"}`, times("$__range_ms", 700), times("${__rate_interval}", 28_000), times("{{a}}", 200), times("{{a}}", 20_000), times("{{", 50_000),
		times("\n", 8000) + "up", `"` + times(`\\`, 4000) + `"`, times("up{a=\"b\"}\n", 800), times("\x00", 80_000),
	}
}

func TestQueryDuration(t *testing.T) {
	address := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, aMatrix) })
	ds := newDatasource(t, address, values{"httpMethod": "POST"})
	for _, text := range extremes() {
		for what, saved := range map[string]values{
			"expression":          {"expr": text},
			"filtered":            {"expr": text, "adhocFilters": []values{{"key": "b", "operator": "equals", "value": "c"}}},
			"legend":              {"expr": "up", "legendFormat": text},
			"filter":              {"expr": "up", "adhocFilters": []values{{"key": "b", "operator": "regex-match", "value": text}}},
			"label of a filter":   {"expr": "up", "adhocFilters": []values{{"key": text, "operator": "one-of", "values": []string{text, text}}}},
			"filter of a scope":   {"expr": "up", "scopes": []values{{"filters": []values{{"key": "b", "operator": "regex-match", "value": text}, {"key": "b", "operator": "equals", "value": text}}}}},
			"minimum of the step": {"expr": "up", "interval": text},
			"format":              {"expr": "up", "format": text},
		} {
			t.Run(what+" "+text[:min(len(text), 20)], func(t *testing.T) { withinRequest(t, ds.QueryData, dataQuery(t, "A", saved)) })
		}
	}
	t.Run("concurrent queries", func(t *testing.T) {
		var queries []backend.DataQuery
		for i := range 30 {
			queries = append(queries, dataQuery(t, fmt.Sprint(i), values{"noCache": true, "expr": fmt.Sprint(strings.Repeat("(", 100), "up", i, strings.Repeat("+up", 200), strings.Repeat(")", 100))}))
		}
		withinRequest(t, ds.QueryData, queries...)
	})
}

func withinRequest(t *testing.T, query backend.QueryDataHandlerFunc, queries ...backend.DataQuery) {
	t.Helper()
	budgettest.Within(t, requestTime, requestMemory, func() {
		response, err := query(context.Background(), &backend.QueryDataRequest{Queries: queries})
		require.NoError(t, err)
		for _, resp := range response.Responses {
			if resp.Error != nil {
				require.Less(t, len(resp.Error.Error()), 5000)
			}
		}
	})
}

func TestResourceDuration(t *testing.T) {
	address := serveFunc(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/query") {
			_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
			return
		}
		http.NotFound(w, r)
	})
	ds := newDatasource(t, address, nil)
	call := func(method, path, contentType string, body string) {
		req := &backend.CallResourceRequest{Method: method, Path: path, URL: path, Body: []byte(body), Headers: map[string][]string{"Content-Type": {contentType}}}
		status, resp := resource(t, ds, req)
		require.NotEqual(t, http.StatusInternalServerError, status, resp)
	}
	for _, text := range extremes() {
		t.Run(text[:min(len(text), 20)], func(t *testing.T) {
			form := "match[]=" + strings.ReplaceAll(strings.ReplaceAll(text, "+", "%2B"), "\x00", "%00")
			for _, do := range []func(){
				func() { call(http.MethodPost, "api/v1/series", "application/x-www-form-urlencoded", form) },
				func() { call(http.MethodPost, "api/v1/labels", "application/x-www-form-urlencoded", form+"&"+form) },
				func() { call(http.MethodPost, "federate", "application/x-www-form-urlencoded", form+"&"+form) },
				func() {
					call(http.MethodPost, "export", "application/x-www-form-urlencoded", form+"&start=1748862000&end=1748865600")
				},
			} {
				budgettest.Within(t, requestTime, requestMemory, do)
			}
		})
	}
}
