package mainapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
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
	// Selector is a member's name, or the names on the way to it, joined by dots.
	Selector string `json:"selector"`
	// Name is the column's; the selector if empty.
	Name string `json:"name"`
	// Type is one of the constants above. If empty, it is inferred from the values.
	Type string `json:"type"`
	// Unit is one of Grafana's unit ids.
	Unit string `json:"unit"`
}

func (c columnModel) title() string { return cmp.Or(c.Name, c.Selector) }

// check refuses a column that can't be read. Its error is a *query.Error.
func (c columnModel) check() error {
	if err := query.OneOf("Columns", c.Type, "", typeString, typeNumber, typeBoolean, typeTime); err != nil {
		return err
	}
	if c.Selector == "" {
		return &query.Error{Field: "Columns", Message: "a column has no selector. Write a member's name, for example name."}
	}
	return cmp.Or(
		query.AtMost("Columns", "a title is %d bytes long", len(c.Name), maxTextBytes),
		query.AtMost("Columns", "a unit is %d bytes long", len(c.Unit), maxTextBytes),
		checkMember("Columns", "a selector is", c.Selector),
	)
}

// checkMember refuses a selector that is too long. Its error is a *query.Error.
func checkMember(field, what, selector string) error {
	return cmp.Or(
		query.AtMost(field, what+" %d bytes long", len(selector), maxTextBytes),
		query.AtMost(field, what+" of %d names joined by dots", strings.Count(selector, ".")+1, maxNames),
	)
}

// reader reads members of an item. It parses each object in it once.
type reader struct {
	item query.Record
	// objects are those that were parsed, by the names on the way to them.
	objects map[string]query.Record
}

// member is the value that a selector finds in an item, or nil. A member whose name is the whole selector takes precedence.
func (r *reader) member(selector string) json.RawMessage {
	in, begin := r.item, 0
	value, ok := in[selector]
	for !ok {
		length := strings.IndexByte(selector[begin:], '.')
		if length < 0 {
			break
		}
		in = r.object(in, selector[begin:begin+length], selector[:begin+length])
		begin += length + 1
		value, ok = in[selector[begin:]]
	}
	if string(value) == "null" {
		return nil
	}
	return value
}

// object is a member of an object. way has the names on the way to it.
func (r *reader) object(in query.Record, name, way string) query.Record {
	found, ok := r.objects[way]
	if !ok {
		if r.objects == nil {
			r.objects = map[string]query.Record{}
		}
		found = in.Object(name)
		r.objects[way] = found
	}
	return found
}

// filterModel keeps the items whose member has one of the values, in any case.
type filterModel struct {
	Member string        `json:"filterMember"`
	Values query.Choices `json:"filterValues"`
}

func (f *filterModel) keeps(item query.Record) bool {
	return f.Member == "" || f.Values.All() || f.Values.Has(textOf((&reader{item: item}).member(f.Member)))
}

// cells are the values of the items that a filter keeps, by column. A nil is null. Its error is the context's, or a *query.Error.
func (l *list) cells(ctx context.Context, columns []columnModel, filter filterModel) ([][]json.RawMessage, error) {
	if err := l.checkCells(len(columns)); err != nil {
		return nil, err
	}
	found, bytes := make([][]json.RawMessage, len(columns)), 0
	for item := range l.items(ctx, filter) {
		from := reader{item: item}
		for i, column := range columns {
			value := from.member(column.Selector)
			found[i] = append(found[i], value)
			bytes += len(value)
		}
		if bytes > maxCellText+l.bytes {
			return nil, &query.Error{Field: "Columns", Message: fmt.Sprintf("the cells have over %d MB of text more than the platform sent. "+
				"Choose members that are single values, and each once.", maxCellText>>20)}
		}
	}
	return found, ctx.Err()
}

// members are the names of the members of items, and whether a member holds neither an object nor a list in any item. Its error is the
// context's, or a *query.Error.
func (l *list) members(ctx context.Context, filter filterModel) (map[string]bool, error) {
	scalar := map[string]bool{}
	for item := range l.items(ctx, filter) {
		for name, value := range item {
			known, seen := scalar[name]
			scalar[name] = !hasMembers(value) && (known || !seen)
		}
		if len(scalar) > maxMembers {
			return nil, &query.Error{Field: "Columns", Message: fmt.Sprintf("the items have more than %d different members. Choose columns.", maxMembers)}
		}
	}
	return scalar, ctx.Err()
}

// scalars are the names of those without structure, sorted.
func scalars(members map[string]bool) []string {
	names := slices.Sorted(maps.Keys(members))
	return slices.DeleteFunc(names, func(name string) bool { return !members[name] })
}

// scalarColumns are the members without structure. A notice is about members beyond maxColumns. Its error is that of members.
func (l *list) scalarColumns(ctx context.Context, filter filterModel, notices *query.Notices) (columns []columnModel, err error) {
	members, err := l.members(ctx, filter)
	if err != nil {
		return nil, err
	}
	names := scalars(members)
	if all := len(names); all > maxColumns {
		names = names[:maxColumns]
		notices.Cut("Only the first %d of %d members are shown as columns. Choose columns to see others.", maxColumns, all)
	}
	for _, name := range names {
		columns = append(columns, columnModel{Selector: name})
	}
	return columns, nil
}

func hasMembers(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '{' || value[0] == '[')
}

// tableFrame makes a frame with a row for each item and a field for each column. A missing value, and one that can't be
// converted to the column's type, is null; a notice has the number of the latter. Its error is a *query.Error.
func (l *list) tableFrame(ctx context.Context, columns []columnModel, found [][]json.RawMessage, notices *query.Notices) (*data.Frame, error) {
	frame := query.Table("")
	var empty []columnModel
	for i, column := range columns {
		field, notice := column.field(found[i])
		if notice != "" {
			notices.Warn("%s", notice)
		}
		if !slices.ContainsFunc(found[i], func(value json.RawMessage) bool { return value != nil }) {
			empty = append(empty, column)
		}
		frame.Fields = append(frame.Fields, field)
	}
	if frame.Rows() > 0 && len(empty) > 0 {
		return frame, l.explainUnmatched(ctx, empty, notices)
	}
	return frame, nil
}

// explainUnmatched adds a notice for each column that is empty because no item has its member, unless there are too many members to
// know. Its error is the context's.
func (l *list) explainUnmatched(ctx context.Context, empty []columnModel, notices *query.Notices) error {
	members, err := l.members(ctx, filterModel{})
	if err != nil {
		return ctx.Err()
	}
	for _, column := range empty {
		if _, has := members[column.Selector]; !has {
			notices.Warn("Column %q: no item has %s. Items have: %s.", column.title(), column.Selector, query.List(scalars(members)))
		}
	}
	return nil
}

func (c columnModel) field(values []json.RawMessage) (field *data.Field, notice string) {
	kind := c.Type
	if kind == "" {
		kind, notice = c.infer(values)
	}
	misfits := 0
	switch kind {
	case typeNumber:
		field = data.NewField(c.title(), nil, convert(values, func(r query.Record) *float64 { return r.Number("") }, &misfits))
	case typeBoolean:
		field = data.NewField(c.title(), nil, convert(values, func(r query.Record) *bool { return r.Bool("") }, &misfits))
	case typeTime:
		field = data.NewField(c.title(), nil, convert(values, func(r query.Record) *time.Time { return query.OrNull(r.Time("")) }, &misfits))
	default:
		field = data.NewField(c.title(), nil, convert(values, func(r query.Record) *string { text := textOf(r[""]); return &text }, &misfits))
	}
	if misfits > 0 {
		notice = fmt.Sprintf("Column %q: %d of %d values are not a %s and are left empty.", c.title(), misfits, len(values), kind)
	}
	if c.Unit != "" {
		field.Config = &data.FieldConfig{Unit: c.Unit}
	}
	return field, notice
}

// infer is the common type of all values, or text if they have different types.
func (c columnModel) infer(values []json.RawMessage) (kind, notice string) {
	for _, value := range values {
		found := typeNumber
		switch {
		case value == nil:
			continue
		case value[0] == '"' || hasMembers(value):
			found = typeString
		case value[0] == 't' || value[0] == 'f':
			found = typeBoolean
		}
		if kind != "" && kind != found {
			return typeString, fmt.Sprintf("Column %q holds values of different types; they are shown as text.", c.title())
		}
		kind = found
	}
	return kind, ""
}

func convert[T any](values []json.RawMessage, to func(query.Record) *T, misfits *int) []*T {
	converted, one := make([]*T, len(values)), query.Record{}
	for i, value := range values {
		if value == nil {
			continue
		}
		one[""] = value
		if converted[i] = to(one); converted[i] == nil {
			*misfits++
		}
	}
	return converted
}

// textOf is a value as text, objects and lists as JSON.
func textOf(value json.RawMessage) string {
	if text, ok := query.Text(value); ok {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return ""
	}
	return strings.ToValidUTF8(compact.String(), string(utf8.RuneError))
}
