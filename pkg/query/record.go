package query

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Record is an object of a response of the platform, of which the specification guarantees little. Its methods return zero
// values if a member is missing, null or of another type.
type Record map[string]json.RawMessage

// MaxMembers bounds the members of an object. Each takes many times its length when it is parsed.
const MaxMembers = 1000

// ParseRecord returns nil for anything but an object with at most [MaxMembers].
func ParseRecord(raw json.RawMessage) Record {
	var r Record
	if Members(raw) > MaxMembers || json.Unmarshal(raw, &r) != nil {
		return nil
	}
	return r
}

// Members is the number of members of an object, which is valid JSON. It parses none of them.
func Members(raw json.RawMessage) (n int) {
	depth, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		case c == ':' && depth == 1:
			n++
		}
	}
	return n
}

// Text returns the first of the members that is a string and not blank.
func (r Record) Text(names ...string) string {
	for _, name := range names {
		if s, ok := Text(r[name]); ok && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// Text is the text of a JSON string. Most have no escapes, and need no decoder.
func Text(raw json.RawMessage) (text string, ok bool) {
	if n := len(raw); n >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : n-1]), true
	}
	return text, json.Unmarshal(raw, &text) == nil
}

// ID is a member with an id, which some deployments write as a number.
func (r Record) ID(name string) string {
	if s := r.Text(name); s != "" {
		return s
	}
	var n json.Number
	if json.Unmarshal(r[name], &n) == nil {
		return n.String()
	}
	return ""
}

// maxTexts bounds the members of Texts. The OpenAI API allows 16 in metadata.
const maxTexts = 32

// Texts are the members that are texts or numbers, or nil if there are too many.
func (r Record) Texts() map[string]string {
	if len(r) > maxTexts {
		return nil
	}
	values := make(map[string]string, len(r))
	for name := range r {
		if value := r.ID(name); value != "" {
			values[name] = value
		}
	}
	return values
}

// Number returns the first of the members that is a finite number, as a number or written as text.
func (r Record) Number(names ...string) *float64 {
	for _, name := range names {
		if n, err := strconv.ParseFloat(unquoted(r[name]), 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return &n
		}
	}
	return nil
}

// Amount returns the first of the members that is a number and not negative: some write -1 for what is not known.
func (r Record) Amount(names ...string) *float64 {
	for _, name := range names {
		if n := r.Number(name); n != nil && *n >= 0 {
			return n
		}
	}
	return nil
}

// Measurement returns a member that is a number, also if it is not finite: a text such as "NaN" or "-Infinity", which JSON has no number for.
func (r Record) Measurement(name string) *float64 {
	n, err := strconv.ParseFloat(unquoted(r[name]), 64)
	if err != nil {
		return nil
	}
	return &n
}

// Bool returns a member that is true or false, also written as text, or nil.
func (r Record) Bool(name string) *bool {
	b, err := strconv.ParseBool(unquoted(r[name]))
	if err != nil || len(r[name]) == 1 { // 0 and 1 are numbers
		return nil
	}
	return &b
}

// Time returns the first of the members that is a time, as a number or a string, or the zero time; see ParseTime.
func (r Record) Time(names ...string) time.Time {
	for _, name := range names {
		if at, ok := ParseTime(unquoted(r[name])); ok {
			return at
		}
	}
	return time.Time{}
}

// Object returns a member that is an object, or nil, which has no members.
func (r Record) Object(name string) Record { return ParseRecord(r[name]) }

// unquoted is a value as text: that of a string, or the JSON of another value.
func unquoted(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] != '"' { // looked at first, because a decoder takes long to refuse a number
		return string(raw)
	}
	if s, isText := Text(raw); isText {
		return strings.TrimSpace(s)
	}
	return string(raw)
}
