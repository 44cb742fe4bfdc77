package alerts_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/stretchr/testify/require"
)

// period is a time for which an alert was sent as firing, in minutes.
type period struct {
	labels   string
	from, to int
}

// instanceState is the state of an instance between evaluations.
type instanceState struct {
	state       string
	since, last int // minutes
}

// States that last, besides normal, which has none.
const (
	pending    = "Pending"
	recovering = "Recovering"
)

// machine keeps the states of a rule as pkg/services/ngalert/state of Grafana 12.4 does: manager.go and state.go.
type machine struct {
	interval, pending, keep, missing int // minutes
	states                           map[string]instanceState
	periods                          []period
}

func newMachine(r rule) *machine {
	minutes := func(d duration) int { return int(time.Duration(d) / time.Minute) }
	interval := int(r.interval / time.Minute)
	const missingEvaluations = 2 // Grafana's default
	return &machine{
		interval: interval, pending: minutes(r.For), keep: minutes(r.KeepFiringFor), states: map[string]instanceState{},
		missing: interval * max(missingEvaluations, r.MissingEvaluations),
	}
}

// step is an evaluation. Without any result all instances are normal, because that is what the rules say of no data; where there are
// results of others, one that is missing keeps its state for some evaluations.
func (m *machine) step(at int, alerts map[string]bool, isNoData bool) {
	for key, is := range m.states {
		if alerting, there := alerts[key]; there || isNoData {
			if !alerting {
				m.normal(at, key, is)
			}
		} else if at-is.last >= m.missing {
			m.end(at, key, is)
		}
	}
	for key, alerting := range alerts {
		if alerting {
			m.alerts(at, key)
		}
	}
}

func (m *machine) alerts(at int, key string) {
	is := m.states[key]
	switch {
	case is.state == "" && m.pending > 0:
		is = instanceState{state: pending, since: at}
	case is.state == "" || is.state == pending && at-is.since >= m.pending:
		is = instanceState{state: alerting, since: at}
		m.periods = append(m.periods, period{key, at, -1})
	case is.state == recovering:
		is = instanceState{state: alerting, since: at}
	}
	is.last = at
	m.states[key] = is
}

func (m *machine) normal(at int, key string, is instanceState) {
	switch {
	case is.state == alerting && m.keep > 0:
		m.states[key] = instanceState{state: recovering, since: at, last: at}
	case is.state == recovering && at-is.since < m.keep:
		is.last = at
		m.states[key] = is
	default:
		m.end(at, key, is)
	}
}

func (m *machine) end(at int, key string, is instanceState) {
	delete(m.states, key)
	if is.state == pending {
		return
	}
	for i := range m.periods {
		if m.periods[i].labels == key && m.periods[i].to < 0 {
			m.periods[i].to = at
		}
	}
}

// engine evaluates PromQL over the time of a world at once.
var engine = promql.NewEngine(promql.EngineOpts{
	MaxSamples: 500_000_000, Timeout: 10 * time.Minute, LookbackDelta: 5 * time.Minute, Parser: parser.NewParser(parser.Options{}),
	EnableAtModifier: true, EnableNegativeOffset: true,
	NoStepSubqueryIntervalFn: func(int64) int64 { return time.Minute.Milliseconds() },
})

// evaluator returns the label sets of a rule at times from..to, every step minutes, and whether they alert. A time without results is nil.
type evaluator func(t *testing.T, r rule, from, to, step int) []map[string]bool

// ofSeries evaluates rules on metrics alone, at all times of a day at once: an engine looks at each series of a range at each step.
func ofSeries(in storage.Queryable) evaluator {
	return func(t *testing.T, r rule, from, to, step int) (found []map[string]bool) {
		t.Helper()
		for day := day / step * step; from <= to; from += day {
			for _, results := range resultsOfSeries(t, in, r, from, min(to, from+day-step), step) {
				found = append(found, judged(t, r, results))
			}
		}
		return found
	}
}

// resultsOfSeries are the results of a rule's queries, by their letters, at each time.
func resultsOfSeries(t *testing.T, in storage.Queryable, r rule, from, to, step int) []map[string][]value {
	t.Helper()
	at := make([]map[string][]value, (to-from)/step+1)
	for _, n := range r.Data {
		if n.isExpression() {
			continue
		}
		query, err := engine.NewRangeQuery(context.Background(), in, nil, n.Model["expr"].(string), minute(from), minute(to), time.Duration(step)*time.Minute)
		require.NoError(t, err)
		result := query.Exec(context.Background())
		require.NoError(t, result.Err, r.Title)
		for _, s := range result.Value.(promql.Matrix) {
			labels := data.Labels(s.Metric.Map())
			for _, point := range s.Floats {
				index := (int(point.T/60_000) - from) / step
				if at[index] == nil {
					at[index] = map[string][]value{}
				}
				at[index][n.RefID] = append(at[index][n.RefID], value{labels: labels, number: &point.F})
			}
		}
		query.Close()
	}
	return at
}

// judged is what the expressions of a rule make of the results of its queries.
func judged(t *testing.T, r rule, results map[string][]value) map[string]bool {
	t.Helper()
	for _, n := range r.Data {
		if n.isExpression() {
			var err error
			results[n.RefID], err = express(n.Model, results)
			require.NoError(t, err, r.Title)
		}
		if len(results[n.RefID]) == 0 {
			return nil
		}
	}
	return alertsAmong(t, r, states(results, r.Condition))
}

// alertsAmong are the label sets of instances, and whether they alert: nil without any.
func alertsAmong(t *testing.T, r rule, instances []instance) map[string]bool {
	t.Helper()
	var judged map[string]bool
	for _, i := range instances {
		require.NoError(t, i.err, r.Title)
		if i.state == noData {
			continue
		}
		if judged == nil {
			judged = map[string]bool{}
		}
		judged[i.labels.String()] = i.state == alerting
	}
	return judged
}

// window is a time in minutes, from and to.
type window [2]int

// follow returns when the alerts of a rule fire between two times, in minutes, and how many evaluations were made of it.
//
// What is the case at no fifth minute is not the case for five minutes, which is the least that rules wait or look back; and so on for a
// rule that waits for longer, twice in its time, where it has to be the case twice in a row. So the rule is evaluated that often, or around
// where it is the case if every is more, and at its own interval from before it is the case until all instances are normal again.
func follow(t *testing.T, evaluations evaluator, r rule, from, to, every int) (fired []period, evaluated int) {
	t.Helper()
	m := newMachine(r)
	often, windows := max(5, m.pending/10*5), []window{{from, to}}
	for _, step := range slices.Compact([]int{max(every, often), often}) {
		var narrower []window
		for _, w := range windows {
			found := evaluations(t, r, w[0], w[1], step)
			evaluated += len(found)
			for i, judged := range found {
				if !slices.Contains(slices.Collect(maps.Values(judged)), true) ||
					2*step <= m.pending && isNormalBeside(judged, found, i-1) && isNormalBeside(judged, found, i+1) {
					continue
				}
				begin, end := max(from, w[0]+step*(i-1)), min(to, w[0]+step*(i+1))
				if last := len(narrower) - 1; last >= 0 && begin <= narrower[last][1] {
					narrower[last][1] = end
				} else {
					narrower = append(narrower, window{begin, end})
				}
			}
		}
		windows = narrower
	}
	at := from
	for _, w := range windows {
		m = newMachine(r)
		at = max(at, w[0]/m.interval*m.interval)
		for until := w[1]; at <= min(to, until); until += m.interval + m.pending + m.keep + m.missing {
			found := evaluations(t, r, at, min(to, until), m.interval)
			for k, judged := range found {
				m.step(at+k*m.interval, judged, judged == nil)
			}
			at, evaluated = at+len(found)*m.interval, evaluated+len(found)
			if len(m.states) == 0 {
				break
			}
		}
		fired = append(fired, m.periods...)
	}
	return fired, evaluated
}

// isNormalBeside reports whether all instances that alert at one evaluation are normal at another: neither alerting nor missing there.
func isNormalBeside(judged map[string]bool, found []map[string]bool, other int) bool {
	if other < 0 || other >= len(found) || found[other] == nil {
		return true
	}
	for key, alerting := range judged {
		if still, there := found[other][key]; alerting && (still || !there) {
			return false
		}
	}
	return true
}

func (p period) String() string {
	clock := func(m int) string { return fmt.Sprintf("day %d %02d:%02d", m/1440, m/60%24, m%60) }
	end := "now"
	if p.to >= 0 {
		end = clock(p.to)
	}
	return fmt.Sprintf("%s to %s %s", clock(p.from), end, p.labels)
}
