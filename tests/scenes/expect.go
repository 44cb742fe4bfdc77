package scenes

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

// precise is the relative error of a value whose line names no tolerance: that of sums in another order.
const precise = 1e-9

// tolerance is at the end of a line or a value.
var tolerance = regexp.MustCompile(`^(.*?)\s*±\s*(\S+)$`)

// compare fails unless each line of what is expected has one row, series or notice of its own in the response, and no row nor series is left. It
// returns the notices that no line names.
func (e *Evaluation) compare(t *testing.T, response backend.DataResponse) []string {
	t.Helper()
	if len(e.expected) == 1 && strings.HasPrefix(e.expected[0], "error ") {
		require.ErrorContains(t, response.Error, strings.TrimPrefix(e.expected[0], "error "))
		return nil
	}
	require.NoError(t, response.Error)
	said := notices(response.Frames)
	lines := slices.DeleteFunc(slices.Clone(e.expected), func(line string) bool {
		notice, is := strings.CutPrefix(line, "notice ")
		if is {
			at := slices.IndexFunc(said, func(text string) bool { return strings.Contains(text, notice) })
			require.GreaterOrEqual(t, at, 0, "%s\nis expected, and not among\n%s", line, strings.Join(said, "\n"))
			said = slices.Delete(said, at, at+1)
		}
		return is
	})
	var found []result
	if len(lines) > 0 && strings.HasPrefix(lines[0], `{"`) {
		found = e.rows(response.Frames)
	} else {
		found = e.series(response.Frames)
	}
	left := slices.Clone(found)
	for _, line := range lines {
		want, err := e.parse(line)
		require.NoError(t, err, line)
		at := slices.IndexFunc(left, want.matches)
		require.GreaterOrEqual(t, at, 0, "%s\nis expected, and not among\n%s", line, text(left))
		require.False(t, e.inOrder && at > 0, "%s\nis expected before\n%s", line, text(left))
		left = slices.Delete(left, at, at+1)
	}
	require.Empty(t, left, "not expected:\n%s", text(left))
	return said
}

// notices are the texts of all notices.
func notices(frames data.Frames) (texts []string) {
	for _, frame := range frames {
		if frame.Meta != nil {
			for _, notice := range frame.Meta.Notices {
				texts = append(texts, notice.Text)
			}
		}
	}
	return texts
}

// result is a row by column, or the labels of a series and its values by time.
type result map[string]any

func text(list []result) string {
	var lines []string
	for _, one := range list {
		encoded, err := json.Marshal(one)
		if err != nil {
			encoded = fmt.Append(nil, map[string]any(one))
		}
		lines = append(lines, string(encoded))
	}
	return strings.Join(lines, "\n")
}

// rows are those of all tables. A time is "<90m>", a number float64, and null is missing.
func (e *Evaluation) rows(frames data.Frames) []result {
	var list []result
	for _, frame := range frames {
		for i := range frame.Rows() {
			row := result{}
			for _, field := range frame.Fields {
				if cell, ok := field.ConcreteAt(i); ok {
					row[field.Name] = e.plain(field, i, cell)
				}
			}
			list = append(list, row)
		}
	}
	return list
}

func (e *Evaluation) plain(field *data.Field, at int, cell any) any {
	if field.Type().Time() {
		return "<" + model.Duration(cell.(time.Time).Sub(e.start)).String() + ">"
	}
	if number, err := field.FloatAt(at); err == nil && field.Type().Numeric() {
		return number
	}
	if encoded, ok := cell.(json.RawMessage); ok {
		return string(encoded)
	}
	return cell
}

// series are those of a PromQL query, or of numbers with labels. Values are at the times of the evaluation, by position.
func (e *Evaluation) series(frames data.Frames) []result {
	var list []result
	for _, frame := range frames {
		var times *data.Field
		for _, field := range frame.Fields {
			if field.Type().Time() {
				times = field
			}
		}
		for _, field := range frame.Fields {
			if !field.Type().Numeric() {
				continue
			}
			if e.step == 0 {
				list = append(list, numbersOf(frame, field)...)
				continue
			}
			one := result{}
			for i := range field.Len() {
				if value, err := field.NullableFloatAt(i); err == nil && value != nil {
					at, _ := times.ConcreteAt(i)
					// A panel may have more points than the evaluation has steps.
					if since := at.(time.Time).Sub(e.from); since%e.step == 0 {
						one[valueAt(int(since/e.step))] = *value
					}
				}
			}
			if len(one) > 0 {
				list = append(list, one.with(field.Labels))
			}
		}
	}
	return list
}

// numbersOf are the numbers of a field with the labels of the field, or of a table with those of its columns.
func numbersOf(frame *data.Frame, field *data.Field) []result {
	var list []result
	for i := range field.Len() {
		value, err := field.NullableFloatAt(i)
		if err != nil || value == nil {
			continue
		}
		one := result{valueAt(0): *value}
		for _, other := range frame.Fields {
			if label, ok := other.ConcreteAt(i); ok && other.Type().NonNullableType() == data.FieldTypeString {
				one[other.Name] = label
			}
		}
		list = append(list, one.with(field.Labels))
	}
	return list
}

func (r result) with(labels data.Labels) result {
	for name, value := range labels {
		r[name] = value
	}
	return r
}

// valueAt is the member with the value of a step.
func valueAt(step int) string { return "value " + strconv.Itoa(step) }

// expectation are the members that a result must have. Of a series, exact are all values that it may have.
type expectation struct {
	members result
	within  map[string]float64
	exact   bool
}

// parse reads a line of what is expected.
func (e *Evaluation) parse(line string) (expectation, error) {
	if strings.HasPrefix(line, `{"`) {
		want := expectation{members: result{}, within: map[string]float64{}}
		if err := json.Unmarshal([]byte(line), &want.members); err != nil {
			return want, err
		}
		for name, member := range want.members {
			written, _ := member.(string)
			if found := tolerance.FindStringSubmatch(written); found != nil {
				if err := want.about(name, found[1], found[2]); err != nil {
					return want, err
				}
			}
		}
		return want, nil
	}
	want := expectation{members: result{}, within: map[string]float64{}, exact: true}
	allowed := 0.0
	if found := tolerance.FindStringSubmatch(line); found != nil {
		var err error
		if allowed, err = strconv.ParseFloat(found[2], 64); err != nil {
			return want, err
		}
		line = found[1]
	}
	identity, values, err := parser.NewParser(parser.Options{}).ParseSeriesDesc(line)
	if err != nil {
		return want, err
	}
	for name, value := range identity.Map() {
		want.members[name] = value
	}
	for i, v := range values {
		if name := valueAt(i); !v.Omitted {
			want.members[name], want.within[name] = v.Value, allowed
		}
	}
	return want, nil
}

// about reads a number or a time with a tolerance.
func (w expectation) about(name, value, allowed string) error {
	if strings.HasPrefix(value, "<") {
		within, err := model.ParseDuration(allowed)
		w.members[name], w.within[name] = value, time.Duration(within).Seconds()
		return err
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return err
	}
	w.members[name] = number
	w.within[name], err = strconv.ParseFloat(allowed, 64)
	return err
}

// matches reports whether a result has all members, and no value but them.
func (w expectation) matches(found result) bool {
	for name, want := range w.members {
		if !same(want, found[name], w.within[name]) {
			return false
		}
	}
	for name := range found {
		if _, ok := w.members[name]; w.exact && !ok && strings.HasPrefix(name, "value ") {
			return false
		}
	}
	return true
}

func same(want, found any, within float64) bool {
	if a, ok := instant(want); ok {
		b, ok := instant(found)
		return ok && math.Abs((a-b).Seconds()) <= within
	}
	a, number := want.(float64)
	b, ok := found.(float64)
	if !number || !ok {
		return want == found
	}
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= max(within, precise*math.Abs(a))
}

// instant is a time since the start of the scene.
func instant(v any) (time.Duration, bool) {
	written, ok := v.(string)
	if !ok || !strings.HasPrefix(written, "<") || !strings.HasSuffix(written, ">") {
		return 0, false
	}
	d, err := model.ParseDuration(strings.Trim(written, "<>"))
	return time.Duration(d), err == nil
}
