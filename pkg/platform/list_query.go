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
	// aggregateCount counts the items of each interval.
	aggregateNone, aggregateCount = "none", "count"
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
	Aggregate  string       `json:"aggregate"`
}

// QueryList answers any list below /v1: a row an item. With a time column it is a time series, whose numbers are labeled
// by the columns of text, or a count of the items per interval. plain asks for what alert rules and server-side expressions
// can evaluate: without a time column, that is a number an item, labeled by the columns of text.
//
// The custom metadata of its frame names the members and lists of the response, for query editors.
//
// In its path, {projectId} and {organizationId} stand for the ids of the settings; in its parameters, "$__timeFrom()" and
// "$__timeTo()" for the ends of the time range, in RFC 3339.
// Errors are *query.Error or *transport.Error.
func (c *Client) QueryList(ctx context.Context, saved backend.DataQuery, plain bool) (data.Frames, error) {
	m := listModel{Root: defaultRoot, MaxPages: defaultMaxPages}
	if err := json.Unmarshal(saved.JSON, &m); err != nil {
		return nil, query.Unreadable(err)
	}
	err := checkLength("Path", "it is", m.Path, mostPathBytes)
	if err != nil {
		return nil, err
	}
	written := m.Path
	if m.Path, err = c.fillPath(m.Path); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	params, err := m.values(saved.TimeRange)
	if err != nil {
		return nil, err
	}
	found, err := c.read(ctx, m.Path, params, m.Root, int(m.MaxPages))
	if err != nil {
		return nil, c.missing(ctx, written, err)
	}
	frame, notices, err := m.frame(found, saved, newBudget(ctx, "Columns", found.bytes))
	if err != nil {
		return nil, c.explain(err)
	}
	frame.Meta.Custom = seen{Members: seenMembers(found.items), Roots: found.roots}
	frames := data.Frames{frame}
	if plain && m.TimeColumn == "" {
		if frames, err = numbers(frame); err != nil {
			return nil, err
		}
	}
	return withNotices(frames, saved.RefID, append(found.notices, notices...)), nil
}

// frame makes what the query asks for of a list. Its error is a *query.Error, or the context's.
func (m *listModel) frame(found *list, saved backend.DataQuery, b *budget) (frame *data.Frame, notices []string, err error) {
	columns := m.Columns
	// A count is labeled by the columns that were chosen: among all members there are ids.
	if len(columns) == 0 && m.Aggregate != aggregateCount {
		var notice string
		columns, notice = scalarMembers(found.items)
		notices = appendNotice(notices, notice)
	}
	table, more, err := asTable("", found.items, m.timed(columns), b)
	notices = append(notices, more...)
	if err != nil || m.TimeColumn == "" {
		return table, notices, err
	}
	ordered, err := byTime(table, m.TimeColumn)
	if err != nil {
		return nil, nil, err
	}
	notices = appendNotice(notices, ordered.notice)
	if m.Aggregate == aggregateCount {
		frame, err = ordered.counts(saved, found.partial)
		return frame, notices, err
	}
	frame, notice, err := ordered.series()
	return frame, appendNotice(notices, notice), err
}

func appendNotice(notices []string, notice string) []string {
	if notice == "" {
		return notices
	}
	return append(notices, notice)
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
	if err := tooMany("Parameters", len(m.Params), mostParams); err != nil {
		return err
	}
	if err := tooMany("Columns", len(m.Columns), mostColumns); err != nil {
		return err
	}
	for _, column := range m.Columns {
		if column.Selector == "" {
			return &query.Error{Field: "Columns", Message: "a column has no selector. Write a member's name, for example name."}
		}
		if err := column.check("Columns"); err != nil {
			return err
		}
		switch column.Type {
		case "", TypeString, TypeNumber, TypeBoolean, TypeTime:
		default:
			return &query.Error{Field: "Columns", Message: fmt.Sprintf("%q is not a type. Use string, number, boolean or time.", column.Type)}
		}
	}
	switch {
	case m.Aggregate != "" && m.Aggregate != aggregateNone && m.Aggregate != aggregateCount:
		return &query.Error{Field: "Aggregate", Message: "use none or count."}
	case m.Aggregate == aggregateCount && m.TimeColumn == "":
		return &query.Error{Field: "Time column", Message: "a count per interval needs the column that holds the items' times."}
	}
	if err := checkLength("Time column", "it is", m.TimeColumn, mostTextBytes); err != nil {
		return err
	}
	if slices.ContainsFunc(m.Columns, func(c Column) bool { return c.title() == m.TimeColumn }) {
		return nil
	}
	return Column{Selector: m.TimeColumn}.check("Time column")
}

// values are the parameters of the request. Its error is a *query.Error.
func (m *listModel) values(span backend.TimeRange) (url.Values, error) {
	macros := strings.NewReplacer(
		"$__timeFrom()", span.From.UTC().Format(time.RFC3339),
		"$__timeTo()", span.To.UTC().Format(time.RFC3339))
	params, length := url.Values{}, 0
	for _, param := range m.Params {
		if param.Name != "" {
			value := macros.Replace(param.Value)
			length += len(param.Name) + len(value)
			params.Add(param.Name, value)
		}
	}
	if length > mostParamBytes {
		return nil, &query.Error{Field: "Parameters", Message: tooLong("they are", length, mostParamBytes)}
	}
	return params, nil
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
