package platform

import (
	"fmt"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// asSeries orders a table by time and, where it has numbers, makes a wide time series of it. Rows without a time are left
// out, which the notice says.
func asSeries(table *data.Frame, timeColumn string) (series *data.Frame, notice string, err error) {
	times, at := table.FieldByName(timeColumn)
	if times == nil {
		return nil, "", &query.Error{Field: "Time column", Message: fmt.Sprintf("there is no column %q.", timeColumn)}
	}
	var rows []int
	for row := range table.Rows() {
		if !times.NilAt(row) {
			rows = append(rows, row)
		}
	}
	if left := table.Rows() - len(rows); left > 0 {
		notice = fmt.Sprintf("%d of %d items have no time and are left out.", left, table.Rows())
	}
	slices.SortStableFunc(rows, func(a, b int) int { return times.At(a).(*time.Time).Compare(*times.At(b).(*time.Time)) })
	ordered := data.NewFrame(table.Name, pick(times, rows))
	numeric := false
	for i, field := range table.Fields {
		if i == at {
			continue
		}
		numeric = numeric || field.Type() == data.FieldTypeNullableFloat64
		ordered.Fields = append(ordered.Fields, pick(field, rows))
	}
	if !numeric || len(rows) == 0 {
		ordered.Meta = table.Meta
		return ordered, notice, nil
	}
	wide, err := data.LongToWide(ordered, nil)
	if err != nil {
		return nil, "", &query.Error{Field: "Time column", Message: "the list can't be drawn over time: two items have the same time and the same labels."}
	}
	wide.Meta = &data.FrameMeta{Type: data.FrameTypeTimeSeriesWide, TypeVersion: data.FrameTypeVersion{0, 1}}
	return wide, notice, nil
}

func pick(field *data.Field, rows []int) *data.Field {
	picked := data.NewFieldFromFieldType(field.Type(), len(rows))
	picked.Name, picked.Config = field.Name, field.Config
	for i, row := range rows {
		picked.Set(i, field.At(row))
	}
	return picked
}
