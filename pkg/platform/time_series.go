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

// timed are the rows of a table that have a time, ordered by it.
type timed struct {
	table *data.Frame
	// column holds the times, rows are the table's.
	column *data.Field
	rows   []int
	// notice says how many rows have no time; empty if all have one.
	notice string
}

// byTime orders the rows of a table. Its error is a *query.Error.
func byTime(table *data.Frame, timeColumn string) (*timed, error) {
	column, _ := table.FieldByName(timeColumn)
	if column == nil {
		return nil, &query.Error{Field: "Time column", Message: fmt.Sprintf("there is no column %q.", timeColumn)}
	}
	t := &timed{table: table, column: column}
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

func (t *timed) at(row int) time.Time { return *t.column.At(row).(*time.Time) }

// others are the columns beside the one of times that have one of the types.
func (t *timed) others(types ...data.FieldType) []*data.Field {
	var fields []*data.Field
	for _, field := range t.table.Fields {
		if field != t.column && slices.Contains(types, field.Type()) {
			fields = append(fields, field)
		}
	}
	return fields
}

// group is a label set and which of the ordered rows have it, by their place in the order.
type group struct {
	labels data.Labels
	places []int
}

// groups are the rows by their columns of text and of true or false, sorted by what these hold. There is always one where
// there are no such columns. Its error is a *query.Error.
func (t *timed) groups() ([]*group, error) {
	columns := t.others(data.FieldTypeNullableString, data.FieldTypeNullableBool)
	if len(columns) == 0 {
		all := &group{}
		for place := range t.rows {
			all.places = append(all.places, place)
		}
		return []*group{all}, nil
	}
	byKey := map[string]*group{}
	for place, row := range t.rows {
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
		known.places = append(known.places, place)
	}
	if len(byKey) > mostSeries {
		return nil, &query.Error{Field: "Columns", Message: fmt.Sprintf("the columns of text make %d series, and the limit is %d. "+
			"Leave out those with many values, such as ids.", len(byKey), mostSeries)}
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

// series makes a wide time series of the rows, labeled by the columns of text. Items of one time and one label set have a
// row each, so that all are drawn; the notice says how many those are. Without numbers, it is a table in the order of time.
// Its error is a *query.Error.
func (t *timed) series() (frame *data.Frame, notice string, err error) {
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
			for _, place := range g.places {
				values[rowOf[place]] = number.At(t.rows[place]).(*float64)
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

// wideRows are the times of the rows of a wide frame, and which of them each ordered row is in.
func (t *timed) wideRows(groups []*group) (times []time.Time, rowOf []int, repeated int) {
	groupOf := make([]int, len(t.rows))
	for i, g := range groups {
		for _, place := range g.places {
			groupOf[place] = i
		}
	}
	rowOf = make([]int, len(t.rows))
	start, seen := 0, map[int]int{}
	for place, row := range t.rows {
		at := t.at(row)
		if len(times) > 0 && !at.Equal(times[len(times)-1]) {
			start = len(times)
			clear(seen)
		}
		before := seen[groupOf[place]]
		seen[groupOf[place]]++
		if before > 0 {
			repeated++
		}
		if start+before == len(times) {
			times = append(times, at)
		}
		rowOf[place] = start + before
	}
	return times, rowOf, repeated
}

// ordered is the table in the order of time, its times first.
func (t *timed) ordered() *data.Frame {
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

// checkCells is nil, or a *query.Error for a wide frame that is too large.
func checkCells(times, series int) error {
	if times*series <= mostValues {
		return nil
	}
	return &query.Error{Field: "Columns", Message: fmt.Sprintf("%d series over %d times have more than %d values. "+
		"Leave out columns with many values, choose a shorter range, or raise the interval of a count.", series, times, mostValues)}
}
