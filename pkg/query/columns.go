package query

import "github.com/grafana/grafana-plugin-sdk-go/data"

// Column is a field of a table with a value for each item. Nil pointers are null.
func Column[T, V any](name string, items []T, config *data.FieldConfig, value func(T) V) *data.Field {
	values := make([]V, len(items))
	for i, item := range items {
		values[i] = value(item)
	}
	field := data.NewField(name, nil, values)
	field.Config = config
	return field
}

// orNull is nil for the empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// TextColumn is a column of texts. Empty texts are null.
func TextColumn[T any](name string, items []T, config *data.FieldConfig, value func(T) string) *data.Field {
	return Column(name, items, config, func(item T) *string { return orNull(value(item)) })
}
