package rangecache

import "context"

type noCache struct{}

// NoCache makes a context whose requests are answered by the platform alone: nothing is read from the cache, and nothing is
// kept, so that others' entries stay as they are.
func NoCache(ctx context.Context) context.Context { return context.WithValue(ctx, noCache{}, true) }

// bypassed reports whether a request is not answered from the cache.
func (c *Cache) bypassed(ctx context.Context) bool {
	return !c.Enabled() || ctx.Value(noCache{}) != nil
}
