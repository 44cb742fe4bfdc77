package alerts_test

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/dataplane/sdata/numeric"
	"github.com/grafana/dataplane/sdata/reader"
	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

// The states of an alert instance.
const (
	normal   = "Normal"
	alerting = "Alerting"
	noData   = "NoData"
	failed   = "Error"
)

// instance is the state of one label set of a rule, and its numbers by refId.
type instance struct {
	state  string
	labels data.Labels
	values map[string]float64
	err    error
}

// value is a number of one label set. A nil number is null.
type value struct {
	labels data.Labels
	number *float64
}

// evaluate returns the states of a rule at a time, like pkg/services/ngalert/eval and pkg/expr of grafana/grafana.
func evaluate(t *testing.T, ds backend.QueryDataHandler, r rule, at time.Time) []instance {
	t.Helper()
	results := map[string][]value{}
	for _, n := range r.Data {
		if n.isExpression() {
			continue
		}
		var err error
		if results[n.RefID], err = query(t, ds, n, at); err != nil {
			return []instance{{state: failed, err: err}}
		}
	}
	return r.judge(results)
}

// judge is what the expressions of a rule make of the results of its queries. If a query has no result, the rule has none.
func (r rule) judge(results map[string][]value) []instance {
	for _, n := range r.Data {
		if n.isExpression() {
			var err error
			if results[n.RefID], err = express(n.Model, results); err != nil {
				return []instance{{state: failed, err: err}}
			}
		}
		if len(results[n.RefID]) == 0 {
			return []instance{{state: noData}}
		}
	}
	return states(results, r.Condition)
}

// query runs a query like Grafana's alerting.
func query(t *testing.T, ds backend.QueryDataHandler, n node, at time.Time) ([]value, error) {
	t.Helper()
	const defaultInterval, defaultPoints = time.Second, 43200 // of alert queries that name none
	like := backend.DataQuery{Interval: defaultInterval, MaxDataPoints: defaultPoints, TimeRange: backend.TimeRange{
		From: at.Add(-time.Duration(n.RelativeTimeRange.From) * time.Second),
		To:   at.Add(-time.Duration(n.RelativeTimeRange.To) * time.Second),
	}}
	response := datasource.Query(t, ds, map[string]string{backend.FromAlertHeaderName: "true"}, like, n.Model)[n.RefID]
	if response.Error != nil {
		return nil, response.Error
	}
	return read(response.Frames)
}

// read returns the values of frames, which must say that they are numbers: a rule that reads series would need an expression that no rule has.
func read(frames data.Frames) ([]value, error) {
	kind, err := reader.CanReadBasedOnMeta(frames)
	if err != nil {
		return nil, fmt.Errorf("frames that say nothing of what they are: %w", err)
	}
	if kind.Kind() != data.KindNumeric {
		return nil, fmt.Errorf("%s can't be used in an alert rule", kind)
	}
	collection, err := numeric.CollectionReaderFromFrames(frames)
	if err != nil {
		return nil, err
	}
	numbers, err := collection.GetCollection(false)
	if err != nil || numbers.NoData() {
		return nil, err
	}
	var values []value
	for _, ref := range numbers.Refs {
		number, _, err := ref.NullableFloat64Value()
		if err != nil {
			return nil, err
		}
		values = append(values, value{labels: ref.GetLabels(), number: number})
	}
	return values, nil
}

// states maps the numbers of the condition to states: null is no data, 0 is normal, any other number, NaN included, alerts.
func states(results map[string][]value, condition string) []instance {
	var instances []instance
	seen := map[string]bool{}
	for _, v := range results[condition] {
		if seen[v.labels.String()] {
			return []instance{{state: failed, err: fmt.Errorf("the labels %s are there twice", v.labels)}}
		}
		seen[v.labels.String()] = true
		one := instance{state: alerting, labels: v.labels, values: numbersOf(results, v.labels)}
		if v.number == nil {
			one.state = noData
		} else if *v.number == 0 {
			one.state = normal
		}
		instances = append(instances, one)
	}
	return instances
}

// numbersOf are the numbers of one label set, as $values has them: a null is NaN there.
func numbersOf(results map[string][]value, labels data.Labels) map[string]float64 {
	numbers := map[string]float64{}
	for refID, values := range results {
		for _, v := range values {
			if !v.labels.Equals(labels) {
				continue
			}
			numbers[refID] = math.NaN()
			if v.number != nil {
				numbers[refID] = *v.number
			}
		}
	}
	return numbers
}

// express evaluates a server-side expression of Grafana's: a threshold of the numbers of A, pkg/expr/threshold.go, or a formula of A and B.
func express(model map[string]any, results map[string][]value) ([]value, error) {
	formula, _ := model["expression"].(string)
	if model["type"] == "math" {
		return calculate(formula, results)
	}
	var judged []value
	evaluator := model["conditions"].([]any)[0].(map[string]any)["evaluator"].(map[string]any)
	limit, err := strconv.ParseFloat(fmt.Sprint(evaluator["params"].([]any)[0]), 64)
	for _, v := range results[formula] {
		one := value{labels: v.labels}
		if v.number != nil {
			one.number = truth(evaluator["type"] == "gt" && *v.number > limit || evaluator["type"] == "lt" && *v.number < limit)
		}
		judged = append(judged, one)
	}
	return judged, err
}

// calculate evaluates a formula of A and B: pkg/expr/mathexp/exp.go. Numbers are joined whose labels are equal, or more than those of the other.
// With its names replaced by numbers, a formula of Grafana's is a constant of Go's.
func calculate(formula string, results map[string][]value) ([]value, error) {
	var joined []value
	for _, a := range results["A"] {
		for _, b := range results["B"] {
			labels := a.labels
			if b.labels.Contains(a.labels) {
				labels = b.labels
			} else if !a.labels.Contains(b.labels) {
				continue
			}
			one := value{labels: labels}
			if a.number != nil && b.number != nil {
				of := strings.NewReplacer("$A", strconv.FormatFloat(*a.number, 'g', -1, 64), "$B", strconv.FormatFloat(*b.number, 'g', -1, 64))
				is, err := types.Eval(token.NewFileSet(), nil, token.NoPos, of.Replace(formula))
				if err != nil {
					return nil, err
				}
				one.number = truth(constant.BoolVal(is.Value))
			}
			joined = append(joined, one)
		}
	}
	return joined, nil
}

func truth(is bool) *float64 {
	number := 0.0
	if is {
		number = 1
	}
	return &number
}
