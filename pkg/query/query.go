package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Error is the error of an invalid query.
type Error struct {
	// Field is the label of the invalid field in the query editor.
	Field string
	// Message describes the error.
	Message string
}

// maxLength bounds the length of the text of an error, in bytes: it may quote the query, which can be of any length.
const maxLength = 2000

func (e *Error) Error() string { return transport.Shorten(e.Field+": "+e.Message, maxLength) }

// Unreadable converts the error of decoding the JSON of a query.
func Unreadable(err error) *Error {
	if wrong := WrongType(err); wrong != "" {
		return &Error{"Query", wrong + "."}
	}
	return &Error{"Query", "it is not a JSON object."}
}

// WrongType says which field of JSON that could not be decoded has the wrong type, and which it must have, or which bound it exceeds; "" without
// such a field.
func WrongType(err error) string {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) || mismatch.Field == "" {
		return ""
	}
	field := mismatch.Field[strings.LastIndex(mismatch.Field, ".")+1:] // the path has the names of embedded structs, which no query has
	if mismatch.Type == reflect.TypeFor[Choices]() {
		return fmt.Sprintf("field %q %s", field, mismatch.Value)
	}
	want, isKnown := map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.String: "a string", reflect.Slice: "a list", reflect.Struct: "an object", reflect.Map: "an object",
	}[mismatch.Type.Kind()]
	if !isKnown {
		want = "a number"
	}
	given, _, _ := strings.Cut(mismatch.Value, " ") // a number that is too large is given after it
	return fmt.Sprintf("field %q must be %s, not a JSON %s", field, want, given)
}

// OneOf is an *[Error] for a value that an option can't have, or nil. The empty text among those that it can stands for a default.
func OneOf(field, given string, known ...string) error {
	if slices.Contains(known, given) {
		return nil
	}
	known = slices.DeleteFunc(slices.Clone(known), func(s string) bool { return s == "" })
	last := len(known) - 1
	use := known[last]
	if last > 0 {
		use = strings.Join(known[:last], ", ") + " or " + use
	}
	return &Error{field, fmt.Sprintf("%q is not known. Use %s.", Shorten(given), use)}
}

// AtMost is an *[Error] for more of something than the limit, or nil. In the sentence, %d is how much there is: "it has %d bytes".
func AtMost(field, sentence string, count, limit int) error {
	if count <= limit {
		return nil
	}
	return &Error{field, fmt.Sprintf(sentence+", and the limit is %d.", count, limit)}
}

// UnknownType is the error for a query type that this version of the plugin does not have.
func UnknownType(queryType string) *Error {
	return &Error{"Query type", fmt.Sprintf("%q is not known to this version of the plugin.", queryType)}
}

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
