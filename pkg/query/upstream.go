package query

import "context"

// MaxUpstream bounds the PromQL queries of the platform that one request makes, however many queries of its own it has.
const MaxUpstream = 600

type upstreamKey struct{}

// WithUpstream gives the query of a context a share of [MaxUpstream].
func WithUpstream(ctx context.Context, share int) context.Context {
	return context.WithValue(ctx, upstreamKey{}, share)
}

// Upstream is how many PromQL queries the query of a context may make.
func Upstream(ctx context.Context) int {
	if share, ok := ctx.Value(upstreamKey{}).(int); ok {
		return share
	}
	return MaxUpstream
}
