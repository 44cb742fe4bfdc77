package prom

import (
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// asTable makes one frame of all series, with a row for each sample, or for each bucket of a native histogram, ordered by
// time. Its columns are Time, one for each label name in alphabetical order, which is empty where a series lacks the label,
// and the value fields, of which each series has so many: Value, or those of a bucket.
func asTable(series data.Frames, valueFields int) data.Frames {
	rows := 0
	names := map[string]bool{}
	for _, frame := range series {
		rows += frame.Rows()
		for name := range frame.Fields[1].Labels {
			names[name] = true
		}
	}
	if rows == 0 {
		return nil
	}
	type row struct {
		at     time.Time
		series int
		index  int
	}
	order := make([]row, 0, rows)
	for i, frame := range series {
		for j := range frame.Rows() {
			order = append(order, row{frame.Fields[0].At(j).(time.Time), i, j})
		}
	}
	slices.SortStableFunc(order, func(a, b row) int { return a.at.Compare(b.at) })

	times := data.NewFieldFromFieldType(data.FieldTypeTime, rows)
	times.Name, times.Config = "Time", series[0].Fields[0].Config
	for i, r := range order {
		times.Set(i, r.at)
	}
	fields := []*data.Field{times}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		filterable := true
		field := data.NewFieldFromFieldType(data.FieldTypeString, rows)
		field.Name, field.Config = name, &data.FieldConfig{Filterable: &filterable}
		for i, r := range order {
			field.Set(i, series[r.series].Fields[1].Labels[name])
		}
		fields = append(fields, field)
	}
	for column := 1; column <= valueFields; column++ {
		values := data.NewFieldFromFieldType(series[0].Fields[column].Type(), rows)
		values.Name = "Value"
		if valueFields > 1 {
			values.Name = series[0].Fields[column].Name
		}
		for i, r := range order {
			values.Set(i, series[r.series].Fields[column].At(r.index))
		}
		fields = append(fields, values)
	}
	table := data.NewFrame("", fields...)
	table.Meta = &data.FrameMeta{Type: data.FrameTypeTable, PreferredVisualization: data.VisTypeTable}
	return data.Frames{table}
}
