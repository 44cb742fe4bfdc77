package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

func number(value float64) *float64 { return &value }

// engine records the queries, and answers each range query with a value for each step.
type engine struct {
	lock    sync.Mutex
	queries []string
	scopes  []string
	steps   []int64 // of range queries, in milliseconds
	odd     bool    // a range was not at multiples of its step
	// value is that of a step of a query; nil is none.
	value func(expr string, at time.Time) *float64
}

func (e *engine) record(q promql.Query) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.queries, e.scopes = append(e.queries, q.Expr), append(e.scopes, q.Scope)
	if q.Step > 0 {
		e.steps = append(e.steps, q.Step)
		e.odd = e.odd || q.Start%q.Step != 0 || q.End%q.Step != 0
	}
}

func (e *engine) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	if err := transport.Take(ctx); err != nil {
		return nil, err
	}
	e.record(q)
	if q.Step == 0 {
		return promtest.Result(nil), nil
	}
	labels := data.Labels{}
	if part := measured.FindStringSubmatch(q.Expr); part != nil {
		labels["measure"] = part[1]
	}
	var times []time.Time
	var values []float64
	for i := range q.Steps() {
		at := time.UnixMilli(q.Start + int64(i)*q.Step).UTC()
		if value := e.value(q.Expr, at); value != nil {
			times, values = append(times, at), append(values, *value)
		}
	}
	return promtest.Result(data.Frames{data.NewFrame("", data.NewField("Time", nil, times), data.NewField("Value", labels, values))}), nil
}

// measured finds the part that a query is about.
var measured = regexp.MustCompile(`"measure", "(\w+)"`)

func (e *engine) Step(timeRange time.Duration, points int64) time.Duration { return time.Minute }

func (e *engine) Oldest(now time.Time) time.Time { return now.Add(-30 * 24 * time.Hour) }

func (e *engine) Interpolate(expr string, _, _ time.Duration) string { return expr }

// gateway has jobs.
type gateway []jobs.Run

func (g gateway) Runs(_ context.Context, f jobs.RunFilters, notices *queries.Notices) ([]jobs.Run, error) {
	found := slices.DeleteFunc(slices.Clone(g), func(job jobs.Run) bool { return !f.JobIDs.Has(job.ID) })
	if f.Most > 0 && len(found) > f.Most {
		notices.Cut("Only the newest %d of %d jobs are looked at.", f.Most, len(found))
		found = found[:f.Most]
	}
	return found, nil
}

type object = map[string]any

func query(t *testing.T, c *runs.Client, queryType string, saved object) data.Frames {
	t.Helper()
	encoded, err := json.Marshal(saved)
	require.NoError(t, err)
	c.Now = func() time.Time { return noon }
	frames, err := c.QueryData(t.Context(), backend.DataQuery{
		RefID: "A", QueryType: queryType, JSON: encoded, MaxDataPoints: 1000, TimeRange: backend.TimeRange{From: ago(24 * time.Hour), To: noon},
	}, false)
	require.NoError(t, err)
	return frames
}

func constant(string, time.Time) *float64 { return number(1) }

// A label of a run is a text in a matcher, whatever is in it.
func TestRuns_SelectorOfLabels(t *testing.T) {
	for name, test := range map[string]struct{ selector, want string }{
		"equal":              {`pool="$pool"`, `pool="a\"b.c\\d"`},
		"a regex":            {`pool=~"$pool|x"`, `pool=~"a\"b\\.c\\\\d|x"`},
		"in braces":          {`{pool!="${pool}"}`, `pool!="a\"b.c\\d"`},
		"without any label":  {`pool="x"`, `pool="x"`},
		"beside another one": {`zone="z", pool!~"$pool"`, `zone="z", pool!~"a\"b\\.c\\\\d"`},
	} {
		t.Run(name, func(t *testing.T) {
			e := &engine{value: constant}
			job := jobs.Run{Job: jobs.Job{ID: "a", Status: "succeeded", Metadata: map[string]string{"pool": `a"b.c\d`}}, Start: ago(2 * time.Hour), End: ago(time.Hour)}
			query(t, &runs.Client{Metrics: e, Jobs: gateway{job}}, "runComparison", object{"expr": "up{$selector}[$duration]", "selector": test.selector})
			require.Equal(t, []string{"up{" + test.want + "}[3600s]"}, e.queries)
			require.Equal(t, []string{"a"}, e.scopes)
		})
	}
}

// A difference is interpolated between the points of a run, and not across its gaps.
func TestRunComparison_Gaps(t *testing.T) {
	samples := func(steps ...float64) []jobs.Sample {
		var all []jobs.Sample
		for _, step := range steps {
			all = append(all, jobs.Sample{Metric: "train_loss", Step: step, Value: 2 * step})
		}
		return all
	}
	found := gateway{
		{Job: jobs.Job{ID: "base"}, Start: ago(3 * time.Hour), Samples: samples(0, 5, 10, 15, 20, 25, 30, 70, 80)},
		{Job: jobs.Job{ID: "other"}, Start: ago(2 * time.Hour), Samples: samples(0, 10, 20, 45, 80, 90)},
	}
	frame := query(t, &runs.Client{Jobs: found}, "runComparison", object{"metric": "train_loss", "axis": "step", "baseline": "base", "difference": true})[0]
	require.Equal(t, []string{"step", "other"}, []string{frame.Fields[0].Name, frame.Fields[1].Name})
	var at []float64
	for i := range frame.Rows() {
		at = append(at, frame.Fields[0].At(i).(float64))
		require.Zero(t, *frame.Fields[1].At(i).(*float64))
	}
	require.Equal(t, []float64{0, 5, 10, 15, 20, 25, 30, 80}, at, "70 is in the gap; 25 and 30 are between points two and a half times as far apart as usual")
}

// A run of whose begin the platform has no samples has the others at their own elapsed times.
func TestRunComparison_BeforeRetention(t *testing.T) {
	const day = 24 * time.Hour
	job := jobs.Run{Job: jobs.Job{ID: "a", Status: "succeeded"}, Start: ago(32 * day), End: ago(29 * day)}
	frame := query(t, &runs.Client{Metrics: &engine{value: constant}, Jobs: gateway{job}}, "runComparison", object{"expr": "up"})[0]
	require.Equal(t, []any{48.0, 72.0}, []any{frame.Fields[0].At(0), frame.Fields[0].At(frame.Rows() - 1)})
	const says = "The platform stores metrics for 30 days. The numbers of a are about the time since then."
	require.Contains(t, texts(data.Frames{frame}), says)
	client := &runs.Client{Metrics: &engine{value: constant}, Jobs: gateway{job}}
	require.Contains(t, texts(query(t, client, "runs", object{"measures": []string{"gpus"}})), says)
	require.Empty(t, texts(query(t, client, "runs", object{"measures": []string{}})))
}

// Jobs whose times are unknown are named, and those that run end now.
func TestRuns_JobTimes(t *testing.T) {
	found := gateway{
		{Job: jobs.Job{ID: "timeless", Status: "running"}},
		{Job: jobs.Job{ID: "endless", Status: "failed"}, Start: ago(time.Hour)},
		{Job: jobs.Job{ID: "backwards", Status: "failed"}, Start: ago(time.Hour), End: ago(2 * time.Hour)},
		{Job: jobs.Job{ID: "live", Status: "running", TrainedTokens: number(7)}, Start: ago(time.Hour),
			Checkpoints: []jobs.Checkpoint{{}, {Created: ago(50 * time.Minute)}, {Created: ago(40 * time.Minute)}, {Created: ago(10 * time.Minute)}}},
	}
	measures := []string{"tokens", "checkpoints", "usual_checkpoint_gap", "longest_checkpoint_gap", "since_checkpoint"}
	frame := query(t, &runs.Client{Jobs: found}, "runs", object{"measures": measures})[0]
	require.Equal(t, 1, frame.Rows())
	var values []float64
	for _, measure := range append([]string{"length"}, measures...) {
		field, _ := frame.FieldByName(measure)
		values = append(values, *field.At(0).(*float64))
	}
	require.Equal(t, []float64{3600, 7, 4, 1200, 1800, 600}, values, "checkpoints are 600 and 1,800 s apart")
	end, _ := frame.FieldByName("end")
	require.Nil(t, end.At(0))
	require.Contains(t, frame.Meta.Notices[0].Text, "timeless, endless, backwards")
}

// All measures of a run are two requests, and its labels say which GPUs it has.
func TestRuns_QueriesOfARun(t *testing.T) {
	e := &engine{value: constant}
	pool := map[string]string{"nodepool_name": "a"}
	found := gateway{
		{Job: jobs.Job{ID: "a", Status: "succeeded", Metadata: pool}, Start: ago(2 * time.Hour), End: ago(time.Hour)},
		{Job: jobs.Job{ID: "b", Status: "succeeded", Metadata: pool}, Start: ago(4 * time.Hour), End: ago(3 * time.Hour)},
	}
	query(t, &runs.Client{Metrics: e, Jobs: found}, "runs", object{})
	require.Len(t, e.queries, 1+2*2, "one asks which labels GPUs have")
	all := strings.Join(e.queries, "\n")
	for _, part := range []string{`"gpu_time"`, `"idle"`, `"energy_drawn"`, `"xids"`} {
		require.Equal(t, 2, strings.Count(all, part), part)
	}
}

// Without the metrics service a table has what the gateway knows. Numbers, which alert rules evaluate, are an error.
func TestRuns_WithoutMetrics(t *testing.T) {
	found := gateway{{Job: jobs.Job{ID: "a", Status: "running", TrainedTokens: number(7)}, Start: ago(time.Hour)}}
	client := &runs.Client{Jobs: found, MetricsErr: errors.New("no token")}
	frame := query(t, client, "runs", object{})[0]
	require.Contains(t, frame.Meta.Notices[0].Text, "Measures of GPUs are left out. no token")
	tokens, _ := frame.FieldByName("tokens")
	require.Equal(t, 7.0, *tokens.At(0).(*float64))
	_, at := frame.FieldByName("gpus")
	require.Negative(t, at, "a measure without any value has no column")
	require.Empty(t, texts(query(t, client, "runs", object{"measures": []string{}})), "none are chosen")
	_, err := try(t.Context(), client, "runs", object{"measures": []string{"gpus"}}, false)
	require.EqualError(t, err, "no token")

	for queryType, saved := range map[string]object{
		"runs": {"format": "number"}, "runComparison": {"expr": "up"}, "trainingHealth": {"expr": "loss"},
	} {
		_, err = try(t.Context(), client, queryType, saved, false)
		require.EqualError(t, err, "no token", queryType)
	}
	compared := query(t, client, "runComparison", object{"metric": "train_loss"})
	require.Contains(t, texts(compared), "There are no values of a.", "nor are any needed of GPUs")
}

// Ad hoc filters narrow what runs are found by, their GPUs, and what is compared.
func TestRuns_AdHocFilters(t *testing.T) {
	filter := []object{{"key": "cluster_id", "operator": "equals", "value": "a"}}
	series := object{"kind": "series", "expr": `loss{cluster_id=~".+"}`, "by": []string{"pod"}}
	e := fleetOfSeries{&engine{value: constant}, promtest.Result(manyRuns(1, 1))}
	query(t, &runs.Client{Metrics: e}, "runs", object{"source": series, "selector": `nodepool_name="p"`, "adhocFilters": filter})
	require.NotEmpty(t, e.queries)
	for _, expr := range e.queries[1:] { // the first asks which labels GPUs have
		require.Contains(t, expr, `nodepool_name="p", cluster_id="a"`)
	}
	losses := fleetOfSeries{&engine{value: constant}, promtest.Result(manyRuns(1, 1))}
	query(t, &runs.Client{Metrics: losses}, "runs", object{"source": series, "adhocFilters": filter, "measures": []string{"best_loss", "last_loss"}})
	last := losses.queries[len(losses.queries)-1]
	require.Contains(t, last, `avg(last_over_time(loss{cluster_id="a"`)
	require.Contains(t, last, `min(min_over_time(loss{cluster_id="a"`)

	found := &engine{value: constant}
	query(t, &runs.Client{Metrics: found}, "runs", object{"source": series, "adhocFilters": filter, "measures": []string{}})
	require.Contains(t, found.queries[0], `timestamp(loss{cluster_id="a"}`)

	compared := &engine{value: constant}
	query(t, &runs.Client{Metrics: compared}, "runComparison", object{"source": byHand(1, ""), "selector": `nodepool_name="p"`, "expr": "avg(x{$selector}) / sum(y)", "adhocFilters": filter})
	require.Equal(t, []string{`avg(x{cluster_id="a",nodepool_name="p"}) / sum(y{cluster_id="a"})`}, compared.queries)
}

// A quote that is escaped ends no text, and one in a comment begins none, so a macro after it is outside.
func TestRunComparison_EscapedQuote(t *testing.T) {
	e := &engine{value: constant}
	query(t, &runs.Client{Metrics: e}, "runComparison", object{"source": byHand(1, ""), "selector": `pool="p"`, "expr": "# it's\n" + `sum(x{a="\"",b='it\'s 5" # wide',$selector,$run})`})
	require.Equal(t, []string{"# it's\n" + `sum(x{a="\"",b='it\'s 5" # wide',pool="p",pool="p"})`}, e.queries)
}

// A baseline that is not among the chosen runs is compared nevertheless.
func TestRunComparison_UntickedBaseline(t *testing.T) {
	e := &engine{value: constant}
	frame := query(t, &runs.Client{Metrics: e}, "runComparison", object{"source": byHand(3, ""), "runs": []string{"1"}, "baseline": "2", "expr": "up"})[0]
	require.Equal(t, []string{"elapsed", "1", "2"}, []string{frame.Fields[0].Name, frame.Fields[1].Name, frame.Fields[2].Name})

	table := query(t, &runs.Client{}, "runs", object{"source": byHand(201, ""), "measures": []string{}, "baseline": "99"})[0]
	require.Equal(t, "99", *table.Fields[0].At(199).(*string), "of 201 the last, and 200 are shown")

	found := gateway{}
	for i := range 25 {
		found = append(found, jobs.Run{Job: jobs.Job{ID: fmt.Sprint(i), Status: "running"}, Start: ago(time.Duration(i+1) * time.Hour)})
	}
	frame = query(t, &runs.Client{Metrics: e, Jobs: found}, "runComparison", object{"baseline": "24", "expr": "up"})[0]
	require.Len(t, frame.Fields, 1+20)
	require.Equal(t, "24", frame.Fields[20].Name, "older than the twenty that are compared")
}

// The points at which GPUs are counted see all minutes of an hour.
func TestRuns_GridIsNoDivisorOfAnHour(t *testing.T) {
	for days := 1; days <= 30; days++ {
		e := &engine{value: constant}
		query(t, &runs.Client{Metrics: e}, "runs", object{"selector": "{}", "measures": []string{"gpus"}, "source": object{"kind": "manual", "runs": []object{
			{"name": "a", "from": fmt.Sprintf("now-%dd", days), "to": "now-5m"},
		}}})
		require.Len(t, e.steps, 1)
		require.False(t, e.odd, "VictoriaMetrics moves such ranges")
		seconds := int(e.steps[0] / 1000)
		seen := map[int]bool{}
		for n := range 360 {
			seen[n*seconds/60%60] = true
		}
		require.Len(t, seen, 60, "%d days: %d s", days, seconds)
		require.LessOrEqual(t, days*86400/seconds, 1440)
	}
}

// Ten thousand GPUs are looked at less often than eight, and their XID codes, which may be there for one scrape, as often.
func TestRuns_GridOfManyGPUs(t *testing.T) {
	day := object{"kind": "manual", "runs": []object{{"name": "a", "from": "now-24h", "to": "now"}}}
	for gpus, want := range map[float64]string{8: ":60s]", 2000: ":370s]", 10_000: ":730s]"} {
		e := answering{&engine{value: constant}, map[string]float64{"series": gpus, "0": gpus}}
		query(t, &runs.Client{Metrics: e}, "runs", object{"selector": "{}", "measures": []string{"sm_activity", "xids"}, "source": day})
		sent := strings.Join(e.queries, "\n")
		require.Contains(t, sent, want)
		require.Contains(t, sent, ":60s] @ ", "codes of %g GPUs", gpus)
	}
}

// The power of a large run is read only if some of its GPUs lack a counter of energy, and the counter once, after it was counted.
func TestRuns_PowerOfLargeRuns(t *testing.T) {
	for all, want := range map[float64]int{1: 0, 0: 1} {
		e := answering{&engine{value: constant}, map[string]float64{"series": 10_000, "0": 10_000, "energy of 0": all}}
		saved := object{"selector": "{}", "measures": []string{"energy"}, "source": byHand(1, "")}
		query(t, &runs.Client{Metrics: e}, "runs", saved)
		sent := strings.Join(e.queries, "")
		require.Equal(t, want, strings.Count(sent, `"energy_drawn"`), "%g", all)
		require.Equal(t, 2+want, strings.Count(sent, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"))
	}
}

// Where samples of GPUs are missing, a notice says how much is covered.
func TestRuns_Coverage(t *testing.T) {
	until := noon.Add(-75 * time.Minute)
	e := &engine{value: func(_ string, at time.Time) *float64 {
		if at.After(until) {
			return nil
		}
		return number(8)
	}}
	frames := query(t, &runs.Client{Metrics: e}, "runs", object{"selector": "{}", "measures": []string{"gpu_hours"}, "source": byHand(1, "")})
	hours, _ := frames[0].FieldByName("gpu_hours")
	require.Equal(t, 6.0, *hours.At(0).(*float64), "45 of 60 minutes of 8 GPUs")
	require.Contains(t, texts(frames), "Samples of GPUs cover 75 % of 0")
	until = noon.Add(-61 * time.Minute)
	require.NotContains(t, texts(query(t, &runs.Client{Metrics: e}, "runs", object{"selector": "{}", "measures": []string{"gpu_hours"}, "source": byHand(1, "")})), "cover")
}

// answering has a result of each part.
type answering struct {
	*engine
	parts map[string]float64
}

func (a answering) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	a.record(q)
	at := time.UnixMilli(q.End)
	var frames data.Frames
	for part, value := range a.parts {
		if strings.Contains(q.Expr, `"`+part+`"`) {
			frames = append(frames, data.NewFrame("", data.NewField("Time", nil, []time.Time{at}), data.NewField("Value", data.Labels{"measure": part}, []float64{value})))
		}
	}
	return promtest.Result(frames), nil
}

// The labels of a rule's numbers stay the same while a run goes on.
func TestRuns_StableLabelsOfNumbers(t *testing.T) {
	e := &engine{value: constant}
	for _, status := range []string{"queued", "running"} {
		found := gateway{{Job: jobs.Job{ID: "a", Status: status, Metadata: map[string]string{"nodepool_name": "p"}}, Start: ago(time.Hour)}}
		frames, err := try(t.Context(), &runs.Client{Metrics: e, Jobs: found}, "runs", object{"measures": []string{"gpus"}}, true)
		require.NoError(t, err)
		require.Equal(t, data.Labels{"run_id": "a", "run": "a"}, frames[0].Fields[0].Labels)
	}
}
