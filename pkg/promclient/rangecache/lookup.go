package rangecache

import (
	"context"
	"time"
)

// lookupTime is how long lists of labels, values and series serve.
const lookupTime = time.Minute

// Lookup is an answer about which series there are. It is shared by all who ask, so nobody changes it.
type Lookup struct {
	// Value is the answer.
	Value any
	// Bytes is the memory that it takes.
	Bytes int
	// Partial tells that the answer is not whole, so that it is not kept.
	Partial bool

	until, asOf int64
}

func (l *Lookup) bytes() int { return l.Bytes }

// Lookup answers with what is kept under a key for a minute, or loads it, once for all who want the same.
//
// Errors are load's, or the context's if the caller gave up.
func (c *Cache) Lookup(ctx context.Context, key string, load func(context.Context) (*Lookup, error)) (*Lookup, error) {
	if c.bypassed(ctx) {
		count(kindLookup, bypass)
		return load(ctx)
	}
	key = "lookup\x00" + key
	if kept, ok := c.lookup(key); ok {
		count(kindLookup, hit)
		return kept, nil
	}
	count(kindLookup, miss)
	clears := c.clears.Load()
	return together(ctx, &c.lookups, key, func(ctx context.Context) (*Lookup, error) {
		if kept, ok := c.lookup(key); ok {
			return kept, nil
		}
		asOf := c.now()
		loaded, err := load(ctx)
		if err != nil || loaded.Partial {
			return loaded, err
		}
		loaded.asOf, loaded.until = asOf, asOf+lookupTime.Milliseconds()
		c.set(key, loaded, clears)
		return loaded, nil
	})
}

func (c *Cache) lookup(key string) (*Lookup, bool) {
	l, ok := get[*Lookup](c, key)
	now := c.now()
	return l, ok && l.asOf <= now && now < l.until
}
