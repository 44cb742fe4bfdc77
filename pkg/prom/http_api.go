package prom

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// limitParam is the parameter that bounds the number of series or strings of a response.
const limitParam = "limit"

// The parameters of each operation of the Prometheus HTTP API.
var (
	instantParams  = map[string]paramKind{"query": textParam, "time": timeParam, "timeout": durationParam, limitParam: countParam}
	rangeParams    = map[string]paramKind{"query": textParam, "start": timeParam, "end": timeParam, "step": durationParam, "timeout": durationParam, limitParam: countParam}
	lookupParams   = map[string]paramKind{"match[]": textParam, "start": timeParam, "end": timeParam, limitParam: countParam}
	metadataParams = map[string]paramKind{"metric": textParam, limitParam: countParam}
)

// Envelope is a successful response of the Prometheus HTTP API, to be written with [Envelope.WriteTo].
type Envelope struct {
	Status   string          `json:"status"`
	Data     json.RawMessage `json:"data"`
	Warnings []string        `json:"warnings,omitempty"`
	Infos    []string        `json:"infos,omitempty"`
	// IsPartial is set by VictoriaMetrics if some of its storage nodes were unavailable.
	IsPartial bool `json:"isPartial,omitempty"`
	// result is that of a query, which is encoded as Data while it is written.
	result *promjson.Result
}

// Query serves api/v1/query, through the cache: the result is what the platform would return, and clients that request the same
// cost one request. Those with a limit or a timeout of their own are not cached.
//
// The parameters are those of the Prometheus HTTP API; others are ignored. Errors are *[ParamError] or *transport.Error.
func (c *Client) Query(ctx context.Context, given url.Values) (*Envelope, error) {
	params, err := checkedQuery(given, instantParams)
	if err != nil {
		return nil, err
	}
	expr := params.Get("query")
	q := &parsedQuery{Expr: expr, Needs: promql.Analyze(expr), Instant: true, At: c.Now()}
	if params.Has("time") {
		q.At = timeOf(params, "time")
	}
	archived := c.Archive != nil && c.divideInstant(q).archive != nil
	if !archived {
		q.Params = ownParams(params)
	}
	result, _, err := c.runInstant(ctx, q)
	if envelope, ok, err := asEnvelope(result, err, archived, params); ok {
		return envelope, err
	}
	return c.query(ctx, c.instantQuery, params)
}

// QueryRange serves api/v1/query_range; see [Client.Query].
func (c *Client) QueryRange(ctx context.Context, given url.Values) (*Envelope, error) {
	params, err := checkedQuery(given, rangeParams)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"start", "end", "step"} {
		if !params.Has(name) {
			return nil, &ParamError{name, "it is missing"}
		}
	}
	step, err := time.ParseDuration(params.Get("step"))
	start, end := timeOf(params, "start"), timeOf(params, "end")
	switch {
	case err != nil || step < time.Millisecond:
		return nil, &ParamError{"step", "it is shorter than a millisecond"}
	case end.Before(start):
		return nil, &ParamError{"end", "it is before the start"}
	case end.Sub(start)/step >= promql.MaxPoints:
		return nil, &ParamError{"step", "the range has more than 11,000 points in each series, the limit of Prometheus. Use a longer step"}
	}
	expr := params.Get("query")
	q := &parsedQuery{Expr: expr, Needs: promql.Analyze(expr), Range: true, Start: start, End: start.Add(end.Sub(start).Truncate(step)), Step: step}
	archived := c.needsArchive(q)
	if !archived {
		q.Params = ownParams(params)
	}
	result, _, err := c.runRange(ctx, q)
	if envelope, ok, err := asEnvelope(result, err, archived, params); ok {
		return envelope, err
	}
	return c.query(ctx, c.rangeQuery, params)
}

func checkedQuery(given url.Values, known map[string]paramKind) (url.Values, error) {
	params, err := checked(given, known)
	if err == nil && params.Get("query") == "" {
		err = &ParamError{"query", "it is empty"}
	}
	return params, err
}

// ownParams are the parameters with which a query has a result of its own: limit and timeout.
func ownParams(params url.Values) url.Values {
	own := url.Values{}
	for _, name := range []string{limitParam, "timeout"} {
		if params.Has(name) {
			own[name] = params[name]
		}
	}
	return own
}

// timeOf is a time among checked parameters, zero if there is none.
func timeOf(params url.Values, name string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, params.Get(name))
	return at.UTC()
}

// asEnvelope is false for a result that can't be encoded, and for a response that can't be decoded: requested whole, it may turn out
// to be an error with a success status, whose message is the platform's. A result that the archive has a part in is never
// requested whole, because the platform would respond without that part.
func asEnvelope(result *promjson.Result, err error, archived bool, params url.Values) (*Envelope, bool, error) {
	if errors.Is(err, transport.ErrMalformed) && !archived {
		return nil, false, nil
	}
	if err != nil {
		return nil, true, err
	}
	if series, _ := result.Size(); series > limitOf(params) {
		result = firstSeries(result, limitOf(params))
		withWarning(result, "results truncated due to limit")
	}
	switch {
	case isEncodable(result):
		return &Envelope{Status: "success", Warnings: result.Warnings, Infos: result.Infos, result: result}, true, nil
	case archived:
		return nil, true, &ParamError{"query", "native histograms and strings of the archive can't be served"}
	}
	return nil, false, nil
}

func firstSeries(result *promjson.Result, n int) *promjson.Result {
	first := *result
	if result.Matrix == nil {
		first.Frames = result.Frames[:n]
		return &first
	}
	m := *result.Matrix
	m.Series = m.Series[:n]
	first.Matrix = &m
	return &first
}

// query requests a query without the cache.
func (c *Client) query(ctx context.Context, o *operation, params url.Values) (*Envelope, error) {
	envelope, err := c.envelope(ctx, o, params, "")
	// Some servers encode an empty list as null. The result of a query has a type even if it is empty, so it is never null.
	if err == nil && string(envelope.Data) == "null" {
		return nil, c.decodeError(http.StatusOK, nil)
	}
	return envelope, err
}

// LabelNames serves api/v1/labels. Where the platform has no such endpoint, the names are derived by a PromQL query; the same
// holds for LabelValues, Series and Metadata.
func (c *Client) LabelNames(ctx context.Context, given url.Values) (*Envelope, error) {
	return c.lists(ctx, given, func(ctx context.Context, c *Client) (*Envelope, error) {
		return c.lookup(ctx, c.labelNames, given, "", deriveLabelNames)
	}, c.Archive.mergeNames)
}

// LabelValues serves api/v1/label/<name>/values.
func (c *Client) LabelValues(ctx context.Context, name string, given url.Values) (*Envelope, error) {
	if !validLabelName(name) {
		return nil, &ParamError{"name", "not a label name"}
	}
	if c.Archive.drops(name) {
		return c.lookup(ctx, c.labelValues, given, name, deriveLabelValues)
	}
	return c.lists(ctx, given, func(ctx context.Context, c *Client) (*Envelope, error) {
		return c.lookup(ctx, c.labelValues, given, name, deriveLabelValues)
	}, mergeValues)
}

// Series serves api/v1/series.
func (c *Client) Series(ctx context.Context, given url.Values) (*Envelope, error) {
	if len(given["match[]"]) == 0 {
		return nil, &ParamError{"match[]", "at least one selector is needed"}
	}
	return c.lists(ctx, given, func(ctx context.Context, c *Client) (*Envelope, error) {
		return c.lookup(ctx, c.series, given, "", deriveSeries)
	}, c.Archive.mergeSeries)
}

// Metadata serves api/v1/metadata. What the platform does not say of a metric is filled in from the catalog.
func (c *Client) Metadata(ctx context.Context, given url.Values) (*Envelope, error) {
	params, err := checked(given, metadataParams)
	if err != nil {
		return nil, err
	}
	envelope, err := c.cachedLookup(ctx, c.metadata, params, "", deriveMetadata)
	if err != nil {
		return nil, err
	}
	described := *envelope
	described.Data = withCatalog(envelope.Data)
	return &described, nil
}

func (c *Client) lookup(ctx context.Context, o *operation, given url.Values, name string, derive derivation) (*Envelope, error) {
	if err := checkSelectors(given["match[]"]); err != nil {
		return nil, err
	}
	params, err := checked(given, lookupParams)
	if err != nil {
		return nil, err
	}
	return c.cachedLookup(ctx, o, params, name, derive)
}

// cachedLookup returns a list through the cache. Grafana requests it for ranges that end now, so the cache treats ranges that
// start and end in the same minutes as equal.
func (c *Client) cachedLookup(ctx context.Context, o *operation, params url.Values, name string, derive derivation) (*Envelope, error) {
	key := url.Values{"path": {o.endpoints[0].path}, "name": {name}}
	for param, values := range params {
		key[param] = values
		if at, err := time.Parse(time.RFC3339Nano, params.Get(param)); err == nil && (param == "start" || param == "end") {
			key[param] = []string{formatTime(at.Truncate(time.Minute))}
		}
	}
	found, err := c.cache.Lookup(ctx, key.Encode(), func(ctx context.Context) (*results.Lookup, error) {
		envelope, err := c.fetchOrDerive(ctx, o, params, name, derive)
		if err != nil {
			return nil, err
		}
		partial := envelope.IsPartial || len(envelope.Warnings) > 0
		return &results.Lookup{Value: envelope, Bytes: len(envelope.Data), Partial: partial}, nil
	})
	if err != nil {
		return nil, c.explain(err)
	}
	return found.Value.(*Envelope), nil
}

// fetchOrDerive requests a list, and derives it where the platform has no endpoint for it.
func (c *Client) fetchOrDerive(ctx context.Context, o *operation, params url.Values, name string, derive derivation) (*Envelope, error) {
	if working, ok := c.detected(o); ok && working == noEndpoint {
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
	// The platform responds to queries now, but it may have been down at the first request.
	envelope, err = c.envelope(ctx, o, params, name)
	if err == nil {
		return envelope, nil
	}
	if errors.Is(err, errNotServed) {
		c.detect(o, noEndpoint)
	}
	return derived, nil
}

// envelope requests an operation and reads the whole response, so that a truncated one is an error.
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
	var response struct {
		Envelope
		ErrorType string `json:"errorType"`
		Error     string `json:"error"`
	}
	if err := json.Unmarshal(body, &response); err != nil || response.Status == "" {
		if failure := c.Transport.Service().FromErrorBody(body); failure != nil {
			return nil, failure
		}
		return nil, c.decodeError(resp.StatusCode, err)
	}
	if response.Status == "success" && len(response.Data) == 0 {
		return nil, c.decodeError(resp.StatusCode, nil)
	}
	if response.Status != "success" {
		return nil, c.Transport.Service().Rejected(http.StatusBadRequest, response.Error)
	}
	return &response.Envelope, nil
}

// Check runs the cheapest range query, without the cache. Every deployment serves it, so it verifies address, project and
// token. Its error is a *transport.Error.
func (c *Client) Check(ctx context.Context) error {
	now := c.Now()
	_, err := c.fetchRange(ctx, &parsedQuery{
		Expr:  "vector(1)",
		Start: align(now.Add(-5*c.MinStep), c.MinStep, 0),
		End:   align(now, c.MinStep, 0),
		Step:  c.MinStep,
	}, nil)
	return c.explain(err)
}
