package placement

import (
	"math"
	"strconv"
	"strings"
)

// item is an object of a list of the main API. The specification doesn't say which members it has, so each is looked up under
// the names that APIs of GPU clouds give it.
type item map[string]any

// text is the first of the members that is a text and not blank, or "".
func (i item) text(members ...string) string {
	for _, member := range members {
		if text, ok := i[member].(string); ok && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// number is the first of the members that is a finite number, also one that is written as a text.
func (i item) number(members ...string) (float64, bool) {
	for _, member := range members {
		var value float64
		switch v := i[member].(type) {
		case float64:
			value = v
		case int64:
			value = float64(v)
		case string:
			parsed, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			if err != nil {
				continue
			}
			value = parsed
		default:
			continue
		}
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			return value, true
		}
	}
	return 0, false
}

// object is a member that is an object, or nil.
func (i item) object(member string) item {
	object, _ := i[member].(map[string]any)
	return object
}

// location is where an item is; "" if it is everywhere or doesn't say.
func (i item) location() string {
	where := i.text("location", "region", "zone")
	switch strings.ToLower(where) {
	case "global", "all", "any", "*":
		return ""
	}
	return where
}

// objects are the items of a list that are objects.
func objects(list []any) []item {
	var found []item
	for _, one := range list {
		if object, ok := one.(map[string]any); ok {
			found = append(found, object)
		}
	}
	return found
}
