package alerts_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
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

// calculate evaluates a formula: pkg/expr/mathexp/exp.go. Grafana's formulas are Go's apart from the $ of names.
func calculate(formula string, results map[string][]value) ([]value, error) {
	tree, err := parser.ParseExpr(strings.ReplaceAll(formula, "$", ""))
	if err != nil {
		return nil, err
	}
	return walk(tree, results)
}

func walk(tree ast.Expr, results map[string][]value) ([]value, error) {
	switch n := tree.(type) {
	case *ast.BasicLit:
		number, err := strconv.ParseFloat(n.Value, 64)
		return []value{{number: &number}}, err
	case *ast.Ident:
		found, ok := results[n.Name]
		if !ok {
			return nil, fmt.Errorf("$%s does not exist", n.Name)
		}
		return found, nil
	case *ast.ParenExpr:
		return walk(n.X, results)
	case *ast.BinaryExpr:
		a, err := walk(n.X, results)
		if err != nil {
			return nil, err
		}
		b, err := walk(n.Y, results)
		if err != nil {
			return nil, err
		}
		return combine(n.Op, a, b)
	}
	return nil, fmt.Errorf("a formula with %T", tree)
}

// combine joins values of which one has the labels of the other, and maybe more: union in pkg/expr/mathexp/exp.go.
func combine(op token.Token, left, right []value) ([]value, error) {
	var joined []value
	for _, a := range left {
		for _, b := range right {
			labels := a.labels
			if b.labels.Contains(a.labels) {
				labels = b.labels
			} else if !a.labels.Contains(b.labels) {
				continue
			}
			number, err := binary(op, a.number, b.number)
			if err != nil {
				return nil, err
			}
			joined = append(joined, value{labels: labels, number: number})
		}
	}
	return joined, nil
}

func binary(op token.Token, a, b *float64) (*float64, error) {
	if a == nil || b == nil {
		return nil, nil
	}
	result := math.NaN()
	switch {
	case math.IsNaN(*a) || math.IsNaN(*b):
	case op == token.LAND:
		result = truth(*a != 0 && *b != 0)
	case op == token.GTR:
		result = truth(*a > *b)
	case op == token.LSS:
		result = truth(*a < *b)
	case op == token.SUB:
		result = *a - *b
	case op == token.MUL:
		result = *a * *b
	default:
		return nil, fmt.Errorf("operator %s", op)
	}
	return &result, nil
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
