package query

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// Parse reads the options of a query as they are saved. Its error is an *Error.
func Parse[T any](saved backend.DataQuery) (options T, err error) {
	if err := json.Unmarshal(saved.JSON, &options); err != nil {
		return options, Unreadable(err)
	}
	return options, nil
}

// Texts is a list of strings. Hand-written JSON may have a single string instead, which is a list of one.
type Texts []string

// UnmarshalJSON decodes a list or a string. Its error is a *json.UnmarshalTypeError.
func (t *Texts) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil && string(raw) != "null" {
		*t = Texts{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// Number is a number. Provisioning converts numbers that are quoted, or from variables within a string, into strings: "5".
type Number float64

// UnmarshalJSON decodes a number or a string with a number; an empty string is 0. Its error is a *json.UnmarshalTypeError.
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
