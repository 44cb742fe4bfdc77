package platform

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
	"github.com/ohler55/ojg/oj"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/timestamp"
)

// The types of a column.
const (
	typeString  = "string"
	typeNumber  = "number"
	typeBoolean = "boolean"
	typeTime    = "time"
)

// columnModel is a column of a list, with a value for each item.
type columnModel struct {
	// Selector is a member's name, or a JSONPath below the item.
	Selector string `json:"selector"`
	// Name is the column's; the selector if empty.
	Name string `json:"name"`
	// Type is one of the constants above. If empty, it is inferred from the values.
	Type string `json:"type"`
	// Unit is one of Grafana's unit ids.
	Unit string `json:"unit"`
}

// tableFrame makes a frame with a row for each item and a field for each column. A missing value, and one that can't be
// converted to the column's type, is null; a notice has the number of the latter. Its error is the context's, or a
// *query.Error of the budget.
func tableFrame(name string, items []any, columns []columnModel, b *budget) (*data.Frame, []string, error) {
	if err := b.spend(len(items) * len(columns)); err != nil {
		return nil, nil, err
	}
	var notices []string
	frame := query.Table(name)
	for _, column := range columns {
		field, notice, err := column.field(items, b)
		if err != nil {
			return nil, nil, err
		}
		frame.Fields = append(frame.Fields, field)
		if notice != "" {
			notices = append(notices, notice)
		}
	}
	return frame, notices, nil
}

// scalarColumns are the members that hold neither an object nor a list in any item, sorted by name. The notice is about
// members beyond maxColumns.
func scalarColumns(items []any) (columns []columnModel, notice string) {
	scalar := map[string]bool{}
	for _, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return []columnModel{{Selector: "$", Name: "value"}}, ""
		}
		for name, value := range object {
			known, seen := scalar[name]
			scalar[name] = !hasMembers(value) && (known || !seen)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(scalar)) {
		if scalar[name] {
			columns = append(columns, columnModel{Selector: name})
		}
	}
	if all := len(columns); all > maxColumns {
		columns = columns[:maxColumns]
		notice = fmt.Sprintf("Only the first %d of %d members are shown as columns. Choose columns to see others.", maxColumns, all)
	}
	return columns, notice
}

func (c columnModel) title() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Selector
}

// check refuses a column that is too long, or whose selector is neither a name nor a JSONPath. Its error is a *query.Error.
func (c columnModel) check(field string) error {
	for what, text := range map[string]string{"a selector is": c.Selector, "a title is": c.Name, "a type is": c.Type, "a unit is": c.Unit} {
		if err := checkLength(field, what, text, maxTextBytes); err != nil {
			return err
		}
	}
	if !c.isPath() {
		return nil
	}
	_, err := parseJSONPath(c.Selector)
	return pathError(field, err, fmt.Sprintf("%q is neither a member's name nor a JSONPath. Write for example $.meta.size.", c.Selector))
}

// isPath reports whether the selector may be a JSONPath and not just a name.
func (c columnModel) isPath() bool { return strings.ContainsAny(c.Selector, "$.[") }

// values are the column's values, one for each item. A value is nil if the item has none, or if the JSONPath can't be
// applied to it, which is counted. A member whose name is the selector takes precedence over the selector as a JSONPath.
func (c columnModel) values(items []any, b *budget) (values []any, inapplicable int, err error) {
	values = make([]any, len(items))
	path, invalid := parseJSONPath(c.Selector)
	for i, item := range items {
		object, isObject := item.(map[string]any)
		if member, ok := object[c.Selector]; ok {
			values[i] = member
			continue
		}
		if item == nil || invalid != nil || isObject && !c.isPath() {
			continue
		}
		values[i], err = path.first(item, b)
		switch {
		case errors.Is(err, errNotApplicable):
			inapplicable++
		case err != nil:
			return nil, 0, err
		}
	}
	return values, inapplicable, nil
}

func (c columnModel) field(items []any, b *budget) (field *data.Field, notice string, err error) {
	values, inapplicable, err := c.values(items, b)
	if err != nil {
		return nil, "", err
	}
	kind := c.Type
	if kind == "" {
		kind, notice = c.infer(values)
	}
	misfits := 0
	switch kind {
	case typeNumber:
		field = data.NewField(c.title(), nil, convert(values, toNumber, &misfits))
	case typeBoolean:
		field = data.NewField(c.title(), nil, convert(values, toBoolean, &misfits))
	case typeTime:
		field = data.NewField(c.title(), nil, convert(values, toTime, &misfits))
	default:
		texts, err := toTexts(values, b)
		if err != nil {
			return nil, "", err
		}
		field = data.NewField(c.title(), nil, texts)
	}
	if misfits > 0 {
		notice = fmt.Sprintf("Column %q: %d of %d values are not a %s and are left empty.", c.title(), misfits, len(values), kind)
	}
	if inapplicable > 0 {
		notice = fmt.Sprintf("Column %q: its selector can't be applied to %d of %d items, which are left empty.", c.title(), inapplicable, len(values))
	}
	if notice == "" {
		notice = c.explainUnmatched(items, values)
	}
	if c.Unit != "" {
		field.Config = &data.FieldConfig{Unit: c.Unit}
	}
	return field, notice, nil
}

// infer is the common type of all values, or text if they have different types.
func (c columnModel) infer(values []any) (kind, notice string) {
	for _, value := range values {
		found := typeString
		switch value.(type) {
		case nil:
			continue
		case int64, float64, json.Number:
			found = typeNumber
		case bool:
			found = typeBoolean
		}
		if kind != "" && kind != found {
			return typeString, fmt.Sprintf("Column %q holds values of different types; they are shown as text.", c.title())
		}
		kind = found
	}
	return kind, ""
}

func convert[T any](values []any, to func(any) (T, bool), misfits *int) []*T {
	converted, fits := make([]*T, len(values)), make([]T, len(values))
	for i, value := range values {
		if value == nil {
			continue
		}
		var ok bool
		if fits[i], ok = to(value); ok {
			converted[i] = &fits[i]
		} else {
			*misfits++
		}
	}
	return converted
}

func toNumber(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case json.Number:
		number, err := v.Float64()
		return number, err == nil
	case string:
		number, err := strconv.ParseFloat(v, 64)
		return number, err == nil
	}
	return 0, false
}

func toBoolean(value any) (bool, bool) {
	switch v := value.(type) {
	case bool:
		return v, true
	case string:
		b, err := strconv.ParseBool(v)
		return b, err == nil
	}
	return false, false
}

// toTime reads the formats of package timestamp.
func toTime(value any) (time.Time, bool) {
	if text, ok := value.(string); ok {
		return timestamp.Parse(text)
	}
	number, ok := toNumber(value)
	if !ok {
		return time.Time{}, false
	}
	return timestamp.FromNumber(number)
}

// toTexts writes values as text, objects and lists as JSON. Its error is a *query.Error of the budget.
func toTexts(values []any, b *budget) ([]*string, error) {
	texts, written := make([]*string, len(values)), make([]string, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case nil:
			continue
		case string:
			written[i] = v
		case map[string]any, []any:
			written[i] = oj.JSON(v)
		default:
			written[i] = fmt.Sprint(v)
		}
		if err := b.write(written[i]); err != nil {
			return nil, err
		}
		texts[i] = &written[i]
	}
	return texts, nil
}
