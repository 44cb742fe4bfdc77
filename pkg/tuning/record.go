package tuning

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// record is one object of the gateway. Its methods answer with nothing where a member is missing, null or of another type.
type record map[string]json.RawMessage

// parseRecord returns nil for anything but an object.
func parseRecord(raw json.RawMessage) record {
	var r record
	if json.Unmarshal(raw, &r) != nil {
		return nil
	}
	return r
}

// text returns the first of the members that is a string with something in it.
func (r record) text(names ...string) string {
	for _, name := range names {
		var s string
		if json.Unmarshal(r[name], &s) == nil && strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// id is a member that names something: deployments write some ids as numbers.
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

// lastSecond is the end of the year 9999. What lies beyond is no Unix time in seconds.
const lastSecond = 253402300799

// time returns the first of the members that is a time: Unix seconds, or RFC 3339 text. 0 is how some deployments say null.
func (r record) time(names ...string) *time.Time {
	for _, name := range names {
		if n := r.number(name); n != nil {
			if *n > 0 && *n <= lastSecond {
				at := time.UnixMilli(int64(math.Round(*n * 1000))).UTC()
				return &at
			}
			continue
		}
		if at, err := time.Parse(time.RFC3339, r.text(name)); err == nil {
			at = at.UTC()
			return &at
		}
	}
	return nil
}

// object returns a member that is an object, or nil, of which every member is missing.
func (r record) object(name string) record { return parseRecord(r[name]) }

// list returns the members of an array, whatever they are.
func (r record) list(name string) []json.RawMessage {
	var all []json.RawMessage
	if json.Unmarshal(r[name], &all) != nil {
		return nil
	}
	return all
}
