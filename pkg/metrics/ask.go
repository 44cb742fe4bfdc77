package metrics

import (
	"context"
	"errors"
	"net/url"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/metrics/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

func (c *Client) askRange(ctx context.Context, q *Query) (*promjson.Result, error) {
	params := url.Values{
		"query": {q.Expr},
		"start": {formatTime(q.Start)},
		"end":   {formatTime(q.End)},
		"step":  {formatDuration(q.Step)},
	}
	return c.ask(ctx, c.rangeQuery, params)
}

func (c *Client) askInstant(ctx context.Context, q *Query) (*promjson.Result, error) {
	return c.ask(ctx, c.instantQuery, url.Values{"query": {q.Expr}, "time": {formatTime(q.At)}})
}

// ask sends a query and decodes its answer as it arrives.
func (c *Client) ask(ctx context.Context, o *operation, params url.Values) (*promjson.Result, error) {
	ctx, cancel := c.withTimeout(ctx, params)
	defer cancel()
	resp, err := c.call(ctx, o, params, "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	result, err := promjson.Decode(resp.Body)
	if err != nil {
		return nil, c.explain(resp.StatusCode, err)
	}
	if result.ErrorType != "" || result.Error != "" {
		return nil, c.Transport.Service().Rejected(resp.StatusCode, result.Error)
	}
	return result, nil
}

func (c *Client) explain(status int, err error) error {
	var explained *transport.Error
	switch service := c.Transport.Service(); {
	case errors.As(err, &explained):
		return explained
	case errors.Is(err, promjson.ErrNativeHistogram):
		return service.Rejected(status, "The result holds native histograms, which can't be drawn as series. Use histogram_quantile() or histogram_avg() on them.")
	default:
		return service.Malformed(status, "sent an answer that isn't whole, well-formed JSON of a Prometheus API.")
	}
}
