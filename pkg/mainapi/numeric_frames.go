package mainapi

import (
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// numericFrames makes numeric-multi frames of a table: a frame for each row with a number, labeled by the row's text and
// boolean columns, so that an alert rule needs no reduce expression. Time columns are no labels, because a label that
// differs with each evaluation would make a new alert instance each time.
//
// A table without exactly one number column, or with two rows of the same labels, is a *query.Error, because server-side
// expressions can't evaluate it. A table without rows has no frames.
func numericFrames(table *data.Frame) (data.Frames, error) {
	if table.Rows() == 0 {
		return data.Frames{}, nil
	}
	numbers := numberColumns(table)
	if len(numbers) != 1 {
		return nil, &query.Error{Field: "Columns", Message: fmt.Sprintf("alert rules and expressions take a list with one column of numbers, and this one has %d. Choose columns.", len(numbers))}
	}
	value := numbers[0]
	seen := map[string]bool{}
	var fields []*data.Field
	for row := range table.Rows() {
		number, _ := value.At(row).(*float64)
		if number == nil {
			continue
		}
		labels, names := labelsAt(table, row)
		key := labels.String()
		if seen[key] {
			return nil, &query.Error{Field: "Columns", Message: fmt.Sprintf("alert rules and expressions tell items apart by their columns of text, and two items have the same: %s. Add a column in which they differ.", key)}
		}
		seen[key] = true
		field := data.NewField(value.Name, labels, []*float64{number})
		// A short name, for panels that show it beside the number.
		field.Config = &data.FieldConfig{DisplayNameFromDS: strings.Join(names, " · ")}
		if value.Config != nil {
			field.Config.Unit = value.Config.Unit
		}
		fields = append(fields, field)
	}
	return query.Numbers(fields), nil
}

func numberColumns(table *data.Frame) (numbers []*data.Field) {
	for _, field := range table.Fields {
		if field.Type() == data.FieldTypeNullableFloat64 {
			numbers = append(numbers, field)
		}
	}
	return numbers
}

// labelsAt are the values of a row's text and boolean columns by the columns' names, and in the order of the columns.
func labelsAt(table *data.Frame, row int) (labels data.Labels, names []string) {
	labels = data.Labels{}
	for _, field := range table.Fields {
		value, known := field.ConcreteAt(row)
		if !known {
			continue
		}
		switch value.(type) {
		case string, bool:
			text := fmt.Sprint(value)
			labels[field.Name] = text
			names = append(names, text)
		}
	}
	return labels, names
}
