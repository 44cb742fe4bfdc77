package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/budgettest"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
)

const (
	// maxQuery is the limit of a query that is sent, and maxMemory that of what a hostile request allocates.
	maxQuery  = 16_000
	maxMemory = 50 << 20
)

// try runs a query, of a rule or not, over the day before noon.
func try(ctx context.Context, c *runs.Client, queryType string, saved object, alerting bool) (data.Frames, error) {
	encoded, err := json.Marshal(saved)
	if err != nil {
		return nil, err
	}
	c.Now = func() time.Time { return noon }
	if transport.Left(ctx) > transport.MaxRequests {
		ctx = transport.WithBudget(ctx, transport.MaxRequests)
	}
	return c.QueryData(ctx, backend.DataQuery{
		RefID: "A", QueryType: queryType, JSON: encoded, MaxDataPoints: 1000, TimeRange: backend.TimeRange{From: ago(24 * time.Hour), To: noon},
	}, alerting)
}

func texts(frames data.Frames) string {
	var all []string
	for _, notice := range frames[0].Meta.Notices {
		all = append(all, notice.Text)
	}
	return strings.Join(all, "\n")
}

func byHand(n int, name string) object {
	all := make([]object, n)
	for i := range all {
		all[i] = object{"name": fmt.Sprintf("%d%s", i, name), "from": "now-2h", "to": "now-1h"}
	}
	return object{"kind": "manual", "runs": all}
}

var times = strings.Repeat

// Whatever is written, a request allocates little, sends few queries, each of them short, and says which bound it met.
func TestBounds_HostileRequests(t *testing.T) {
	names := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("gpu-node-%04d", i))
		}
		return `vm_name=~"` + strings.Join(all, "|") + `"`
	}
	for name, test := range map[string]struct {
		queryType string
		saved     object
		says      string
	}{
		"a long name":                   {"runs", object{"source": byHand(1, times("x", 16<<10)), "selector": times(`a="$name",`, 800)}, "Runs: the name "},
		"a name at many places":         {"runs", object{"source": byHand(200, times("x", 250)), "selector": times(`a="$name",`, 800)}, "the limit of 2000"},
		"a name many times in one":      {"runs", object{"source": byHand(200, times("x", 250)), "selector": `a=~"` + times("$name|", 1000) + `"`}, "the limit of 2000"},
		"quotes that double":            {"runs", object{"source": byHand(200, times(`"`, 250)), "selector": `a=~"` + times("$name|", 5) + `"`}, "the limit of 2000"},
		"a long selector":               {"runs", object{"source": byHand(200, ""), "selector": names(500)}, "the limit of 2000"},
		"a selector of 30 nodes":        {"runs", object{"source": byHand(200, ""), "selector": names(30)}, ""},
		"a selector of 140 nodes":       {"runs", object{"source": byHand(200, ""), "selector": names(140)}, "are measured: a request makes at most 600 requests"},
		"curves of 200 runs":            {"runComparison", object{"source": byHand(200, ""), "maxRuns": 1e9, "expr": "x"}, ""},
		"macros in a comparison":        {"runComparison", object{"source": byHand(20, ""), "selector": names(30), "expr": times("x{$selector}+", 600) + "x"}, "PromQL: with what it says of "},
		"a pattern of exponential size": {"runs", object{"source": byHand(200, ""), "selector": `a=~"(((((x{9}){9}){9}){9}){9}){9}"`}, ""},
		"nested brackets":               {"runs", object{"source": byHand(1, ""), "selector": times("{", 8000)}, "GPUs: "},
		"a measure 60,000 times":        {"runs", object{"source": byHand(200, ""), "selector": "{}", "measures": strings.Split(times("gpus,", 60_000)+"gpus", ",")}, ""},
		"a long selector of series":     {"runs", object{"source": object{"kind": "series", "expr": `loss{a=~"` + times("x", 8000) + `"}`, "by": []string{"pod"}}}, "Series: "},
		"a long label of series":        {"runs", object{"source": object{"kind": "series", "expr": "loss", "by": []string{times("x", 250), times("y", 250)}}}, ""},
		"filters at many selectors":     {"runs", object{"source": object{"kind": "series", "expr": times("x+", 200) + "x", "by": []string{"pod"}}, "adhocFilters": filters()}, "Filter: with them the query has "},
		"filters in a comparison":       {"runComparison", object{"source": byHand(20, ""), "expr": times("x+", 200) + "x", "adhocFilters": filters()}, "Filter: with them the query has "},
		"filters of 60 KB":              {"runs", object{"source": object{"kind": "series", "expr": "a+b+c+d", "by": []string{"pod"}}, "adhocFilters": filters()}, "Series: with it the query has "},
		"filters at the GPUs":           {"runs", object{"source": byHand(200, ""), "selector": "{}", "adhocFilters": filters()}, "the limit of 2000"},
		"2,000 chosen runs":             {"runs", object{"source": byHand(1000, ""), "selector": "{}", "runs": numbered(2000)}, "No run in this range is id-0, id-1, "},
		"a longest gap of a year":       {"runs", object{"source": object{"kind": "series", "expr": "loss", "by": []string{"pod"}, "maxGap": "365d"}}, ""},
		"1,000 annotations":             {"runAnnotations", object{"source": byHand(1000, ""), "maxRuns": 200}, "Only the newest 100 of 1000 runs"},
		"1,000 runs of one name":        {"runs", object{"source": object{"kind": "manual", "runs": repeated(1000)}, "selector": "{}"}, "Only the newest 200 of 1000 runs"},
		"1,001 runs":                    {"runs", object{"source": byHand(1001, "")}, "Runs: there are 1001, and the limit is 1000."},
	} {
		t.Run(name, func(t *testing.T) {
			e := &engine{value: constant}
			var said string
			// Half of it is for parsing what is sent, which says what can be cached.
			budgettest.Within(t, time.Second, 2*maxMemory, func() {
				e.queries, e.scopes = nil, nil
				frames, err := try(t.Context(), &runs.Client{Metrics: e}, test.queryType, test.saved, false)
				if err != nil {
					said = err.Error()
				} else {
					said = texts(frames)
				}
			})
			require.Contains(t, said, test.says)
			require.LessOrEqual(t, len(e.queries), transport.MaxRequests)
			for _, expr := range e.queries {
				require.LessOrEqual(t, len(expr), maxQuery)
			}
		})
	}
}

// A gap that is longer than the range does not make a query read more than the range: of a fleet these would be days in vain.
func TestBounds_LongestGapReadsTheRange(t *testing.T) {
	e := &engine{value: constant}
	_, err := try(t.Context(), &runs.Client{Metrics: e}, "runs", object{"source": object{"kind": "series", "expr": "loss", "by": []string{"pod"}, "maxGap": "365d"}}, false)
	require.NoError(t, err)
	read := 0
	for _, text := range e.queries {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
		require.NoError(t, err)
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			if subquery, ok := node.(*parser.SubqueryExpr); ok {
				read++
				require.LessOrEqual(t, subquery.Range, 24*time.Hour, text)
			}
			return nil
		})
	}
	require.Positive(t, read)
}

func numbered(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint("id-", i)
	}
	return all
}

func filters() []object {
	var all []object
	for i := range 90 {
		all = append(all, object{"key": fmt.Sprintf("label_%d", i), "operator": "equals", "value": times("x", 100)})
	}
	return all
}

func repeated(n int) []object {
	all := make([]object, n)
	for i := range all {
		all[i] = object{"name": "a", "from": "now-2h", "to": "now-1h"}
	}
	return all
}

// fleetOfSeries answers every range query with the same series.
type fleetOfSeries struct {
	*engine
	result *promql.Result
}

func (f fleetOfSeries) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	if q.Step == 0 {
		return f.engine.Evaluate(ctx, q)
	}
	return f.result, nil
}

// manyRuns are the edges of so many series, each with several runs.
func manyRuns(series, runsEach int) data.Frames {
	var frames data.Frames
	for i := range series {
		for _, edge := range []string{"min", "max"} {
			var at []time.Time
			var values []float64
			for n := range runsEach {
				start := noon.Add(-time.Duration(runsEach-n) * time.Hour)
				at, values = append(at, start.Add(5*time.Minute)), append(values, float64(start.Unix()))
			}
			labels := data.Labels{"pod": fmt.Sprintf("pod-%05d", i), "edge_of_run": edge}
			frames = append(frames, data.NewFrame("", data.NewField("Time", nil, at), data.NewField("Value", labels, values)))
		}
	}
	return frames
}

// Runs are limited while they are found: of 20,000, 200 are named, given GPUs and measured.
func TestBounds_ManyRunsOfSeries(t *testing.T) {
	selector := times(`a="$pod",`, 700)
	source := object{"kind": "series", "expr": "loss", "by": []string{"pod"}}
	for name, frames := range map[string]data.Frames{"20,000 series": manyRuns(20_000, 1), "1,000 series of 20 runs": manyRuns(1000, 20)} {
		t.Run(name, func(t *testing.T) {
			e := fleetOfSeries{&engine{value: constant}, promtest.Result(frames)}
			budgettest.Within(t, time.Second, maxMemory/2, func() {
				got, err := try(t.Context(), &runs.Client{Metrics: e}, "runs", object{"source": source, "selector": selector}, false)
				require.NoError(t, err)
				require.Equal(t, 200, got[0].Rows())
				require.Contains(t, texts(got), "Only the newest 200 of ")
				start, _ := got[0].FieldByName("start")
				newest, _ := start.ConcreteAt(0)
				require.Equal(t, noon.Add(-time.Hour), newest)
			})

			_, err := try(t.Context(), &runs.Client{Metrics: e}, "runs", object{"source": source, "selector": "{}", "measures": []string{"gpus"}}, true)
			require.ErrorContains(t, err, "an alert rule needs all of it", "instances would resolve without a word")
		})
	}
}

// Curves with too many points are found while they come: the other runs are not requested.
func TestBounds_PointsOfCurves(t *testing.T) {
	at, values := make([]time.Time, 250_000), make([]float64, 250_000)
	for i := range at {
		at[i] = noon.Add(time.Duration(i) * time.Second)
	}
	e := &countedSeries{fleetOfSeries: fleetOfSeries{&engine{value: constant}, promtest.Result(data.Frames{data.NewFrame("", data.NewField("Time", nil, at), data.NewField("Value", data.Labels{}, values))})}}
	_, err := try(t.Context(), &runs.Client{Metrics: e}, "runComparison", object{"source": byHand(200, ""), "maxRuns": 200, "expr": "x"}, false)
	require.ErrorContains(t, err, "PromQL: the curves have more than 2000000 points.")
	require.LessOrEqual(t, e.sent.Load(), int64(9+8), "the ninth is over the limit, and eight are under way")
}

type countedSeries struct {
	fleetOfSeries
	sent atomic.Int64
}

func (c *countedSeries) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	if q.Step > 0 {
		c.sent.Add(1)
	}
	return c.fleetOfSeries.Evaluate(ctx, q)
}

// A label of any length of a run's own series does not make a query of any length.
func TestBounds_LongLabelsOfSeries(t *testing.T) {
	frames := manyRuns(3, 1)
	for _, frame := range frames {
		frame.Fields[1].Labels["pod"] += times("x", 15_980)
	}
	source := object{"kind": "series", "expr": "loss", "by": []string{"pod"}}
	for queryType, says := range map[string]string{"runs": "best_loss could not be measured. Measures: with what it says of pod-0000", "runComparison": "Series: with what it says of pod-0000"} {
		e := fleetOfSeries{&engine{value: constant}, promtest.Result(frames)}
		got, err := try(t.Context(), &runs.Client{Metrics: e}, queryType, object{"source": source, "selector": "{}", "expr": times("x{$run}+", 2) + "x"}, false)
		if queryType == "runs" {
			require.NoError(t, err)
			require.Contains(t, texts(got), says)
		} else {
			require.ErrorContains(t, err, "PromQL: with what it says of pod-0000")
			_, err = try(t.Context(), &runs.Client{Metrics: e}, queryType, object{"source": object{"kind": "series", "expr": "loss + loss", "by": []string{"pod"}}}, false)
			require.ErrorContains(t, err, says)
		}
		for _, expr := range e.queries {
			require.LessOrEqual(t, len(expr), maxQuery)
		}
	}
}

// In a rule a cut is an error, of jobs as well, and a rule is about one measure.
func TestBounds_Rules(t *testing.T) {
	var found gateway
	for i := range 201 {
		found = append(found, jobs.Run{Job: jobs.Job{ID: fmt.Sprintf("job-%d", i), Status: "running"}, Start: ago(time.Hour)})
	}
	client := &runs.Client{Metrics: &engine{value: constant}, Jobs: found}
	_, err := try(t.Context(), client, "runs", object{"measures": []string{"tokens"}}, true)
	require.ErrorContains(t, err, "Only the newest 200 of 201 jobs are looked at")
	for _, measures := range []any{nil, []string{}, []string{"tokens", "gpus"}} {
		_, err = try(t.Context(), client, "runs", object{"measures": measures}, true)
		require.ErrorContains(t, err, "Measures: an alert rule is about one measure")
	}
	_, err = try(transport.WithBudget(t.Context(), 6), &runs.Client{Metrics: &engine{value: constant}}, "runs",
		object{"source": byHand(20, ""), "selector": "{}", "measures": []string{"gpus"}}, true)
	require.ErrorContains(t, err, "an alert rule needs all of it. Only 5 of 20 runs are measured")
	frames, err := try(transport.WithBudget(t.Context(), 6), &runs.Client{Metrics: &engine{value: constant}}, "runs",
		object{"source": byHand(20, ""), "selector": "{}", "measures": []string{"gpus"}}, false)
	require.NoError(t, err)
	require.Equal(t, 20, frames[0].Rows())
}

// A text of a job is the value of a matcher, in whichever quotes its place is.
func TestBounds_TextsOfJobs(t *testing.T) {
	for _, hostile := range []string{
		`x'}[5m]) or sum_over_time({__name__=~'.+',a!='`, `x"}) or up{a!="`, "x`}) or up{a!=`", `\`, "a\nb # c", `$selector`, `$__range`, `${pool}`, "é\u202e\x00",
	} {
		job := jobs.Run{Job: jobs.Job{ID: "a", Status: "succeeded", Metadata: map[string]string{"pool": hostile}}, Start: ago(2 * time.Hour), End: ago(time.Hour)}
		for _, selector := range []string{`pool='$pool'`, "pool=`$pool`", `pool="$pool"`, `{pool="${pool}"}`} {
			e := &engine{value: constant}
			client := &runs.Client{Metrics: e, Jobs: gateway{job}}
			query(t, client, "runs", object{"selector": selector})
			query(t, client, "runComparison", object{"selector": selector, "expr": "avg(x{$selector})"})
			require.Greater(t, len(e.queries), 2)
			asked := 0
			for _, expr := range e.queries {
				parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
				require.NoError(t, err, expr)
				parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
					if selector, ok := node.(*parser.VectorSelector); ok {
						for _, m := range selector.LabelMatchers {
							if m.Name == "pool" {
								require.Equal(t, hostile, m.Value)
								asked++
							}
							require.NotContains(t, []string{"a", "up"}, m.Name)
						}
					}
					return nil
				})
			}
			require.NotZero(t, asked)
		}
	}
}

// What a job carries is bounded before anything is made of it: values of any length are no labels.
func TestBounds_LabelsOfJobs(t *testing.T) {
	metadata := map[string]string{"team": "vision", "blob": times("x", 100_000), times("n", 1000): "x"}
	for i := range 29 { // with the others as many as the gateway's client reads
		metadata[fmt.Sprintf("label_%03d", i)] = "x"
	}
	var all gateway
	for i := range 200 {
		all = append(all, jobs.Run{Job: jobs.Job{ID: fmt.Sprint(i), Status: "running", Metadata: metadata}, Start: ago(time.Hour)})
	}
	client := &runs.Client{Metrics: &engine{value: constant}, Jobs: all}
	budgettest.Within(t, time.Second, maxMemory, func() {
		frames, err := try(t.Context(), client, "runs", object{"measures": []string{}}, false)
		require.NoError(t, err)
		blob, _ := frames[0].FieldByName("blob")
		require.Nil(t, blob)
		require.Len(t, frames[0].Fields, 7+1+1+29, "job_id, team and the others")
	})
	frames, err := try(t.Context(), client, "runs", object{"measures": []string{"gpus"}, "selector": `a="$blob"`}, false)
	require.NoError(t, err)
	require.Contains(t, texts(frames), "there is no label blob")
}

// What others are compared with comes first where a request can't be about all runs.
func TestBounds_BaselineFirst(t *testing.T) {
	for queryType, saved := range map[string]object{"runs": {"measures": []string{"gpus"}}, "runComparison": {"expr": "x{$selector}"}} {
		saved["source"], saved["selector"], saved["baseline"] = byHand(20, ""), `name="$name"`, "9"
		e := &engine{value: constant}
		frames, err := try(transport.WithBudget(t.Context(), 6), &runs.Client{Metrics: e}, queryType, saved, false)
		require.NoError(t, err)
		require.Contains(t, texts(frames), " of 20 runs are ", queryType)
		require.Contains(t, strings.Join(e.queries, " "), `name="9"`, queryType)
	}
}

// The runs of a comparison share what a request may send, too.
func TestBounds_RunsOfAComparison(t *testing.T) {
	saved := object{"source": byHand(20, ""), "expr": "x"}
	e := &engine{value: constant}
	frames, err := try(transport.WithBudget(t.Context(), 6), &runs.Client{Metrics: e}, "runComparison", saved, false)
	require.NoError(t, err)
	require.Contains(t, texts(frames), "Only 6 of 20 runs are compared: a request makes at most 600 requests")
	require.NotContains(t, texts(frames), "There are no values", "nobody has looked")
	require.Len(t, e.queries, 6)
	saved["source"] = byHand(6, "")
	frames, err = try(transport.WithBudget(t.Context(), 6), &runs.Client{Metrics: e}, "runComparison", saved, false)
	require.NoError(t, err)
	require.NotContains(t, texts(frames), "Only", "six are enough for six")
	saved["source"] = byHand(20, "")
	_, err = try(transport.WithBudget(t.Context(), 6), &runs.Client{Metrics: e}, "runComparison", saved, true)
	require.ErrorContains(t, err, "an alert rule needs all of it. Only 6 of 20 runs are compared")

	frames, err = try(transport.WithBudget(t.Context(), 20), &runs.Client{Metrics: twice{e, "7"}}, "runComparison", object{"source": byHand(20, ""), "expr": "x"}, false)
	require.NoError(t, err)
	require.Contains(t, texts(frames), "Only 19 of 20 runs are compared", "one takes two requests, and has one")
	require.NotContains(t, texts(frames), "There are no values")

	many := fleetOfSeries{e, promtest.Result(manyRuns(300, 1))}
	frames, err = try(t.Context(), &runs.Client{Metrics: many}, "runComparison", object{"source": byHand(2, ""), "expr": "x"}, false)
	require.NoError(t, err)
	require.Contains(t, texts(frames), "Only 1000 of 1200 curves are shown.")
	require.NotContains(t, texts(frames), "There are no values")

	// The number of cells is the product of the curves and of the steps of all curves.
	var apart gateway
	for i := range 20 {
		one := jobs.Run{Job: jobs.Job{ID: fmt.Sprint(i), Status: "running"}, Start: ago(time.Hour)}
		for step := range 3000 {
			one.Samples = append(one.Samples, jobs.Sample{Metric: "loss", Step: float64(step*20 + i), Value: 1})
		}
		apart = append(apart, one)
	}
	frames, err = try(t.Context(), &runs.Client{Jobs: apart}, "runComparison", object{"metric": "loss", "axis": "step"}, false)
	require.NoError(t, err)
	require.Contains(t, texts(frames), "Only 18 of 20 curves are shown.")
	require.Equal(t, 18*3000, frames[0].Rows())
}

// twice takes two requests for a run.
type twice struct {
	*engine
	run string
}

func (w twice) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	if q.Scope == w.run {
		if err := transport.Take(ctx); err != nil {
			return nil, err
		}
	}
	return w.engine.Evaluate(ctx, q)
}

// Training health cuts as other queries do: in a rule that is an error.
func TestBounds_TrainingHealth(t *testing.T) {
	var all gateway
	for i := range 201 {
		all = append(all, jobs.Run{Job: jobs.Job{ID: fmt.Sprint(i), Status: "running"}, Start: ago(time.Hour)})
	}
	_, err := try(t.Context(), &runs.Client{Jobs: all}, "trainingHealth", object{}, true)
	require.ErrorContains(t, err, "an alert rule needs all of it. Only the newest 200 of 201 jobs are looked at.")
	_, err = try(t.Context(), &runs.Client{Jobs: all[:200]}, "trainingHealth", object{}, true)
	require.NoError(t, err)
	require.Equal(t, 50, query(t, &runs.Client{Jobs: all}, "trainingHealth", object{})[0].Rows())

	var points []jobs.Sample
	for i := range 10_000 {
		points = append(points, jobs.Sample{At: ago(time.Duration(10_000-i) * time.Second), Step: float64(i), Value: math.NaN()}) // the fastest to examine
	}
	var long gateway
	for i := range 11 {
		one := jobs.Run{Job: jobs.Job{ID: fmt.Sprint(i), Status: "running"}, Start: ago(time.Hour)}
		for n := range 4 {
			for _, p := range points {
				p.Metric = fmt.Sprintf("train_loss_%d", n)
				one.Samples = append(one.Samples, p)
			}
		}
		long = append(long, one)
	}
	frames, err := try(t.Context(), &runs.Client{Jobs: long}, "trainingHealth", object{}, false)
	require.NoError(t, err)
	require.Contains(t, texts(frames), "4 curves left out, because all have 440000 points, and the limit is 400000.")
	_, err = try(t.Context(), &runs.Client{Jobs: long}, "trainingHealth", object{}, true)
	require.ErrorContains(t, err, "an alert rule needs all of it. 4 curves left out")

	e := fleetOfSeries{&engine{value: constant}, promtest.Result(manyRuns(201, 1))}
	frames, err = try(t.Context(), &runs.Client{Metrics: e}, "trainingHealth", object{"expr": "loss"}, false)
	require.NoError(t, err)
	require.Contains(t, texts(frames), "Only 200 of 402 series are looked at.")
	require.Equal(t, 200, frames[0].Rows())
	_, err = try(t.Context(), &runs.Client{Metrics: e}, "trainingHealth", object{"expr": "loss"}, true)
	require.ErrorContains(t, err, "an alert rule needs all of it. Only 200 of 402 series are looked at.")
	_, err = try(t.Context(), &runs.Client{Metrics: e}, "trainingHealth", object{"expr": "a+b+c+d", "adhocFilters": filters()}, false)
	require.ErrorContains(t, err, "PromQL: with it the query has ")
}

func eight(string, time.Time) *float64 { return number(8) }

// failing fails the queries that have a text.
type failing struct {
	*engine
	text string
}

func (f failing) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	if strings.Contains(q.Expr, f.text) {
		return nil, errors.New("too many samples")
	}
	return f.engine.Evaluate(ctx, q)
}

// A query that fails leaves the measures of the others, but not in a rule.
func TestBounds_OneQueryFails(t *testing.T) {
	e := failing{&engine{value: eight}, "XID"}
	saved := object{"source": byHand(1, ""), "selector": "{}", "measures": []string{"gpus", "xids"}}
	frames, err := try(t.Context(), &runs.Client{Metrics: e}, "runs", saved, false)
	require.NoError(t, err)
	gpus, _ := frames[0].FieldByName("gpus")
	require.Equal(t, 8.0, *gpus.At(0).(*float64))
	codes, _ := frames[0].FieldByName("xids")
	require.Nil(t, codes.At(0))
	require.Contains(t, texts(frames), "xids could not be measured. too many samples")

	two := object{"source": byHand(2, ""), "selector": `a="$name"`, "measures": []string{"gpus"}}
	second := &runs.Client{Metrics: failing{&engine{value: constant}, `a="1"`}}
	_, err = try(t.Context(), second, "runs", two, false)
	require.NoError(t, err)
	_, err = try(t.Context(), second, "runs", two, true)
	require.EqualError(t, err, "too many samples", "the instance of the other run would resolve")

	e.text, saved["measures"] = "gpu_host", []string{"xids"} // what is counted of a run, and no labels
	for _, alerting := range []bool{true, false} {
		_, err = try(t.Context(), &runs.Client{Metrics: e}, "runs", saved, alerting)
		require.EqualError(t, err, "too many samples", "nothing was measured")
	}
}

// What failed is unknown: neither 0, nor said to be missing, nor is what is computed of it.
func TestBounds_FailedIsUnknown(t *testing.T) {
	// A selector of such length makes a query of each of the larger measures.
	saved := object{"source": byHand(1, ""), "selector": `a="` + times("x", 1900) + `"`, "measures": []string{"gpu_hours", "idle", "energy"}}
	known := func(text string) (list []string, said string) {
		frames, err := try(t.Context(), &runs.Client{Metrics: failing{&engine{value: eight}, text}}, "runs", saved, false)
		require.NoError(t, err)
		for _, field := range frames[0].Fields {
			if value, ok := field.ConcreteAt(0); ok && field.Type().Numeric() {
				list = append(list, fmt.Sprint(field.Name, " ", value))
			}
		}
		return list, texts(frames)
	}
	list, _ := known("nothing")
	require.Equal(t, []string{"length 3600", "gpu_hours 8", "idle 0"}, list)
	list, said := known("idle")
	require.Equal(t, []string{"length 3600"}, list)
	require.Contains(t, said, "gpu_time could not be measured")
	require.NotContains(t, said, "No GPU metrics match")
}
