package prom

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// operation is an operation of the Prometheus HTTP API, and the endpoints at which deployments serve it.
type operation struct {
	endpoints []endpoint
	found     atomic.Pointer[detection]
}

// detection is what is known of the endpoints of an operation, for a while: a rollout of the platform has another one.
type detection struct {
	// working is the index of the endpoint that has responded, or noEndpoint if none did and the result was derived by PromQL.
	working int
	until   time.Time
}

const (
	noEndpoint   = -1
	detectionTTL = 5 * time.Minute
)

// detected returns what is known of an operation.
func (c *Client) detected(o *operation) (working int, ok bool) {
	found := o.found.Load()
	if found == nil || !c.Now().Before(found.until) {
		return 0, false
	}
	return found.working, true
}

func (c *Client) detect(o *operation, working int) {
	o.found.Store(&detection{working, c.Now().Add(detectionTTL)})
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

// call requests an operation from its working endpoint, or tries its endpoints in turn. An endpoint works for [detectionTTL] once
// it has responded without an error; meanwhile its status 404 is an error like any other. If no endpoint works, the error is
// errNotServed, joined with the platform's own.
func (c *Client) call(ctx context.Context, o *operation, params url.Values, name string) (*http.Response, error) {
	if i, ok := c.detected(o); ok && i != noEndpoint {
		if c.ignoresTime(o.endpoints[i], params) {
			return c.instantByRange(ctx, params)
		}
		return c.send(ctx, o.endpoints[i], params, name)
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
			c.detect(o, i)
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
			c.detect(o, base)
		}
		return resp, err
	}
	return nil, errors.Join(errNotServed, notFound)
}
