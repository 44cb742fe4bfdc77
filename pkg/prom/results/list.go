package results

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/params"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
)

// listTTL is how long lists of label names, label values, series and metadata are cached.
const listTTL = time.Minute

// listEntry is a cached list.
type listEntry struct {
	*promql.List
	until, asOf int64
}

func (l *listEntry) bytes() int { return l.Bytes() }

func (l *listEntry) expires() int64 { return l.until }

// List returns a list through the cache. Grafana requests it for ranges that end now, so ranges that start and end in the same
// minutes are treated as equal. Calls with the same key are coalesced.
//
// Errors are *transport.Error.
func (c *Cache) List(ctx context.Context, q promql.ListQuery) (*promql.List, error) {
	defer promql.Stage("cache", c.Source)()
	if reason := c.bypassed(ctx); reason != "" {
		countUncached(kindList, reason)
		list, err := c.source.List(ctx, q)
		return list, c.explain(err)
	}
	key := "list\x00" + listKey(q)
	if cached, ok := c.list(key); ok {
		count(kindList, hit)
		return cached.List, nil
	}
	count(kindList, miss)
	clears := c.clears.Load()
	found, err := coalesce(ctx, &c.listCalls, key, func(ctx context.Context) (*listEntry, error) {
		if cached, ok := c.list(key); ok {
			return cached, nil
		}
		asOf := c.now()
		list, err := c.source.List(ctx, q)
		if err != nil {
			return nil, err
		}
		e := &listEntry{list, asOf + listTTL.Milliseconds(), asOf}
		if list.Partial || len(list.Warnings) > 0 {
			countUncached(kindList, warning)
		} else {
			c.set(kindList, key, e, clears)
		}
		return e, nil
	})
	if err != nil {
		return nil, c.explain(err)
	}
	return found.List, nil
}

func listKey(q promql.ListQuery) string {
	key := url.Values{"kind": {strconv.Itoa(int(q.Kind))}, "label": {q.Label}}
	for name, values := range q.Params {
		key[name] = values
		if at, err := time.Parse(time.RFC3339Nano, q.Params.Get(name)); err == nil && (name == "start" || name == "end") {
			key[name] = []string{params.FormatTime(at.Truncate(time.Minute))}
		}
	}
	return key.Encode()
}

func (c *Cache) list(key string) (*listEntry, bool) {
	l, ok := get[*listEntry](c, key)
	now := c.now()
	return l, ok && l.asOf <= now && now < l.until
}
