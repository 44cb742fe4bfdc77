package query

import (
	"maps"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// KnownLabels removes the labels without a value, and returns the others.
func KnownLabels(labels data.Labels) data.Labels {
	maps.DeleteFunc(labels, func(_, value string) bool { return value == "" })
	return labels
}

// AddLabelColumns adds a column for each label of the rows, sorted by name. A label with the name of another column has none.
func AddLabelColumns[T any](frame *data.Frame, rows []T, labels func(T) data.Labels) {
	names := map[string]bool{}
	for _, row := range rows {
		for name := range labels(row) {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if field, _ := frame.FieldByName(name); field == nil {
			frame.Fields = append(frame.Fields, TextColumn(name, rows, nil, func(row T) string { return labels(row)[name] }))
		}
	}
}
