package alerts_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/stretchr/testify/require"
)

// engine evaluates PromQL over the time of a world at once.
var engine = promql.NewEngine(promql.EngineOpts{
	MaxSamples: 500_000_000, Timeout: 10 * time.Minute, LookbackDelta: 5 * time.Minute, Parser: parser.NewParser(parser.Options{}),
	EnableAtModifier: true, EnableNegativeOffset: true,
	NoStepSubqueryIntervalFn: func(int64) int64 { return time.Minute.Milliseconds() },
})

// fired are the alerts of a rule on metrics between two times, in minutes: label sets that are the case for its pending time. Each of them is
// the case at a multiple of that, or of five minutes, which is the least that rules wait or look back. So the rule is evaluated that often,
// and at its own interval around where it is the case.
func fired(t *testing.T, in storage.Queryable, r rule, from, to int) (alerts []string) {
	t.Helper()
	interval, pending := int(r.interval/time.Minute), int(time.Duration(r.For)/time.Minute)
	step := max(5, pending)
	for i, now := range alertsOver(t, in, r, from, to, step) {
		if len(now) == 0 {
			continue
		}
		at := from + i*step
		evaluations := map[string]int{}
		for _, alerting := range alertsOver(t, in, r, max(from, at-pending), min(to, at+pending), interval) {
			for key := range evaluations {
				if !alerting[key] {
					delete(evaluations, key)
				}
			}
			for key := range alerting {
				if evaluations[key]++; (evaluations[key]-1)*interval == pending {
					alerts = append(alerts, fmt.Sprintf("around minute %d: %s", at, key))
				}
			}
		}
	}
	return alerts
}

// alertsOver are the label sets of a rule that are the case at times from..to, every step minutes. An engine looks at each series of a range
// at each step, so a day is evaluated at once.
func alertsOver(t *testing.T, in storage.Queryable, r rule, from, to, step int) (found []map[string]bool) {
	t.Helper()
	for day := day / step * step; from <= to; from += day {
		for _, results := range resultsOver(t, in, r, from, min(to, from+day-step), step) {
			alerts := map[string]bool{}
			for _, i := range r.judge(results) {
				require.NoError(t, i.err, r.Title)
				if i.state == alerting {
					alerts[i.labels.String()] = true
				}
			}
			found = append(found, alerts)
		}
	}
	return found
}

// resultsOver are the results of a rule's queries, by their letters, at each time.
func resultsOver(t *testing.T, in storage.Queryable, r rule, from, to, step int) []map[string][]value {
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

// TestRules_HealthyFleets follows every rule on metrics alone through days of three healthy fleets, and expects no alert.
func TestRules_HealthyFleets(t *testing.T) {
	for name, fleet := range map[string]func() *world{"training": trainingFleet, "serving": servingFleet, "notebooks": notebooksFleet} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fleet()
			for _, r := range rules(t) {
				if !r.isPromQL() {
					continue
				}
				for _, alert := range fired(t, w.series, r, 2*day, w.length-1) {
					t.Errorf("%s: %s", r.Title, alert)
				}
			}
		})
	}
}
