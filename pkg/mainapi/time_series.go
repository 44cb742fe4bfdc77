package mainapi

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// timeSeries makes timeseries-multi frames of a table: one for each column of numbers and each label set, which is that of the
// columns of text, sorted by these. Rows without a time or without a number are left out; a notice has the number of the
// former. A table without columns of numbers stays one. Its error is a *query.Error.
func timeSeries(table *data.Frame, timeColumn string, notices *query.Notices) (frames data.Frames, err error) {
	times, _ := table.FieldByName(timeColumn)
	at := func(row int) *time.Time { return times.At(row).(*time.Time) }
	var rows []int
	for row := range table.Rows() {
		if at(row) != nil {
			rows = append(rows, row)
		}
	}
	if left := table.Rows() - len(rows); left > 0 {
		notices.Warn("%d of %d items have no time and are left out.", left, table.Rows())
	}
	slices.SortStableFunc(rows, func(a, b int) int { return at(a).Compare(*at(b)) })
	numbers := numberColumns(table)
	if len(numbers) == 0 {
		return data.Frames{table}, nil
	}
	byLabels := map[string][]int{}
	for _, row := range rows {
		labels, _ := labelsAt(table, row)
		byLabels[labels.String()] = append(byLabels[labels.String()], row)
	}
	if series := len(byLabels) * len(numbers); series > maxSeries {
		return nil, &query.Error{Field: "Columns", Message: fmt.Sprintf("the columns make %d series, and the limit is %d. "+
			"Leave out columns of text with many values, such as ids.", series, maxSeries)}
	}
	for _, number := range numbers {
		for _, key := range slices.Sorted(maps.Keys(byLabels)) {
			frames = append(frames, series(table, number, byLabels[key], at))
		}
	}
	if len(frames) == 0 {
		frames = data.Frames{query.TimeSeriesMulti()}
	}
	return frames, nil
}

// series is the time series of a number in rows of the same labels.
func series(table *data.Frame, number *data.Field, rows []int, at func(int) *time.Time) *data.Frame {
	var times []time.Time
	var values []float64
	for _, row := range rows {
		if value := number.At(row).(*float64); value != nil {
			times, values = append(times, *at(row)), append(values, *value)
		}
	}
	labels, _ := labelsAt(table, rows[0])
	field := data.NewField(number.Name, labels, values)
	field.Config = number.Config
	return query.TimeSeriesMulti(data.NewField(data.TimeSeriesTimeFieldName, nil, times), field)
}
