package alerts_test

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

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
