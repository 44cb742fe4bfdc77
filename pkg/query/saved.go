package query

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// Texts are the entries of a list. Saved as a single text, as people write it by hand, it is a list of one.
type Texts []string

// UnmarshalJSON reads a list or a text. Its error is a *json.UnmarshalTypeError.
func (t *Texts) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil && string(raw) != "null" {
		*t = Texts{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// Number is a number. Provisioning turns one that is quoted, or comes from a variable within a text, into a text: "5".
type Number float64

// UnmarshalJSON reads a number or a text that holds one; an empty text is 0. Its error is a *json.UnmarshalTypeError.
func (n *Number) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return json.Unmarshal(raw, (*float64)(n))
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[float64]()}
	}
	*n = Number(value)
	return nil
}
