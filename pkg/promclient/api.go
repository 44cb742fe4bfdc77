package promclient

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// limitParam is the parameter that bounds how many series or texts are answered with.
const limitParam = "limit"

// What each operation of the Prometheus HTTP API may be asked with.
var (
	instantParams  = map[string]paramKind{"query": textParam, "time": timeParam, "timeout": durationParam, limitParam: countParam}
	rangeParams    = map[string]paramKind{"query": textParam, "start": timeParam, "end": timeParam, "step": durationParam, "timeout": durationParam, limitParam: countParam}
	lookupParams   = map[string]paramKind{"match[]": textParam, "start": timeParam, "end": timeParam, limitParam: countParam}
	metadataParams = map[string]paramKind{"metric": textParam, limitParam: countParam}
)

// Envelope is a successful answer of the Prometheus HTTP API.
type Envelope struct {
	Status   string          `json:"status"`
	Data     json.RawMessage `json:"data"`
	Warnings []string        `json:"warnings,omitempty"`
	Infos    []string        `json:"infos,omitempty"`
	// IsPartial is VictoriaMetrics' word for an answer that lacks what could not be reached.
	IsPartial bool `json:"isPartial,omitempty"`
}

// Query answers api/v1/query, QueryRange api/v1/query_range.
//
// The parameters are the Prometheus HTTP API's; unknown ones are left out. Errors are *[ParamError] or *transport.Error.
func (c *Client) Query(ctx context.Context, given url.Values) (*Envelope, error) {
	return c.query(ctx, c.instantQuery, given, instantParams)
}

// QueryRange answers api/v1/query_range; see [Client.Query].
func (c *Client) QueryRange(ctx context.Context, given url.Values) (*Envelope, error) {
	return c.query(ctx, c.rangeQuery, given, rangeParams)
}

func (c *Client) query(ctx context.Context, o *operation, given url.Values, known map[string]paramKind) (*Envelope, error) {
	params, err := checked(given, known)
	if err != nil {
		return nil, err
	}
	if params.Get("query") == "" {
		return nil, &ParamError{"query", "it is empty"}
	}
	envelope, err := c.envelope(ctx, o, params, "")
	// Where a list is asked for, null is how some write an empty one. A result has a type even if it is empty.
	if err == nil && string(envelope.Data) == "null" {
		return nil, c.explain(http.StatusOK, nil)
	}
	return envelope, err
}

// LabelNames answers api/v1/labels. Where the platform has no such path the names are derived by a query; so are the
// answers of LabelValues, Series and Metadata.
func (c *Client) LabelNames(ctx context.Context, given url.Values) (*Envelope, error) {
	return c.lookup(ctx, c.labelNames, given, "", deriveLabelNames)
}

// LabelValues answers api/v1/label/<name>/values.
func (c *Client) LabelValues(ctx context.Context, name string, given url.Values) (*Envelope, error) {
	if !validLabelName(name) {
		return nil, &ParamError{"name", "not a label name"}
	}
	return c.lookup(ctx, c.labelValues, given, name, deriveLabelValues)
}

// Series answers api/v1/series.
func (c *Client) Series(ctx context.Context, given url.Values) (*Envelope, error) {
	if len(given["match[]"]) == 0 {
		return nil, &ParamError{"match[]", "at least one selector is needed"}
	}
	return c.lookup(ctx, c.series, given, "", deriveSeries)
}

// Metadata answers api/v1/metadata.
func (c *Client) Metadata(ctx context.Context, given url.Values) (*Envelope, error) {
	params, err := checked(given, metadataParams)
	if err != nil {
		return nil, err
	}
	return c.kept(ctx, c.metadata, params, "", deriveMetadata)
}

func (c *Client) lookup(ctx context.Context, o *operation, given url.Values, name string, derive derivation) (*Envelope, error) {
	if err := checkSelectors(given["match[]"]); err != nil {
		return nil, err
	}
	params, err := checked(given, lookupParams)
	if err != nil {
		return nil, err
	}
	return c.kept(ctx, o, params, name, derive)
}

// kept answers from what was found out within the last minute, where the same was asked for. Grafana asks with ranges that
// move with the clock: ranges of the same minutes count as the same.
func (c *Client) kept(ctx context.Context, o *operation, params url.Values, name string, derive derivation) (*Envelope, error) {
	alike := url.Values{"path": {o.ways[0].path}, "name": {name}}
	for key, values := range params {
		alike[key] = values
		if at, err := time.Parse(time.RFC3339Nano, params.Get(key)); err == nil && (key == "start" || key == "end") {
			alike[key] = []string{formatTime(at.Truncate(time.Minute))}
		}
	}
	found, err := c.cache.Lookup(ctx, alike.Encode(), func(ctx context.Context) (*rangecache.Lookup, error) {
		envelope, err := c.orDerive(ctx, o, params, name, derive)
		if err != nil {
			return nil, err
		}
		partial := envelope.IsPartial || len(envelope.Warnings) > 0
		return &rangecache.Lookup{Value: envelope, Bytes: len(envelope.Data), Partial: partial}, nil
	})
	if err != nil {
		return nil, c.Transport.Explain(err)
	}
	return found.Value.(*Envelope), nil
}

// orDerive asks the platform, and derives the answer where it has no such path. Only an answer settles which it is.
func (c *Client) orDerive(ctx context.Context, o *operation, params url.Values, name string, derive derivation) (*Envelope, error) {
	if o.absent.Load() {
		return derive(ctx, c, params, name)
	}
	envelope, err := c.envelope(ctx, o, params, name)
	if !errors.Is(err, errNotServed) {
		return envelope, err
	}
	derived, err := derive(ctx, c, params, name)
	if err != nil {
		return nil, err
	}
	// The platform answers queries, but it may have come back only in between.
	envelope, err = c.envelope(ctx, o, params, name)
	if err == nil {
		return envelope, nil
	}
	if errors.Is(err, errNotServed) {
		o.absent.Store(true)
	}
	return derived, nil
}

// envelope reads a whole answer before any of it is passed on: a cut one must not look like a success.
func (c *Client) envelope(ctx context.Context, o *operation, params url.Values, name string) (*Envelope, error) {
	ctx, cancel := c.withTimeout(ctx, params)
	defer cancel()
	resp, err := c.call(ctx, o, params, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := transport.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Envelope
		ErrorType string `json:"errorType"`
		Error     string `json:"error"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Status == "" {
		if failure := c.Transport.Service().FromErrorBody(body); failure != nil {
			return nil, failure
		}
		return nil, c.explain(resp.StatusCode, err)
	}
	if answer.Status == "success" && len(answer.Data) == 0 {
		return nil, c.explain(resp.StatusCode, nil)
	}
	if answer.Status != "success" {
		return nil, c.Transport.Service().Rejected(http.StatusBadRequest, answer.Error)
	}
	return &answer.Envelope, nil
}

// Check asks the cheapest range query there is, and never the cache. It works on any deployment and proves address, project and token.
// Its error is a *transport.Error.
func (c *Client) Check(ctx context.Context) error {
	now := c.Now()
	_, err := c.askRange(ctx, &Query{
		Expr:  "vector(1)",
		Start: align(now.Add(-5*c.MinStep), c.MinStep, 0),
		End:   align(now, c.MinStep, 0),
		Step:  c.MinStep,
	})
	return err
}
