package platform

import (
	"maps"
	"regexp"
	"slices"
	"time"
)

const (
	// mostSeen bounds how many members, and how many lists, a response names.
	mostSeen = 100
	// itemsSeen is how many items members are looked for in: items of one list rarely differ.
	itemsSeen = 20
	// deepestSeen is how far nested objects are followed.
	deepestSeen = 3
)

// seen is what a query editor offers as columns and as root. It is in the custom metadata of a list's frame.
type seen struct {
	// Members are the members of items that hold a single value.
	Members []seenMember `json:"members"`
	// Roots are JSONPaths of the lists in the response.
	Roots []string `json:"roots"`
}

// seenMember names a member as a column's selector does, with the type of its first value.
type seenMember struct {
	Selector string `json:"selector"`
	Type     string `json:"type,omitempty"`
}

// plainName is a member's name that needs no quotes in a JSONPath.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// seenMembers finds the members of items, in the order of their names.
func seenMembers(items []any) []seenMember {
	types := map[string]string{}
	for _, item := range items[:min(len(items), itemsSeen)] {
		if object, ok := item.(map[string]any); ok {
			addMembers(types, object, "", 1)
		}
	}
	members := []seenMember{}
	for _, selector := range slices.Sorted(maps.Keys(types)) {
		members = append(members, seenMember{selector, types[selector]})
	}
	return members
}

func addMembers(types map[string]string, object map[string]any, parent string, depth int) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		selector := parent + name
		nested, isObject := object[name].(map[string]any)
		if _, isList := object[name].([]any); isList || parent != "" && !plainName.MatchString(name) {
			continue
		}
		if isObject {
			if depth < deepestSeen && plainName.MatchString(name) {
				if parent == "" {
					selector = "$." + name
				}
				addMembers(types, nested, selector+".", depth+1)
			}
			continue
		}
		if known, ok := types[selector]; known != "" || !ok && len(types) >= mostSeen {
			continue
		}
		types[selector] = seenType(object[name])
	}
}

// seenType is the type that a column of a value should have; empty if there is no value.
func seenType(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		return TypeBoolean
	case string:
		if _, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return TypeTime
		}
		return TypeString
	}
	return TypeNumber
}

// seenRoots finds the lists of a response that are below objects only, outermost first.
func seenRoots(answer any) []string {
	type place struct {
		path  string
		value any
	}
	roots := []string{}
	level := []place{{"$", answer}}
	for depth := 0; depth <= deepestSeen && len(roots) < mostSeen; depth++ {
		var next []place
		for _, at := range level {
			switch value := at.value.(type) {
			case []any:
				roots = append(roots, at.path)
			case map[string]any:
				for _, name := range slices.Sorted(maps.Keys(value)) {
					if plainName.MatchString(name) && len(next) < mostSeen {
						next = append(next, place{at.path + "." + name, value[name]})
					}
				}
			}
		}
		level = next
	}
	return roots[:min(len(roots), mostSeen)]
}
