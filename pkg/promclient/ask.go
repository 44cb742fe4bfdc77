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

// cachedRange answers a range query from what is kept, as far as that goes.
func (c *Client) cachedRange(ctx context.Context, q *Query) (*promjson.Result, rangecache.Origin, error) {
	asked := rangecache.RangeQuery{Expr: q.Expr, Start: q.Start, End: q.End, Step: q.Step}
	result, origin, err := c.cache.Range(ctx, asked, func(ctx context.Context, start, end time.Time) (*rangecache.Answer, error) {
		part := *q
		part.Start, part.End = start, end
		return c.askRange(ctx, &part)
	})
	var over *promjson.LimitError
	if errors.As(err, &over) {
		err = tooLarge(over) // put together of answers that are small enough each
	}
	return result, origin, c.Transport.Explain(err)
}

// cachedInstant answers an instant query, from what is kept if that is there.
func (c *Client) cachedInstant(ctx context.Context, q *Query) (*promjson.Result, rangecache.Origin, error) {
	result, origin, err := c.cache.Instant(ctx, q.Expr, q.At, func(ctx context.Context) (*rangecache.Answer, error) {
		return c.askInstant(ctx, q)
	})
	return result, origin, c.Transport.Explain(err)
}

func (c *Client) askRange(ctx context.Context, q *Query) (*rangecache.Answer, error) {
	params := url.Values{
		"query": {q.Expr},
		"start": {formatTime(q.Start)},
		"end":   {formatTime(q.End)},
		"step":  {formatDuration(q.Step)},
	}
	return c.ask(ctx, c.rangeQuery, params, q.each())
}

func (c *Client) askInstant(ctx context.Context, q *Query) (*rangecache.Answer, error) {
	return c.ask(ctx, c.instantQuery, url.Values{"query": {q.Expr}, "time": {formatTime(q.At)}}, maxEach)
}

// ask sends a query and decodes its answer as it arrives. Its series have so many points each at most.
func (c *Client) ask(ctx context.Context, o *operation, params url.Values, each int) (*rangecache.Answer, error) {
	ctx, cancel := c.withTimeout(ctx, params)
	defer cancel()
	resp, err := c.call(ctx, o, params, "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	result, err := promjson.DecodeWithin(resp.Body, c.Limits.of(each))
	if err != nil {
		return nil, c.explain(resp.StatusCode, err)
	}
	if result.ErrorType != "" || result.Error != "" {
		return nil, c.Transport.Service().Rejected(resp.StatusCode, result.Error)
	}
	// A missing or unreadable date leaves the time zero, which says just that.
	served, _ := http.ParseTime(resp.Header.Get("Date"))
	return &rangecache.Answer{Result: result, Served: served}, nil
}

func (c *Client) explain(status int, err error) error {
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
