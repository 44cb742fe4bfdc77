package endpoint

import (
	"context"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// ignoresTime reports whether a place would ignore the time of a query: the instant query at the base path is documented
// without one. It is used for queries about the current scrape interval, whose results the cache treats as equal.
func (c *Client) ignoresTime(p place, given url.Values) bool {
	if p.path != "" {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, given.Get("time"))
	if err != nil {
		return false // the query has no time
	}
	now := c.Now()
	return at.After(now) || !at.Truncate(c.Interval).Equal(now.Truncate(c.Interval))
}

// instantByRange sends an instant query as a range query of one step, whose time is documented. The order of its series is
// undefined, and only expressions of type vector or scalar have a result.
func (c *Client) instantByRange(ctx context.Context, q promql.Query) (*promql.Result, error) {
	q.Start, q.Step = q.End, c.Interval.Milliseconds()
	result, err := c.Range(ctx, q)
	if err != nil {
		return nil, err
	}
	// A response shows that the platform is up, so the other place does not exist.
	c.instantQuery.working.Set(len(c.instantQuery.places)-1, c.Now())
	result.Type = promql.Vector
	return result, nil
}
