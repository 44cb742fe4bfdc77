package plugin

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"golang.org/x/sync/semaphore"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Bounds of the queries of one request. A panel has some tens of them at most, of some hundred bytes each.
const (
	maxRequestQueries = 100
	maxRequestBytes   = 512 << 10
)

// Bounds of the queries, over all requests, of one data source.
const (
	// maxUnderWay is how many are worked on at a time.
	maxUnderWay = 64
	// maxWaiting is how many wait for that.
	maxWaiting = 512
)

// oversized are the errors of the queries that one request has too many of, or too much; nil for those that are answered.
func oversized(queries []backend.DataQuery) []error {
	errs := make([]error, len(queries))
	size := 0
	for i, q := range queries {
		size += len(q.JSON)
		switch {
		case i >= maxRequestQueries:
			errs[i] = &query.Error{Field: "Query", Message: fmt.Sprintf("the request has %d queries, and the limit is %d. Show them in several panels.", len(queries), maxRequestQueries)}
		case size > maxRequestBytes:
			errs[i] = &query.Error{Field: "Query", Message: fmt.Sprintf("with this one, the request's queries have %d bytes, and the limit is %d.", size, maxRequestBytes)}
		}
	}
	return errs
}

// admission bounds how many queries of a data source are under way.
type admission struct {
	places  *semaphore.Weighted
	waiting atomic.Int64
}

func newAdmission() *admission { return &admission{places: semaphore.NewWeighted(maxUnderWay)} }

// enter waits for a place. The caller calls leave when the query is answered. Errors are *transport.Error.
func (a *admission) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { a.places.Release(1) }
	if ctx.Err() == nil && a.places.TryAcquire(1) {
		return leave, nil
	}
	defer a.waiting.Add(-1)
	if a.waiting.Add(1) > maxWaiting {
		return nil, &transport.Error{Kind: transport.ErrRateLimited, Status: http.StatusTooManyRequests, Message: fmt.Sprintf(
			"More than %d queries of this data source wait to be run. Try again in a moment, or refresh dashboards less often.", maxWaiting)}
	}
	if a.places.Acquire(ctx, 1) != nil {
		return nil, &transport.Error{Kind: transport.ErrCanceled, Message: "The query was canceled before it was run."}
	}
	return leave, nil
}
