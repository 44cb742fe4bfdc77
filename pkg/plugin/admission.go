package plugin

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
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
	// patience is how long a query waits. On a platform that hangs it ends before the wait for the limit of concurrent requests
	// does, which is nine tenths of the timeout: else the places that this frees would hang anew.
	patience time.Duration
}

// newAdmission makes the admission of a data source whose requests time out after so long; 0 stands for never.
func newAdmission(timeout time.Duration) *admission {
	if timeout <= 0 {
		timeout = httpclient.DefaultTimeoutOptions.Timeout
	}
	return &admission{places: semaphore.NewWeighted(maxUnderWay), patience: timeout * 8 / 10}
}

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
	waiting, cancel := context.WithTimeout(ctx, a.patience)
	defer cancel()
	if a.places.Acquire(waiting, 1) != nil {
		if ctx.Err() == nil {
			return nil, &transport.Error{Kind: transport.ErrTimeout, Message: fmt.Sprintf(
				"More than %d queries of this data source were under way all the while that this one waited. Try again in a moment, or refresh dashboards less often.", maxUnderWay)}
		}
		return nil, &transport.Error{Kind: transport.ErrCanceled, Message: "The query was canceled before it was run."}
	}
	return leave, nil
}
