package platform

import (
	"maps"
	"regexp"
	"slices"
	"time"
)

const (
	// maxOffered bounds the number of members, and of lists, in the metadata.
	maxOffered = 100
	// sampledItems is the number of items whose members are in the metadata. Items of one list rarely differ.
	sampledItems = 20
	// maxDepth is the depth up to which nested objects are searched.
	maxDepth = 3
)

// editorMetadata is the custom metadata of a list's frame, which query editors offer as columns and roots.
type editorMetadata struct {
	// Members are the items' members with a single value.
	Members []memberType `json:"members"`
	// Roots are JSONPaths of the lists in the response.
	Roots []string `json:"roots"`
}

// memberType is a member, as the selector of a column, with the type of its first value.
type memberType struct {
	Selector string `json:"selector"`
	Type     string `json:"type,omitempty"`
}

// simpleName matches a member's name that needs no quotes in a JSONPath.
var simpleName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// memberTypes are the members of items, sorted by name.
func memberTypes(items []any) []memberType {
	types := map[string]string{}
	for _, item := range items[:min(len(items), sampledItems)] {
		if object, ok := item.(map[string]any); ok {
			addMembers(types, object, "", 1)
		}
	}
	members := []memberType{}
	for _, selector := range slices.Sorted(maps.Keys(types)) {
		members = append(members, memberType{selector, types[selector]})
	}
	return members
}

func addMembers(types map[string]string, object map[string]any, parent string, depth int) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		selector := parent + name
		nested, isObject := object[name].(map[string]any)
		if _, isList := object[name].([]any); isList || parent != "" && !simpleName.MatchString(name) {
			continue
		}
		if isObject {
			if depth < maxDepth && simpleName.MatchString(name) {
				if parent == "" {
					selector = "$." + name
				}
				addMembers(types, nested, selector+".", depth+1)
			}
			continue
		}
		if known, ok := types[selector]; known != "" || !ok && len(types) >= maxOffered {
			continue
		}
		types[selector] = typeOf(object[name])
	}
}

// typeOf is the type of the column for a value, or empty for null.
func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		return typeBoolean
	case string:
		if _, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return typeTime
		}
		return typeString
	}
	return typeNumber
}

// listRoots are the JSONPaths of the lists in a response that are not within other lists, outermost first.
func listRoots(response any) []string {
	type node struct {
		path  string
		value any
	}
	roots := []string{}
	level := []node{{"$", response}}
	for depth := 0; depth <= maxDepth && len(roots) < maxOffered; depth++ {
		var next []node
		for _, at := range level {
			switch value := at.value.(type) {
			case []any:
				roots = append(roots, at.path)
			case map[string]any:
				for _, name := range slices.Sorted(maps.Keys(value)) {
					if simpleName.MatchString(name) && len(next) < maxOffered {
						next = append(next, node{at.path + "." + name, value[name]})
					}
				}
			}
		}
		level = next
	}
	return roots[:min(len(roots), maxOffered)]
}
