package platform

import (
	"fmt"
	"slices"
	"strings"
)

// mostNamed is how many members a notice names.
const mostNamed = 10

// mostSampled is of how many items the members are named: each column that is absent looks through them.
const mostSampled = 100

// absent explains a column that is empty because no item has a member of its name, or because its JSONPath matches nothing:
// the selector may be misspelt. It is empty for other columns, and for a list without items.
func (c Column) absent(items, values []any) string {
	if len(items) == 0 || slices.ContainsFunc(values, func(value any) bool { return value != nil }) {
		return ""
	}
	if slices.ContainsFunc(items, func(item any) bool {
		object, _ := item.(map[string]any)
		_, has := object[c.Selector]
		return has
	}) {
		return ""
	}
	var members []string
	seen, _ := scalarMembers(items[:min(len(items), mostSampled)])
	for _, column := range seen {
		members = append(members, column.Selector)
	}
	if len(members) > mostNamed {
		members = append(members[:mostNamed], "…")
	}
	return fmt.Sprintf("Column %q: no item has %s. Items have: %s.", c.title(), c.Selector, strings.Join(members, ", "))
}
