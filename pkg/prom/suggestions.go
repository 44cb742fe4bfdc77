package prom

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/params"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// SuggestionRequest requests the label names, or the values of one label, of the series that queries and filters select. It
// is the JSON that Grafana's Prometheus front end posts to the resource "suggestions".
type SuggestionRequest struct {
	// LabelName is the label whose values are requested; empty for label names.
	LabelName    string        `json:"labelName"`
	Queries      []string      `json:"queries"`
	Scopes       []labelFilter `json:"scopes"`
	AdhocFilters []labelFilter `json:"adhocFilters"`
	Limit        int           `json:"limit"`
	// Start and End are Unix seconds or RFC 3339.
	Start string `json:"start"`
	End   string `json:"end"`
}

// Bounds of the queries of a request, which are those of a panel.
const (
	maxSuggestionQueries = 100
	maxSuggestionBytes   = 128 << 10 // together
)

// macros are values for the macros of queries. Selectors don't depend on them.
var macros = interval{step: time.Minute, rateInterval: time.Minute, timeRange: time.Minute}

// Suggestions returns the label names, or the values of one label, of the series that queries and filters select. Errors are
// *query.Error, *[params.Error] or *transport.Error.
func (c *Client) Suggestions(ctx context.Context, r SuggestionRequest) (*Response, error) {
	matches, err := r.matches()
	if err != nil {
		return nil, err
	}
	of := url.Values{"match[]": matches, "start": {r.Start}, "end": {r.End}}
	if r.Limit > 0 {
		of.Set("limit", strconv.Itoa(r.Limit))
	}
	if r.LabelName == "" {
		return c.LabelNames(ctx, of)
	}
	return c.LabelValues(ctx, r.LabelName, of)
}

// matches are the selectors of the queries, each with all filters; without a query, the filters alone. It ignores queries that
// don't parse, because the user may be typing them.
func (r SuggestionRequest) matches() ([]string, error) {
	if n := len(r.Queries); n > maxSuggestionQueries {
		return nil, &params.Error{Name: "queries", Message: fmt.Sprintf("there are %d, and the limit is %d", n, maxSuggestionQueries)}
	}
	size := 0
	for _, text := range r.Queries {
		size += len(text) + 1
	}
	if size > maxSuggestionBytes {
		return nil, &params.Error{Name: "queries", Message: fmt.Sprintf("together they have %d bytes, and the limit is %d", size, maxSuggestionBytes)}
	}
	matchers, err := Filters{Scopes: []scope{{r.Scopes}}, AdhocFilters: r.AdhocFilters}.Matchers()
	if err != nil {
		return nil, err
	}
	found := map[string][]*labels.Matcher{} // the matchers of the queries' selectors
	for _, text := range r.Queries {
		parsed, err := promql.Parse(macros.interpolate(text))
		var over *promql.BoundError
		if errors.As(err, &over) {
			return nil, &params.Error{Name: "queries", Message: "one " + over.Reason}
		}
		if err != nil {
			continue
		}
		for _, own := range parser.ExtractSelectors(parsed) {
			found[promql.Selector(own)] = own
		}
		if n := len(found); n > promql.MaxSelectors { // before each has all filters
			return nil, &params.Error{Name: "queries", Message: fmt.Sprintf("they have %d selectors, and the limit is %d", n, promql.MaxSelectors)}
		}
	}
	if len(found) == 0 && len(matchers) > 0 {
		return []string{promql.Selector(matchers)}, nil
	}
	var selectors []string
	for _, own := range found {
		selectors = append(selectors, promql.Selector(withMatchers(own, matchers)))
	}
	slices.Sort(selectors)
	return slices.Compact(selectors), nil
}
