package prom

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// operation is an operation of the Prometheus HTTP API, and the places at which deployments serve it.
type operation struct {
	places []place
	// working is the index of the place that has responded, or nowhere if none did and the result was derived by PromQL.
	working transport.Learned[int]
}

type place struct{ method, path string }

const nowhere = -1

// newOperation lists the places of an operation in the order in which they are tried: with the configured method, then GET.
func newOperation(method string, paths ...string) *operation {
	o := &operation{}
	for _, m := range slices.Compact([]string{cmp.Or(method, http.MethodGet), http.MethodGet}) {
		for _, path := range paths {
			o.places = append(o.places, place{m, path})
		}
	}
	return o
}

var (
	// errNotServed means that a deployment has no place for an operation.
	errNotServed = errors.New("not served by this deployment")
	// errIgnoresTime means that the only place of an instant query would ignore its time.
	errIgnoresTime = errors.New("not served for a time")
)

// call requests an operation from its working place, or tries its places in turn. A place works for a while once it has responded
// without an error; meanwhile its status 404 is an error like any other. If none works, the error is errNotServed, joined with the
// platform's own.
func (e *endpoint) call(ctx context.Context, o *operation, given url.Values, name string) (*http.Response, error) {
	working, known := o.working.Get(e.Now())
	known = known && working != nowhere
	ignored := false
	var notFound error
	for i, p := range o.places {
		if known && i != working {
			continue
		}
		if e.ignoresTime(p, given) {
			ignored = true
			continue
		}
		resp, err := e.send(ctx, p, given, name)
		if err == nil {
			if !known {
				o.working.Set(i, e.Now())
			}
			return resp, nil
		}
		if known || !errors.Is(err, transport.ErrNotFound) {
			return nil, err
		}
		notFound = cmp.Or(notFound, err)
	}
	if ignored {
		return nil, errIgnoresTime
	}
	return nil, errors.Join(errNotServed, notFound)
}

// longAddress is how many bytes of parameters a server may refuse with one of refusesLong. Many take 8 KiB, with what a proxy adds.
const longAddress = 4 << 10

// refusesLong are the statuses for a long address: HAProxy's; nginx's and Apache's; Envoy's, Node's and Go's.
var refusesLong = []int{http.StatusBadRequest, http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge}

// send sends parameters to a place. Those of an address that a server, or a proxy before it, may have refused as too long go there in the body
// of another request.
func (e *endpoint) send(ctx context.Context, p place, given url.Values, name string) (*http.Response, error) {
	req, err := e.newRequest(ctx, p, given, name)
	if err != nil {
		return nil, err
	}
	resp, err := e.Transport.Do(req)
	var refused *transport.Error
	if len(req.URL.RawQuery) < longAddress || !errors.As(err, &refused) || !slices.Contains(refusesLong, refused.Status) {
		return resp, err
	}
	if req, err = e.newRequest(ctx, place{http.MethodPost, p.path}, given, name); err != nil {
		return nil, err
	}
	resp, err = e.Transport.Do(req)
	if errors.Is(err, transport.ErrNotFound) || errors.Is(err, transport.ErrCredential) { // only GET is served, or allowed
		return nil, refused
	}
	return resp, err
}

// newRequest makes the request to a place. name replaces {name} in its path.
func (e *endpoint) newRequest(ctx context.Context, p place, given url.Values, name string) (*http.Request, error) {
	all := url.Values{}
	for _, values := range []url.Values{e.Params, given} {
		for key, value := range values {
			all[key] = value
		}
	}
	target := e.Base.JoinPath(strings.ReplaceAll(p.path, "{name}", name))
	if p.method == http.MethodPost {
		return e.Transport.NewPost(ctx, target, all)
	}
	target.RawQuery = all.Encode()
	return e.Transport.NewGet(ctx, target)
}

// ignoresTime reports whether a place would ignore the time of a query: the instant query at the base path is documented
// without one. It is used for queries about the current scrape interval, whose results the cache treats as equal.
func (e *endpoint) ignoresTime(p place, given url.Values) bool {
	if p.path != "" {
		return false
	}
	at, _ := time.Parse(time.RFC3339Nano, given.Get("time")) // of an instant query
	now := e.Now()
	return at.After(now) || !at.Truncate(e.interval).Equal(now.Truncate(e.interval))
}

// instantByRange sends an instant query as a range query of one step, whose time is documented. The order of its series is
// undefined, and only expressions of type vector or scalar have a result.
func (e *endpoint) instantByRange(ctx context.Context, q promql.Query) (*promql.Result, error) {
	q.Start, q.Step = q.End, e.interval.Milliseconds()
	result, err := e.Evaluate(ctx, q)
	if err != nil {
		return nil, err
	}
	// A response shows that the platform is up, so the other place does not exist.
	e.instantQuery.working.Set(len(e.instantQuery.places)-1, e.Now())
	result.Type = parser.ValueTypeVector
	return result, nil
}
