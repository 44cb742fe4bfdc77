package alerts_test

import (
	"encoding/json"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// expression has the members of Grafana's server-side expressions that the rules use.
type expression struct {
	Type       string `json:"type"`
	Expression string `json:"expression"`
	Conditions []struct {
		Evaluator struct {
			Type   string    `json:"type"`
			Params []float64 `json:"params"`
		} `json:"evaluator"`
	} `json:"conditions"`
}

func express(model map[string]any, results map[string][]value) ([]value, error) {
	encoded, err := json.Marshal(model)
	if err != nil {
		return nil, err
	}
	var e expression
	if err := json.Unmarshal(encoded, &e); err != nil {
		return nil, err
	}
	switch e.Type {
	case "threshold":
		return e.threshold(results)
	case "math":
		return calculate(e.Expression, results)
	}
	return nil, fmt.Errorf("expression type %q", e.Type)
}

// threshold makes each number 1 or 0: pkg/expr/threshold.go.
func (e *expression) threshold(results map[string][]value) ([]value, error) {
	input, ok := results[e.Expression]
	if !ok {
		return nil, fmt.Errorf("%s of %q, which does not exist", e.Type, e.Expression)
	}
	if len(e.Conditions) != 1 || len(e.Conditions[0].Evaluator.Params) != 1 {
		return nil, fmt.Errorf("a threshold has one condition with one limit")
	}
	limit := e.Conditions[0].Evaluator.Params[0]
	exceeds, ok := map[string]func(float64) bool{
		"gt": func(v float64) bool { return v > limit },
		"lt": func(v float64) bool { return v < limit },
	}[e.Conditions[0].Evaluator.Type]
	if !ok {
		return nil, fmt.Errorf("threshold %q", e.Conditions[0].Evaluator.Type)
	}
	var judged []value
	for _, v := range input {
		judged = append(judged, value{labels: v.labels, number: apply(func(n float64) float64 { return truth(exceeds(n)) }, v.number)})
	}
	return judged, nil
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
				number := truth(constant.BoolVal(is.Value))
				one.number = &number
			}
			joined = append(joined, one)
		}
	}
	return joined, nil
}

func apply(f func(float64) float64, to *float64) *float64 {
	if to == nil {
		return nil
	}
	result := f(*to)
	return &result
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
