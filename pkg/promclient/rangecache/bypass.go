package rangecache

import "context"

type noCache struct{}

// NoCache returns a context whose queries bypass the cache: they neither read entries nor store or replace any.
func NoCache(ctx context.Context) context.Context { return context.WithValue(ctx, noCache{}, true) }

// bypassed reports whether a query bypasses the cache.
func (c *Cache) bypassed(ctx context.Context) bool {
	return !c.Enabled() || ctx.Value(noCache{}) != nil
}
