package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	defaultRoot     = "$.items"
	defaultMaxPages = 10
	mostPages       = 100
)

type listModel struct {
	Path   string `json:"path"`
	Params []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"params"`
	Root       string       `json:"root"`
	Columns    []Column     `json:"columns"`
	MaxPages   query.Number `json:"maxPages"`
	TimeColumn string       `json:"timeColumn"`
}

// QueryList answers any list below /v1: a row an item. With a time column it is a time series, whose numbers are labelled
// by the columns of text.
//
// In its path, {projectId} and {organizationId} stand for the ids of the settings; in its parameters, "$__timeFrom()" and
// "$__timeTo()" for the ends of the time range, in RFC 3339.
// Errors are *query.Error or *transport.Error.
func (c *Client) QueryList(ctx context.Context, saved backend.DataQuery) (data.Frames, error) {
	m := listModel{Root: defaultRoot, MaxPages: defaultMaxPages}
	if err := json.Unmarshal(saved.JSON, &m); err != nil {
		return nil, query.Unreadable(err)
	}
	var err error
	if m.Path, err = c.fillPath(m.Path); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	found, err := c.read(ctx, m.Path, m.values(saved.TimeRange), m.Root, int(m.MaxPages))
	if err != nil {
		return nil, err
	}
	columns := m.Columns
	if len(columns) == 0 {
		columns = scalarMembers(found.items)
	}
	frame, notices := asTable("", found.items, m.timed(columns))
	notices = append(found.notices, notices...)
	if m.TimeColumn == "" {
		return withNotices(data.Frames{frame}, saved.RefID, notices), nil
	}
	series, notice, err := asSeries(frame, m.TimeColumn)
	if err != nil {
		return nil, err
	}
	if notice != "" {
		notices = append(notices, notice)
	}
	return withNotices(data.Frames{series}, saved.RefID, notices), nil
}

// check completes and checks a query. Its error is a *query.Error.
func (m *listModel) check() error {
	if err := checkPath(m.Path); err != nil {
		return err
	}
	if m.Root == "" {
		m.Root = defaultRoot
	}
	if m.MaxPages < 1 {
		m.MaxPages = defaultMaxPages
	}
	m.MaxPages = min(m.MaxPages, mostPages)
	for _, column := range m.Columns {
		switch column.Type {
		case "", TypeString, TypeNumber, TypeBoolean, TypeTime:
		default:
			return &query.Error{Field: "Columns", Message: fmt.Sprintf("%q is not a type. Use string, number, boolean or time.", column.Type)}
		}
		if column.Selector == "" {
			return &query.Error{Field: "Columns", Message: "a column has no selector. Write a member's name, for example name."}
		}
		if err := column.check("Columns"); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(m.Columns, func(c Column) bool { return c.title() == m.TimeColumn }) {
		return nil
	}
	return Column{Selector: m.TimeColumn}.check("Time column")
}

func (m *listModel) values(span backend.TimeRange) url.Values {
	macros := strings.NewReplacer(
		"$__timeFrom()", span.From.UTC().Format(time.RFC3339),
		"$__timeTo()", span.To.UTC().Format(time.RFC3339))
	params := url.Values{}
	for _, param := range m.Params {
		if param.Name != "" {
			params.Add(param.Name, macros.Replace(param.Value))
		}
	}
	return params
}

// timed makes sure that the time column is one, and is of that type.
func (m *listModel) timed(columns []Column) []Column {
	if m.TimeColumn == "" {
		return columns
	}
	columns = slices.Clone(columns)
	for i := range columns {
		if columns[i].title() == m.TimeColumn {
			columns[i].Type = TypeTime
			return columns
		}
	}
	return append(columns, Column{Selector: m.TimeColumn, Type: TypeTime})
}

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
