package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// samplesOf are the points that frames show: of each field of numbers, by its labels.
func samplesOf(frames data.Frames) (samples, error) {
	found := samples{}
	for _, frame := range frames {
		if len(frame.Fields) == 0 || frame.Rows() == 0 {
			continue
		}
		times := frame.Fields[0]
		if !times.Type().Time() {
			return nil, fmt.Errorf("the first field of a frame is not its time but %s", times.Name)
		}
		for _, field := range frame.Fields[1:] {
			var points []point
			for i := range field.Len() {
				value, err := field.NullableFloatAt(i)
				if err != nil {
					return nil, err
				}
				at, _ := times.ConcreteAt(i)
				if value != nil {
					points = append(points, point{at.(time.Time).UnixMilli(), valueOf(*value)})
				}
			}
			key := labelsKey(field.Labels)
			if _, twice := found[key]; twice {
				return nil, fmt.Errorf("there are two series %s", key)
			}
			found[key] = points
		}
	}
	return found, nil
}

// errWrong is the error of a result that is not what the platform has.
var errWrong = errors.New("wrong")

// compare is an error that names the first difference of a result from the truth, which s is, if there is one. Results show
// nothing before or after the times of the truth.
func (s samples) compare(got samples) error {
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if !slices.Equal(s[key], got[key]) {
			return fmt.Errorf("%w: %s is %s", errWrong, key, firstDifference(got[key], s[key]))
		}
	}
	for key := range got {
		if _, known := s[key]; !known {
			return fmt.Errorf("%w: there is no series %s", errWrong, key)
		}
	}
	return nil
}

func firstDifference(got, want []point) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%v and not %v at %d of %d", got[i], want[i], i, len(want))
		}
	}
	return fmt.Sprintf("%d points and not %d", len(got), len(want))
}

// since are the points from a time on. Series without any are left out.
func (s samples) since(from time.Time) samples {
	newer := samples{}
	for key, points := range s {
		i, _ := slices.BinarySearchFunc(points, from.UnixMilli(), func(p point, at int64) int { return int(p.at - at) })
		if i < len(points) {
			newer[key] = points[i:]
		}
	}
	return newer
}

// rowsOf are the rows of a table in some of its columns, as texts.
func rowsOf(frames data.Frames, columns ...string) ([]string, error) {
	if len(frames) != 1 {
		return nil, fmt.Errorf("there are %d frames and not one", len(frames))
	}
	rows := make([][]string, frames[0].Rows())
	for _, name := range columns {
		field, _ := frames[0].FieldByName(name)
		if field == nil {
			return nil, fmt.Errorf("there is no column %s", name)
		}
		for i := range rows {
			rows[i] = append(rows[i], cellOf(field, i))
		}
	}
	return joined(rows), nil
}

// cellOf writes a cell as record.text does; a time as Unix seconds.
func cellOf(field *data.Field, row int) string {
	value, ok := field.ConcreteAt(row)
	if !ok {
		return ""
	}
	switch value := value.(type) {
	case time.Time:
		return strconv.FormatInt(value.Unix(), 10)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case json.RawMessage:
		return string(value)
	}
	return fmt.Sprint(value)
}

// joined are rows as texts, sorted: their order is the plugin's.
func joined(rows [][]string) []string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = strings.Join(row, " | ")
	}
	slices.Sort(texts)
	return texts
}

// compareRows is an error that names the first row that differs, if there is one.
func compareRows(got, want []string) error {
	for i := range max(len(got), len(want)) {
		at := func(rows []string) string {
			if i < len(rows) {
				return rows[i]
			}
			return "no row"
		}
		if at(got) != at(want) {
			return fmt.Errorf("%w: %q and not %q", errWrong, at(got), at(want))
		}
	}
	return nil
}
