package platform

import (
	"errors"

	"github.com/ohler55/ojg/jp"
)

// errNotApplicable is a JSONPath that can't be evaluated on what the platform sent.
var errNotApplicable = errors.New("the JSONPath can't be applied to the answer")

// jsonPath is a JSONPath whose evaluation fails with an error where the library panics: a filter does on null, for
// example, and what a platform answers is not in the hands of who writes the path.
type jsonPath struct{ expr jp.Expr }

func parseJSONPath(text string) (jsonPath, error) {
	expr, err := jp.ParseString(text)
	return jsonPath{expr}, err
}

// all are the matches in what [Client.parse] has read. Its error is errNotApplicable.
func (p jsonPath) all(answer any) (matches []any, err error) {
	defer func() {
		if recover() != nil {
			matches, err = nil, errNotApplicable
		}
	}()
	return p.expr.Get(answer), nil
}

// first is the first match, or nil. Its error is errNotApplicable.
func (p jsonPath) first(item any) (match any, err error) {
	defer func() {
		if recover() != nil {
			match, err = nil, errNotApplicable
		}
	}()
	return p.expr.First(item), nil
}
