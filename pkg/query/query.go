package query

import (
	"encoding/json"
	"errors"
	"fmt"
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
		return &Error{"Query", fmt.Sprintf("field %q holds a %s where a %s belongs.", mismatch.Field, mismatch.Value, mismatch.Type)}
	}
	return &Error{"Query", "it is not a JSON object."}
}

// UnknownType is the error for a query type that this version of the plugin does not have.
func UnknownType(queryType string) *Error {
	return &Error{"Query type", fmt.Sprintf("%q is not known to this version of the plugin.", queryType)}
}
