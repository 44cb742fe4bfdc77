package platform

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// timedRows are the rows of a table that have a time, sorted by it.
type timedRows struct {
	table *data.Frame
	// column has the times, rows are indexes of rows of the table.
	column *data.Field
	rows   []int
	// notice is about rows without a time; empty if there are none.
	notice string
}

// sortByTime sorts the rows of a table. Its error is a *query.Error.
func sortByTime(table *data.Frame, timeColumn string) (*timedRows, error) {
	column, _ := table.FieldByName(timeColumn)
	if column == nil {
		return nil, &query.Error{Field: "Time column", Message: fmt.Sprintf("there is no column %q.", timeColumn)}
	}
	t := &timedRows{table: table, column: column}
	for row := range table.Rows() {
		if !column.NilAt(row) {
			t.rows = append(t.rows, row)
		}
	}
	if left := table.Rows() - len(t.rows); left > 0 {
		t.notice = fmt.Sprintf("%d of %d items have no time and are left out.", left, table.Rows())
	}
	slices.SortStableFunc(t.rows, func(a, b int) int { return t.at(a).Compare(t.at(b)) })
	return t, nil
}

func (t *timedRows) at(row int) time.Time { return *t.column.At(row).(*time.Time) }

// others are the columns of the given types, without the time column.
func (t *timedRows) others(types ...data.FieldType) []*data.Field {
	var fields []*data.Field
	for _, field := range t.table.Fields {
		if field != t.column && slices.Contains(types, field.Type()) {
			fields = append(fields, field)
		}
	}
	return fields
}

// group is a label set and the indexes of its rows in [timedRows.rows].
type group struct {
	labels data.Labels
	rows   []int
}

// groups are the rows grouped by the values of the text and boolean columns, sorted by these. Without such columns it is one
// group. Its error is a *query.Error.
func (t *timedRows) groups() ([]*group, error) {
	columns := t.others(data.FieldTypeNullableString, data.FieldTypeNullableBool)
	if len(columns) == 0 {
		all := &group{}
		for i := range t.rows {
			all.rows = append(all.rows, i)
		}
		return []*group{all}, nil
	}
	byKey := map[string]*group{}
	for i, row := range t.rows {
		labels, key := data.Labels{}, strings.Builder{}
		for _, column := range columns {
			labels[column.Name] = labelOf(column, row)
			key.WriteString(strconv.Quote(labels[column.Name]))
		}
		known, ok := byKey[key.String()]
		if !ok {
			known = &group{labels: labels}
			byKey[key.String()] = known
		}
		known.rows = append(known.rows, i)
	}
	if len(byKey) > maxSeries {
		return nil, &query.Error{Field: "Columns", Message: fmt.Sprintf("the columns of text make %d series, and the limit is %d. "+
			"Leave out those with many values, such as ids.", len(byKey), maxSeries)}
	}
	groups := make([]*group, 0, len(byKey))
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		groups = append(groups, byKey[key])
	}
	return groups, nil
}

func labelOf(column *data.Field, row int) string {
	value, ok := column.ConcreteAt(row)
	if !ok {
		return ""
	}
	return fmt.Sprint(value)
}

// series makes a wide time series of the rows, labeled by the columns of text. Items of the same time and label set have a
// row each, so that all are drawn; the notice has their number. Without numbers, it is a table sorted by time. Its error is
// a *query.Error.
func (t *timedRows) series() (frame *data.Frame, notice string, err error) {
	numbers := t.others(data.FieldTypeNullableFloat64)
	if len(numbers) == 0 || len(t.rows) == 0 {
		return t.ordered(), "", nil
	}
	groups, err := t.groups()
	if err != nil {
		return nil, "", err
	}
	times, rowOf, repeated := t.wideRows(groups)
	if err := checkCells(len(times), len(groups)*len(numbers)); err != nil {
		return nil, "", err
	}
	frame = wideFrame(t.column.Name, times)
	for _, number := range numbers {
		for _, g := range groups {
			values := make([]*float64, len(times))
			for _, i := range g.rows {
				values[rowOf[i]] = number.At(t.rows[i]).(*float64)
			}
			field := data.NewField(number.Name, g.labels, values)
			field.Config = number.Config
			frame.Fields = append(frame.Fields, field)
		}
	}
	if repeated > 0 {
		notice = fmt.Sprintf("%d of %d items have the time and the labels of another; all are drawn. Count per interval adds them up.",
			repeated, len(t.rows))
	}
	return frame, notice, nil
}

// wideRows are the times of a wide frame, and the row of it for each of the sorted rows.
func (t *timedRows) wideRows(groups []*group) (times []time.Time, rowOf []int, repeated int) {
	groupOf := make([]int, len(t.rows))
	for index, g := range groups {
		for _, i := range g.rows {
			groupOf[i] = index
		}
	}
	rowOf = make([]int, len(t.rows))
	start, seen := 0, map[int]int{}
	for i, row := range t.rows {
		at := t.at(row)
		if len(times) > 0 && !at.Equal(times[len(times)-1]) {
			start = len(times)
			clear(seen)
		}
		before := seen[groupOf[i]]
		seen[groupOf[i]]++
		if before > 0 {
			repeated++
		}
		if start+before == len(times) {
			times = append(times, at)
		}
		rowOf[i] = start + before
	}
	return times, rowOf, repeated
}

// ordered is the table sorted by time, with the time column first.
func (t *timedRows) ordered() *data.Frame {
	frame := data.NewFrame(t.table.Name, pick(t.column, t.rows))
	for _, field := range t.table.Fields {
		if field != t.column {
			frame.Fields = append(frame.Fields, pick(field, t.rows))
		}
	}
	frame.Meta = t.table.Meta
	return frame
}

func pick(field *data.Field, rows []int) *data.Field {
	picked := data.NewFieldFromFieldType(field.Type(), len(rows))
	picked.Name, picked.Config = field.Name, field.Config
	for i, row := range rows {
		picked.Set(i, field.At(row))
	}
	return picked
}

func wideFrame(timeName string, times []time.Time) *data.Frame {
	frame := data.NewFrame("", data.NewField(timeName, nil, times))
	frame.Meta = &data.FrameMeta{Type: data.FrameTypeTimeSeriesWide, TypeVersion: data.FrameTypeVersion{0, 1}}
	return frame
}

// checkCells is a *query.Error for a wide frame that is too large, or nil.
func checkCells(times, series int) error {
	if times*series <= maxValues {
		return nil
	}
	return &query.Error{Field: "Columns", Message: fmt.Sprintf("%d series over %d times have more than %d values. "+
		"Leave out columns with many values, choose a shorter range, or raise the interval of a count.", series, times, maxValues)}
}
