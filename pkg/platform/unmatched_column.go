package platform

import (
	"fmt"
	"slices"
	"strings"
)

// maxNamed is the maximum number of members in a notice.
const maxNamed = 10

// maxSampled is the number of items whose members a notice names.
const maxSampled = 100

// explainUnmatched is a notice for a column that is empty because no item has a member of its name, or because its JSONPath
// matches nothing. It is empty for other columns and for a list without items.
func (c columnModel) explainUnmatched(items, values []any) string {
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
	columns, _ := scalarColumns(items[:min(len(items), maxSampled)])
	for _, column := range columns {
		members = append(members, column.Selector)
	}
	if len(members) > maxNamed {
		members = append(members[:maxNamed], "…")
	}
	return fmt.Sprintf("Column %q: no item has %s. Items have: %s.", c.title(), c.Selector, strings.Join(members, ", "))
}
