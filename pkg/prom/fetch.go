package prom

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// cachedRange runs a range query through the cache on the client's own endpoint.
func (c *Client) cachedRange(ctx context.Context, q *parsedQuery) (*promjson.Result, results.Origin, error) {
	if len(q.Params) > 0 {
		response, err := c.fetchRange(ctx, q, nil)
		if err != nil {
			return nil, results.Origin{}, c.explain(err)
		}
		return response.Result, results.Origin{}, nil
	}
	rangeQuery := results.RangeQuery{Expr: q.Expr, Needs: q.Needs, Start: q.Start, End: q.End, Step: q.Step, Scope: q.Scope}
	result, origin, err := c.cache.Range(ctx, rangeQuery, func(ctx context.Context, r results.RangeRequest) (*results.Response, error) {
		part := *q
		part.Start, part.End = r.Start, r.End
		return c.fetchRange(ctx, &part, r.Total)
	})
	return result, origin, c.explain(err)
}

// cachedInstant runs an instant query through the cache on the client's own endpoint. Its samples have the time of the query, also
// if the cache or the platform evaluated it at another time of the same interval: tables join the rows of several queries by it.
func (c *Client) cachedInstant(ctx context.Context, q *parsedQuery) (*promjson.Result, results.Origin, error) {
	if len(q.Params) > 0 {
		response, err := c.fetchInstant(ctx, q)
		if err != nil {
			return nil, results.Origin{}, c.explain(err)
		}
		return response.Result, results.Origin{}, nil
	}
	result, origin, err := c.cache.Instant(ctx, q.Expr, q.Needs, q.At, func(ctx context.Context) (*results.Response, error) {
		return c.fetchInstant(ctx, q)
	})
	if err != nil {
		return nil, origin, c.explain(err)
	}
	if result.Type != promjson.Matrix {
		setTime(result.Frames, q.At)
	}
	return result, origin, nil
}

// setTime sets the time of all rows.
func setTime(frames data.Frames, at time.Time) {
	at = time.UnixMilli(at.UnixMilli()).UTC()
	for _, frame := range frames {
		field := frame.Fields[0]
		frame.Fields[0] = data.NewField(field.Name, field.Labels, slices.Repeat([]time.Time{at}, field.Len())).SetConfig(field.Config)
	}
}

// explain turns an error of the cache or of fetch into a *transport.Error.
func (c *Client) explain(err error) error {
	var over *promjson.LimitError
	if errors.As(err, &over) {
		return tooLarge(over)
	}
	return c.Transport.Explain(err)
}

// fetchRange sends a range query. Total counts the responses to which the limits apply together; see [promjson.Limits].
func (c *Client) fetchRange(ctx context.Context, q *parsedQuery, total *promjson.Total) (*results.Response, error) {
	params := url.Values{
		"query": {q.Expr},
		"start": {formatTime(q.Start)},
		"end":   {formatTime(q.End)},
		"step":  {formatDuration(q.Step)},
	}
	maps.Copy(params, q.Params)
	limits := c.Limits.decoderLimits(q.maxPointsOfSeries())
	limits.Total = total
	steps := series.Grid{Start: q.Start.UnixMilli(), End: q.End.UnixMilli(), Step: q.Step.Milliseconds()}
	return c.fetch(ctx, c.rangeQuery, params, func(body io.Reader) (*promjson.Result, error) { return promjson.DecodeMatrix(body, steps, limits) })
}

func (c *Client) fetchInstant(ctx context.Context, q *parsedQuery) (*results.Response, error) {
	params := url.Values{"query": {q.Expr}, "time": {formatTime(q.At)}}
	maps.Copy(params, q.Params)
	limits := c.Limits.decoderLimits(maxPointsOfInstant)
	return c.fetch(ctx, c.instantQuery, params, func(body io.Reader) (*promjson.Result, error) { return promjson.Decode(body, limits) })
}

// fetch sends a query and decodes the response while it arrives. Its error is a *[promjson.LimitError] or *transport.Error.
func (c *Client) fetch(ctx context.Context, o *operation, params url.Values, decode func(io.Reader) (*promjson.Result, error)) (*results.Response, error) {
	ctx, cancel := c.withTimeout(ctx, params)
	defer cancel()
	resp, err := c.call(ctx, o, params, "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	result, err := decode(resp.Body)
	if err != nil {
		return nil, c.decodeError(resp.StatusCode, err)
	}
	if result.ErrorType != "" || result.Error != "" {
		return nil, c.Transport.Service().Rejected(resp.StatusCode, result.Error)
	}
	// The time is zero if the header is missing or invalid.
	date, _ := http.ParseTime(resp.Header.Get("Date"))
	return &results.Response{Result: result, Date: date}, nil
}

// refusedWhole reports whether a range query failed because of its length: the engine ran out of time, or it would read more samples
// than it may. Prometheus and VictoriaMetrics say the latter with the status 422.
func refusedWhole(err error) bool {
	var failed *transport.Error
	return errors.As(err, &failed) && (failed.Kind == transport.ErrTimeout || failed.Status == http.StatusUnprocessableEntity)
}

// decodeError is the error of a response that can't be decoded.
func (c *Client) decodeError(status int, err error) error {
	var explained *transport.Error
	var over *promjson.LimitError
	switch {
	case errors.As(err, &explained):
		return explained
	case errors.As(err, &over):
		return over
	default:
		return c.Transport.Service().Malformed(status, "sent a response that isn't complete, well-formed JSON of a Prometheus API.")
	}
}
