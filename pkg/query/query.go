package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
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

func (e *Error) Error() string {
	text := e.Field + ": " + e.Message
	if len(text) <= maxLength {
		return text
	}
	return strings.ToValidUTF8(text[:maxLength], "") + "…"
}

// Unreadable converts the error of decoding the JSON of a query.
func Unreadable(err error) *Error {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Field != "" {
		held, _, _ := strings.Cut(mismatch.Value, " ") // a number that is too large is given with its kind
		return &Error{"Query", fmt.Sprintf("field %q holds %s where %s belongs.", mismatch.Field, jsonKinds[held], jsonKind(mismatch.Type))}
	}
	return &Error{"Query", "it is not a JSON object."}
}

// jsonKinds are the kinds of JSON values as the JSON package calls them, in words for users.
var jsonKinds = map[string]string{"string": "a text", "number": "a number", "bool": "true or false", "array": "a list", "object": "an object"}

// jsonKind is the kind of JSON value that a Go type is read from, in words for users.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return "a number"
	}
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

// UnknownType is the error for a query type that this version of the plugin does not have.
func UnknownType(queryType string) *Error {
	return &Error{"Query type", fmt.Sprintf("%q is not known to this version of the plugin.", queryType)}
}
