package results

import (
	"context"
	"fmt"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// listTTL is how long lists of label names, label values and series are cached.
const listTTL = time.Minute

// List returns a list through the cache. Grafana requests it for ranges that end now, so ranges that start and end in the same
// minutes are treated as equal.
//
// Errors are *transport.Error.
func (c *Cache) List(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	defer promql.Stage("cache", c.Source)()
	if reason := c.bypassed(ctx); reason != "" {
		countUncached(kindList, reason)
		list, err := c.source.List(ctx, q)
		return list, c.explain(err)
	}
	found, _, err := through(ctx, c, kindList, listKey(q), func(ctx context.Context) (*timed[*promql.List], error) {
		asOf := c.now()
		list, err := c.source.List(ctx, q)
		if err != nil {
			return nil, err
		}
		e := &timed[*promql.List]{value: list, asOf: asOf, until: asOf + listTTL.Milliseconds(), size: list.Bytes()}
		if list.Partial || len(list.Warnings) > 0 {
			e.uncached = warning
		}
		return e, nil
	})
	if err != nil {
		return nil, err
	}
	return found.value, nil
}

func listKey(q promql.ListQuery) string {
	q.Start, q.End = q.Start.Truncate(time.Minute), q.End.Truncate(time.Minute)
	return fmt.Sprintf("list\x00%#v", q)
}
