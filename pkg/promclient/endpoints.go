package promclient

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// operation is an operation of the Prometheus HTTP API, and the endpoints at which deployments serve it.
type operation struct {
	endpoints []endpoint
	// working is the index of the endpoint that has responded, plus one.
	working atomic.Int32
	// missing is set once no endpoint responded and the result was derived by PromQL.
	missing atomic.Bool
}

type endpoint struct{ method, path string }

// newOperation lists the endpoints of an operation in the order in which they are tried: with the configured method, then GET.
func newOperation(method string, paths ...string) *operation {
	o := &operation{}
	for _, m := range slices.Compact([]string{cmp.Or(method, http.MethodGet), http.MethodGet}) {
		for _, path := range paths {
			o.endpoints = append(o.endpoints, endpoint{m, path})
		}
	}
	return o
}

// errNotServed means that a deployment has no endpoint for an operation.
var errNotServed = errors.New("not served by this deployment")

// call requests an operation from its working endpoint, or tries its endpoints in turn. An endpoint works once it has
// responded without an error; from then on its status 404 is an error like any other. If no endpoint works, the error is
// errNotServed, joined with the platform's own.
func (c *Client) call(ctx context.Context, o *operation, params url.Values, name string) (*http.Response, error) {
	if i := o.working.Load(); i > 0 {
		if c.ignoresTime(o.endpoints[i-1], params) {
			return c.instantByRange(ctx, params)
		}
		return c.send(ctx, o.endpoints[i-1], params, name)
	}
	base := -1
	var notFound error
	for i, e := range o.endpoints {
		if c.ignoresTime(e, params) {
			base = i
			continue
		}
		resp, err := c.send(ctx, e, params, name)
		if err == nil {
			o.working.Store(int32(i + 1))
			return resp, nil
		}
		if !errors.Is(err, transport.ErrNotFound) {
			return nil, err
		}
		if notFound == nil {
			notFound = err
		}
	}
	if base >= 0 {
		// A response shows that the platform is up, so the other endpoint does not exist.
		resp, err := c.instantByRange(ctx, params)
		if err == nil {
			o.working.Store(int32(base + 1))
		}
		return resp, err
	}
	return nil, errors.Join(errNotServed, notFound)
}
