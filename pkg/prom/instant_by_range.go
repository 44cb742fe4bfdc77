package prom

import (
	"context"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// ignoresTime reports whether a place would ignore the time of a query: the instant query at the base path is documented
// without one. It is used for queries about the current scrape interval, whose results the cache treats as equal.
func (e *endpoint) ignoresTime(p place, given url.Values) bool {
	if p.path != "" {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, given.Get("time"))
	if err != nil {
		return false // the query has no time
	}
	now := e.Now()
	return at.After(now) || !at.Truncate(e.interval).Equal(now.Truncate(e.interval))
}

// instantByRange sends an instant query as a range query of one step, whose time is documented. The order of its series is
// undefined, and only expressions of type vector or scalar have a result.
func (e *endpoint) instantByRange(ctx context.Context, q promql.Query) (*promql.Result, error) {
	q.Start, q.Step = q.End, e.interval.Milliseconds()
	result, err := e.Range(ctx, q)
	if err != nil {
		return nil, err
	}
	// A response shows that the platform is up, so the other place does not exist.
	e.instantQuery.working.Set(len(e.instantQuery.places)-1, e.Now())
	result.Type = promql.Vector
	return result, nil
}
