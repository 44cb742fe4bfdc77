package tuning

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/timestamp"
)

// record is an object of the gateway. Its methods return zero values if a member is missing, null or of another type.
type record map[string]json.RawMessage

// parseRecord returns nil for anything but an object.
func parseRecord(raw json.RawMessage) record {
	var r record
	if json.Unmarshal(raw, &r) != nil {
		return nil
	}
	return r
}

// text returns the first of the members that is a string and not blank.
func (r record) text(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(r[name], &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// id is a member with an id, which some deployments write as a number.
func (r record) id(name string) string {
	if s := r.text(name); s != "" {
		return s
	}
	var n json.Number
	if json.Unmarshal(r[name], &n) == nil {
		return n.String()
	}
	return ""
}

// maxTexts bounds the members of texts. The OpenAI API allows 16 in metadata.
const maxTexts = 32

// texts are the members that are texts or numbers, or nil if there are too many.
func (r record) texts() map[string]string {
	if len(r) > maxTexts {
		return nil
	}
	values := make(map[string]string, len(r))
	for name := range r {
		if value := r.id(name); value != "" {
			values[name] = value
		}
	}
	return values
}

// number returns the first of the members that is a finite number, as a number or written as text.
func (r record) number(names ...string) *float64 {
	for _, name := range names {
		raw := string(r[name])
		var s string
		if json.Unmarshal(r[name], &s) == nil {
			raw = strings.TrimSpace(s)
		}
		if n, err := strconv.ParseFloat(raw, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return &n
		}
	}
	return nil
}

// notFinite returns what a text such as "NaN" or "-Infinity" stands for, which JSON has no number for, else nil.
func notFinite(raw json.RawMessage) *float64 {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !math.IsNaN(n) && !math.IsInf(n, 0) {
		return nil
	}
	return &n
}

// time returns the first of the members that is a time, as a number or a string; see package timestamp.
func (r record) time(names ...string) *time.Time {
	for _, name := range names {
		text := string(r[name])
		var s string
		if json.Unmarshal(r[name], &s) == nil {
			text = s
		}
		if at, ok := timestamp.Parse(text); ok {
			return &at
		}
	}
	return nil
}

// object returns a member that is an object, or nil, which has no members.
func (r record) object(name string) record { return parseRecord(r[name]) }

// list returns the elements of an array.
func (r record) list(name string) []json.RawMessage {
	var all []json.RawMessage
	if json.Unmarshal(r[name], &all) != nil {
		return nil
	}
	return all
}
