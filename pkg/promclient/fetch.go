package promclient

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// cachedRange runs a range query through the cache.
func (c *Client) cachedRange(ctx context.Context, q *parsedQuery) (*promjson.Result, rangecache.Origin, error) {
	rangeQuery := rangecache.RangeQuery{Expr: q.Expr, Start: q.Start, End: q.End, Step: q.Step}
	result, origin, err := c.cache.Range(ctx, rangeQuery, func(ctx context.Context, start, end time.Time) (*rangecache.Response, error) {
		part := *q
		part.Start, part.End = start, end
		return c.fetchRange(ctx, &part)
	})
	var over *promjson.LimitError
	if errors.As(err, &over) {
		err = tooLarge(over) // the result is over a limit, although each response is within it
	}
	return result, origin, c.Transport.Explain(err)
}

// cachedInstant runs an instant query through the cache.
func (c *Client) cachedInstant(ctx context.Context, q *parsedQuery) (*promjson.Result, rangecache.Origin, error) {
	result, origin, err := c.cache.Instant(ctx, q.Expr, q.At, func(ctx context.Context) (*rangecache.Response, error) {
		return c.fetchInstant(ctx, q)
	})
	return result, origin, c.Transport.Explain(err)
}

func (c *Client) fetchRange(ctx context.Context, q *parsedQuery) (*rangecache.Response, error) {
	params := url.Values{
		"query": {q.Expr},
		"start": {formatTime(q.Start)},
		"end":   {formatTime(q.End)},
		"step":  {formatDuration(q.Step)},
	}
	return c.fetch(ctx, c.rangeQuery, params, q.maxPointsOfSeries())
}

func (c *Client) fetchInstant(ctx context.Context, q *parsedQuery) (*rangecache.Response, error) {
	return c.fetch(ctx, c.instantQuery, url.Values{"query": {q.Expr}, "time": {formatTime(q.At)}}, maxPointsOfInstant)
}

// fetch sends a query and decodes the response while it arrives. A series of it has at most so many points.
func (c *Client) fetch(ctx context.Context, o *operation, params url.Values, pointsOfSeries int) (*rangecache.Response, error) {
	ctx, cancel := c.withTimeout(ctx, params)
	defer cancel()
	resp, err := c.call(ctx, o, params, "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	result, err := promjson.Decode(resp.Body, c.Limits.decoderLimits(pointsOfSeries))
	if err != nil {
		return nil, c.decodeError(resp.StatusCode, err)
	}
	if result.ErrorType != "" || result.Error != "" {
		return nil, c.Transport.Service().Rejected(resp.StatusCode, result.Error)
	}
	// The time is zero if the header is missing or invalid.
	date, _ := http.ParseTime(resp.Header.Get("Date"))
	return &rangecache.Response{Result: result, Date: date}, nil
}

// decodeError is the error of a response that can't be decoded.
func (c *Client) decodeError(status int, err error) error {
	var explained *transport.Error
	var over *promjson.LimitError
	switch service := c.Transport.Service(); {
	case errors.As(err, &explained):
		return explained
	case errors.As(err, &over):
		return tooLarge(over)
	default:
		return service.Malformed(status, "sent an answer that isn't whole, well-formed JSON of a Prometheus API.")
	}
}
