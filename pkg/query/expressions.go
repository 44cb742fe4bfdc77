package query

import (
	"context"
	"maps"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

type expressionKey struct{}

// OfExpression marks a query whose result a panel's server-side expression evaluates.
func OfExpression(ctx context.Context) context.Context {
	return context.WithValue(ctx, expressionKey{}, true)
}

func isOfExpression(ctx context.Context) bool { return ctx.Value(expressionKey{}) != nil }

// IsNumeric reports whether a table has to become numbers, which is so for alert rules. Nothing tells the query of an expression in SQL, which
// reads tables, from one of another expression, which does not: the format of the query decides there.
func IsNumeric(ctx context.Context, alerting bool) bool { return alerting && !isOfExpression(ctx) }

// long makes one row of each value of the columns with labels, which are columns of their own then: SQL expressions read no labels. The
// value is in the column value. Other frames stay as they are, and so do the series and numbers of the data plane, which Grafana
// converts.
func long(frame *data.Frame) *data.Frame {
	var keys, labeled []*data.Field
	names := map[string]bool{}
	for _, field := range frame.Fields {
		if len(field.Labels) == 0 {
			keys = append(keys, field)
			continue
		}
		labeled = append(labeled, field)
		for name := range field.Labels {
			names[name] = true
		}
	}
	if len(labeled) == 0 || frame.Meta == nil || frame.Meta.Type != "" && frame.Meta.Type != data.FrameTypeTable {
		return frame
	}
	rows := Table(frame.Name)
	for _, key := range keys {
		rows.Fields = append(rows.Fields, emptyField(key.Name, key.Type()))
	}
	sorted := slices.Sorted(maps.Keys(names))
	for _, name := range sorted {
		rows.Fields = append(rows.Fields, emptyField(name, data.FieldTypeString))
	}
	rows.Fields = append(rows.Fields, emptyField("value", labeled[0].Type()))
	for _, field := range labeled {
		for i := range field.Len() {
			if field.NilAt(i) {
				continue
			}
			var row []any
			for _, key := range keys {
				row = append(row, key.At(i))
			}
			for _, name := range sorted {
				row = append(row, field.Labels[name])
			}
			rows.AppendRow(append(row, field.At(i))...)
		}
	}
	return rows
}

func emptyField(name string, of data.FieldType) *data.Field {
	field := data.NewFieldFromFieldType(of, 0)
	field.Name = name
	return field
}
