package metrics

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
)

// SuggestionRequest asks which label names, or which values of one label, go together with queries and filters.
// It is what Grafana's Prometheus front end posts to the resource "suggestions".
type SuggestionRequest struct {
	// LabelName is the label whose values are wanted; empty for label names.
	LabelName    string        `json:"labelName"`
	Queries      []string      `json:"queries"`
	Scopes       []LabelFilter `json:"scopes"`
	AdhocFilters []LabelFilter `json:"adhocFilters"`
	Limit        int           `json:"limit"`
	// Start and End are Unix seconds or RFC 3339.
	Start string `json:"start"`
	End   string `json:"end"`
}

// Suggestions answers with label names, or with the values of one label, of the series that the queries select and the
// filters leave. Errors are *query.Error, *[ParamError] or *transport.Error.
func (c *Client) Suggestions(ctx context.Context, r SuggestionRequest) (*Envelope, error) {
	matches, err := r.matches()
	if err != nil {
		return nil, err
	}
	params := url.Values{"match[]": matches, "start": {r.Start}, "end": {r.End}}
	if r.Limit > 0 {
		params.Set("limit", strconv.Itoa(r.Limit))
	}
	if r.LabelName == "" {
		return c.LabelNames(ctx, params)
	}
	return c.LabelValues(ctx, r.LabelName, params)
}

// matches are the selectors of the queries, each narrowed by all filters; with no query, the filters alone.
func (r SuggestionRequest) matches() ([]string, error) {
	filters := append(append([]LabelFilter{}, r.Scopes...), r.AdhocFilters...)
	var matches []string
	for _, query := range r.Queries {
		if strings.TrimSpace(query) == "" {
			continue
		}
		narrowed, err := addFilters(query, filters)
		if err != nil {
			return nil, err
		}
		found, err := selectors(narrowed)
		if err != nil {
			return nil, err
		}
		matches = append(matches, found...)
	}
	if len(matches) > 0 || len(filters) == 0 {
		return matches, nil
	}
	var matchers []*labels.Matcher
	for _, f := range filters {
		m, err := f.matcher()
		if err != nil {
			return nil, err
		}
		matchers = append(matchers, m)
	}
	return []string{selector(matchers)}, nil
}
