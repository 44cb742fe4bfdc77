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
	pageLimit       = 100
	// aggregateCount is the number of items in each interval.
	aggregateNone, aggregateCount = "none", "count"
)

type listModel struct {
	Path   string `json:"path"`
	Params []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"params"`
	Root       string        `json:"root"`
	Columns    []columnModel `json:"columns"`
	MaxPages   query.Number  `json:"maxPages"`
	TimeColumn string        `json:"timeColumn"`
	Aggregate  string        `json:"aggregate"`
}

// queryList is any list below /v1, with a row for each item. With a time column it is a time series, whose numbers are
// labeled by the columns of text, or a count of the items per interval. With alerting set and without a time column it is a
// number for each item, labeled by the columns of text.
//
// The custom metadata of its frame has the members and lists of the response, for query editors.
//
// {projectId} and {organizationId} in the path stand for the ids of the settings, "$__timeFrom()" and "$__timeTo()" in
// parameters for the time range, in RFC 3339.
func (c *Client) queryList(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, []string, error) {
	m := listModel{Root: defaultRoot, MaxPages: defaultMaxPages}
	if err := json.Unmarshal(saved.JSON, &m); err != nil {
		return nil, nil, query.Unreadable(err)
	}
	err := checkLength("Path", "it is", m.Path, maxPathBytes)
	if err != nil {
		return nil, nil, err
	}
	savedPath := m.Path
	if m.Path, err = c.expandPath(m.Path); err != nil {
		return nil, nil, err
	}
	if err := m.check(); err != nil {
		return nil, nil, err
	}
	params, err := m.values(saved.TimeRange)
	if err != nil {
		return nil, nil, err
	}
	found, err := c.read(ctx, m.Path, params, m.Root, int(m.MaxPages))
	if err != nil {
		return nil, nil, c.explainNotFound(ctx, savedPath, err)
	}
	frame, notices, err := m.frame(found, saved, newBudget(ctx, "Columns", found.bytes))
	if err != nil {
		return nil, nil, c.explain(err)
	}
	frame.Meta.Custom = editorMetadata{Members: memberTypes(found.items), Roots: found.roots}
	frames := data.Frames{frame}
	if alerting && m.TimeColumn == "" {
		if frames, err = numericFrames(frame); err != nil {
			return nil, nil, err
		}
	}
	return frames, append(found.notices, notices...), nil
}

// frame makes the frame of a list. Its error is a *query.Error, or the context's.
func (m *listModel) frame(found *list, saved backend.DataQuery, b *budget) (frame *data.Frame, notices []string, err error) {
	columns := m.Columns
	// A count is labeled by chosen columns only, because ids are among all members.
	if len(columns) == 0 && m.Aggregate != aggregateCount {
		var notice string
		columns, notice = scalarColumns(found.items)
		notices = appendNotice(notices, notice)
	}
	table, more, err := tableFrame("", found.items, m.withTimeColumn(columns), b)
	notices = append(notices, more...)
	if err != nil || m.TimeColumn == "" {
		return table, notices, err
	}
	ordered, err := sortByTime(table, m.TimeColumn)
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

// check sets defaults and validates a query. Its error is a *query.Error.
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
	m.MaxPages = min(m.MaxPages, pageLimit)
	if err := tooMany("Parameters", len(m.Params), maxParams); err != nil {
		return err
	}
	if err := tooMany("Columns", len(m.Columns), maxColumns); err != nil {
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
		case "", typeString, typeNumber, typeBoolean, typeTime:
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
	if err := checkLength("Time column", "it is", m.TimeColumn, maxTextBytes); err != nil {
		return err
	}
	if slices.ContainsFunc(m.Columns, func(c columnModel) bool { return c.title() == m.TimeColumn }) {
		return nil
	}
	return columnModel{Selector: m.TimeColumn}.check("Time column")
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
	if length > maxParamBytes {
		return nil, &query.Error{Field: "Parameters", Message: tooLong("they are", length, maxParamBytes)}
	}
	return params, nil
}

// withTimeColumn adds the time column if it is missing, and sets its type.
func (m *listModel) withTimeColumn(columns []columnModel) []columnModel {
	if m.TimeColumn == "" {
		return columns
	}
	columns = slices.Clone(columns)
	for i := range columns {
		if columns[i].title() == m.TimeColumn {
			columns[i].Type = typeTime
			return columns
		}
	}
	return append(columns, columnModel{Selector: m.TimeColumn, Type: typeTime})
}
