package plugin

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// The bounds of one request. A panel has at most some tens of queries, of some hundred bytes each.
const (
	maxRequestQueries = 100
	maxRequestBytes   = 512 << 10
	// maxRefID bounds the name of a query, in bytes, because every frame of its result has it. Grafana's are of one letter; a program
	// may send any.
	maxRefID = 256
)

// The bounds of all requests to one data source.
const (
	// maxConcurrentQueries bounds the queries of a service that run.
	maxConcurrentQueries = 64
	// maxQueuedQueries bounds the queries of a service that wait. Grafana evaluates all alert rules of an interval at the same time.
	maxQueuedQueries = 2048
	// maxQueuedBytes bounds their JSON.
	maxQueuedBytes = 16 << 20
)

// errRequestSize is the error of each query beyond the bounds of one request.
var errRequestSize = &query.Error{Field: "Query", Message: fmt.Sprintf(
	"a request has at most %d queries with %d KiB together, whose names (refId) have at most %d bytes. Show them in several panels.",
	maxRequestQueries, maxRequestBytes>>10, maxRefID)}

// admission limits the concurrent queries of a data source, those of each service by a bulkhead and queues of its own: a service that
// hangs takes nothing from the others.
type admission struct {
	services map[string]*admittedService
	// maxWait bounds the time in the queue. It is shorter than the wait for the limit of concurrent requests, which is nine
	// tenths of the timeout. Otherwise, while the platform hangs, queued queries would start and then time out, too.
	maxWait time.Duration
}

// admittedService has the permits of the queries of a service, and the bytes of those that wait, of dashboards and of alert rules. A query
// counts as a share of them, however small it is.
type admittedService struct {
	permits              *transport.Bulkhead
	dashboards, alerting *semaphore.Weighted
}

// newAdmission makes the admission of a data source with these handlers and this timeout of requests.
func newAdmission(handlers map[string]handler, timeout time.Duration) *admission {
	a := &admission{services: map[string]*admittedService{}, maxWait: timeout * 8 / 10}
	for _, h := range handlers {
		a.services[h.service] = &admittedService{
			transport.NewBulkhead(maxConcurrentQueries), semaphore.NewWeighted(maxQueuedBytes), semaphore.NewWeighted(maxQueuedBytes),
		}
	}
	return a
}

// acquire waits for a permit for a query of a service, whose JSON has so many bytes. The caller calls release after the query.
// Errors are *transport.Error.
func (a *admission) acquire(ctx context.Context, service string, bytes int) (release func(), err error) {
	of := a.services[service]
	waiting, size := of.dashboards, int64(max(bytes, maxQueuedBytes/maxQueuedQueries))
	if transport.Lane(ctx) != "" {
		waiting = of.alerting
	}
	if !waiting.TryAcquire(size) {
		return nil, &transport.Error{Kind: transport.ErrRateLimited, Status: http.StatusTooManyRequests, Message: fmt.Sprintf(
			"More than %d queries of the same kind, or more than %d MB, wait to be run. Try again in a moment, or refresh dashboards less often.", maxQueuedQueries, maxQueuedBytes>>20)}
	}
	defer waiting.Release(size)
	within, cancel := context.WithTimeout(ctx, a.maxWait)
	defer cancel()
	release, err = of.permits.Acquire(within)
	switch {
	case err == nil:
		return release, nil
	case ctx.Err() == nil:
		return nil, &transport.Error{Kind: transport.ErrConcurrency, Message: "Too many queries of the same kind were running while this one waited. " +
			"Try again in a moment, or refresh dashboards less often."}
	}
	return nil, errNotRun
}

// errNotRun is the error of a query whose caller left while it waited.
var errNotRun = &transport.Error{Kind: transport.ErrCanceled, Message: "The query was canceled before it was run."}
