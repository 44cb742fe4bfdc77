// Package query holds what the services' query types have in common.
package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Error is a query that can't be run as it is written.
type Error struct {
	// Field names the part of the query that is wrong, in the words of the editor.
	Field string
	// Message says what is wrong with it.
	Message string
}

// longest is how long an error's text gets, in bytes: it may quote the query, which can be of any length.
const longest = 2000

func (e *Error) Error() string {
	text := e.Field + ": " + e.Message
	if len(text) <= longest {
		return text
	}
	cut := longest
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// Unreadable explains why a query's JSON can't be decoded.
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
