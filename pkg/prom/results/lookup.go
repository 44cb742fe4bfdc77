package results

import (
	"context"
	"time"
)

// lookupTTL is how long lists of label names, label values and series are cached.
const lookupTTL = time.Minute

// Lookup is the result of a request about which series there are. It is immutable, because all callers share it.
type Lookup struct {
	Value any
	// Bytes is the memory of Value.
	Bytes int
	// Partial reports that the list is incomplete, so that it is not cached.
	Partial bool

	until, asOf int64
}

func (l *Lookup) bytes() int { return l.Bytes }

func (l *Lookup) expires() int64 { return l.until }

// Lookup returns the cached value of a key, or loads it. Calls with the same key are coalesced.
//
// Errors are load's, or the context's if the caller's context ends.
func (c *Cache) Lookup(ctx context.Context, key string, load func(context.Context) (*Lookup, error)) (*Lookup, error) {
	if reason := c.bypassed(ctx); reason != "" {
		countUncached(kindLookup, reason)
		return load(ctx)
	}
	key = "lookup\x00" + key
	if cached, ok := c.lookup(key); ok {
		count(kindLookup, hit)
		return cached, nil
	}
	count(kindLookup, miss)
	clears := c.clears.Load()
	return coalesce(ctx, &c.lookupCalls, key, func(ctx context.Context) (*Lookup, error) {
		if cached, ok := c.lookup(key); ok {
			return cached, nil
		}
		asOf := c.now()
		loaded, err := load(ctx)
		if err != nil || loaded.Partial {
			return loaded, err
		}
		loaded.asOf, loaded.until = asOf, asOf+lookupTTL.Milliseconds()
		c.set(key, loaded, clears)
		return loaded, nil
	})
}

func (c *Cache) lookup(key string) (*Lookup, bool) {
	l, ok := get[*Lookup](c, key)
	now := c.now()
	return l, ok && l.asOf <= now && now < l.until
}
