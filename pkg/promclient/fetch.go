package promclient

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// cachedRange runs a range query through the cache on the client's own endpoint.
func (c *Client) cachedRange(ctx context.Context, q *parsedQuery) (*promjson.Result, rangecache.Origin, error) {
	rangeQuery := rangecache.RangeQuery{Expr: q.Expr, Start: q.Start, End: q.End, Step: q.Step, Scope: q.Scope}
	result, origin, err := c.cache.Range(ctx, rangeQuery, func(ctx context.Context, r rangecache.RangeRequest) (*rangecache.Response, error) {
		part := *q
		part.Start, part.End = r.Start, r.End
		if r.Part {
			ctx = transport.Once(ctx)
		}
		return c.fetchRange(ctx, &part, r.Total)
	})
	return result, origin, c.explain(err)
}

// cachedInstant runs an instant query through the cache on the client's own endpoint. Its samples have the time of the query, also
// if the cache or the platform evaluated it at another time of the same interval: tables join the rows of several queries by it.
func (c *Client) cachedInstant(ctx context.Context, q *parsedQuery) (*promjson.Result, rangecache.Origin, error) {
	result, origin, err := c.cache.Instant(ctx, q.Expr, q.At, func(ctx context.Context) (*rangecache.Response, error) {
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
func (c *Client) fetchRange(ctx context.Context, q *parsedQuery, total *promjson.Total) (*rangecache.Response, error) {
	params := url.Values{
		"query": {q.Expr},
		"start": {formatTime(q.Start)},
		"end":   {formatTime(q.End)},
		"step":  {formatDuration(q.Step)},
	}
	limits := c.Limits.decoderLimits(q.maxPointsOfSeries())
	limits.Total = total
	return c.fetch(ctx, c.rangeQuery, params, limits)
}

func (c *Client) fetchInstant(ctx context.Context, q *parsedQuery) (*rangecache.Response, error) {
	params := url.Values{"query": {q.Expr}, "time": {formatTime(q.At)}}
	return c.fetch(ctx, c.instantQuery, params, c.Limits.decoderLimits(maxPointsOfInstant))
}

// fetch sends a query and decodes the response while it arrives. Its error is a *[promjson.LimitError] or *transport.Error.
func (c *Client) fetch(ctx context.Context, o *operation, params url.Values, limits promjson.Limits) (*rangecache.Response, error) {
	ctx, cancel := c.withTimeout(ctx, params)
	defer cancel()
	ctx, sent := withAttempts(ctx)
	detected := o.working.Load() > 0
	resp, err := c.call(ctx, o, params, "")
	if detected && sent.repeated() || transient(err) {
		c.cache.Refused()
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	result, err := promjson.Decode(resp.Body, limits)
	if err != nil {
		return nil, c.decodeError(resp.StatusCode, err)
	}
	if result.ErrorType != "" || result.Error != "" {
		return nil, c.Transport.Service().Rejected(resp.StatusCode, result.Error)
	}
	// The time is zero if the header is missing or invalid.
	date, _ := http.ParseTime(resp.Header.Get("Date"))
	return &rangecache.Response{Result: result, Date: date, Took: sent.took()}, nil
}

// transient reports whether a request failed because the platform was down or refused it.
func transient(err error) bool {
	return errors.Is(err, transport.ErrRateLimited) || errors.Is(err, transport.ErrUnavailable)
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
