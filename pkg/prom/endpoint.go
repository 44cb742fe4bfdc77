package prom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// endpoint evaluates PromQL at one endpoint of the Prometheus HTTP API; it implements [promql.Source]. It detects which paths are
// served, and derives by PromQL what isn't. Its errors may be those of a context, which its cache explains.
type endpoint struct {
	// Config has the endpoint's own transport, address and parameters.
	Config
	// stages have its name, and the scrape interval, at most a minute: an instant query at any time of an interval has the result of its end.
	stages promql.Config
	// err is why the endpoint can't be used, for example because of its settings, or nil. It is the error of all queries.
	err error
	// dropped are labels that the endpoint adds to each series. Results and lists lack them.
	dropped []string

	rangeQuery, instantQuery        *operation
	labelNames, labelValues, series *operation

	// parts bounds the requests for parts of long ranges, of all queries, so that those of other queries need not wait. The wait for a turn
	// takes nothing of a request's timeout.
	parts *transport.Bulkhead
}

// partsAtOnce bounds the requests for parts of dashboards. Alert rules have one more.
const partsAtOnce = 4

func newEndpoint(c Config, stages promql.Config, dropped []string, err error) *endpoint {
	return &endpoint{
		Config: c, stages: stages, err: err, dropped: dropped, parts: transport.NewBulkhead(partsAtOnce + 1),
		// Deployments serve one or both paths of these two.
		rangeQuery:   newOperation(c.Method, "/api/v1/query_range", "/api/v1/query-range"),
		instantQuery: newOperation(c.Method, "/api/v1/query", ""),
		labelNames:   newOperation(c.Method, "/api/v1/labels"),
		labelValues:  newOperation(http.MethodGet, "/api/v1/label/{name}/values"),
		series:       newOperation(c.Method, "/api/v1/series"),
	}
}

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

// Evaluate evaluates a query at each step of a range, or at its time.
func (e *endpoint) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	defer promql.Stage("endpoint", e.stages.Source)()
	asOf := e.Now().UnixMilli()
	if q.Part != nil {
		release, err := e.parts.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	operation, params := e.rangeQuery, url.Values{"query": {q.Expr}}
	if end := formatTime(time.UnixMilli(q.End)); q.Step == 0 {
		operation = e.instantQuery
		params.Set("time", end)
	} else {
		params.Set("start", formatTime(time.UnixMilli(q.Start)))
		params.Set("end", end)
		params.Set("step", formatDuration(time.Duration(q.Step)*time.Millisecond))
	}
	limits := e.Limits
	limits.Total = q.Part
	result, err := fetch(ctx, e, operation, params, "", func(resp *http.Response) (*promql.Result, error) {
		result, err := promjson.Decode(resp.Body, limits, e.dropped...)
		if err != nil {
			return nil, err
		}
		result.Took, result.Date = transport.Took(resp), e.Now().UnixMilli()
		if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			result.Date = at.UnixMilli()
		}
		return result, nil
	})
	switch {
	case errors.Is(err, errIgnoresTime):
		return e.instantByRange(ctx, q)
	case err != nil:
		return nil, err
	}
	e.sanitize(result.Warnings, result.Infos)
	if len(e.dropped) > 0 {
		e.order(result)
	}
	result.Origin = promql.Origin{FetchedSteps: q.Steps(), AsOf: asOf}
	return result, nil
}

// fetch requests an operation, and decodes the response while it arrives. With a timeout of queries, the deadline is a second later, so
// that the error of the engine can arrive.
func fetch[T any](ctx context.Context, e *endpoint, o *operation, given url.Values, name string, decode func(*http.Response) (T, error)) (none T, err error) {
	if e.QueryTimeout > 0 {
		given.Set("timeout", formatDuration(e.QueryTimeout))
		within, cancel := context.WithTimeout(ctx, e.QueryTimeout+time.Second)
		defer cancel()
		ctx = within
	}
	resp, err := e.call(ctx, o, given, name)
	if err != nil {
		return none, err
	}
	defer func() { _ = resp.Body.Close() }()
	value, err := decode(resp)
	if err != nil {
		return none, e.decodeError(resp.StatusCode, err)
	}
	return value, nil
}

// longAddress is how many bytes of parameters a server, or a proxy before it, may refuse with one of refusesLong. Many take 8 KiB, with what
// a proxy adds.
const longAddress = 4 << 10

// refusesLong are the statuses for a long address: HAProxy's; nginx's and Apache's; Envoy's, Node's and Go's.
var refusesLong = []int{http.StatusBadRequest, http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge}

// call requests an operation from its working place, or tries its places in turn. In their paths name replaces {name}. A place works for a
// while once it has responded without an error; meanwhile its status 404 is an error like any other. If none works, the error is
// errNotServed, joined with the platform's own. What may have been too long for an address goes to its place in the body of another request.
func (e *endpoint) call(ctx context.Context, o *operation, given url.Values, name string) (*http.Response, error) {
	if e.err != nil {
		return nil, e.err
	}
	all := url.Values{}
	maps.Copy(all, e.Params)
	maps.Copy(all, given)
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
		target, form := e.Base.JoinPath(strings.ReplaceAll(p.path, "{name}", name)), all
		if p.method == http.MethodGet {
			target.RawQuery, form = all.Encode(), nil
		}
		resp, err := e.Transport.Send(ctx, target, form)
		var refused *transport.Error
		if len(target.RawQuery) >= longAddress && errors.As(err, &refused) && slices.Contains(refusesLong, refused.Status) {
			target.RawQuery = ""
			posted, postErr := e.Transport.Send(ctx, target, all)
			if !errors.Is(postErr, transport.ErrNotFound) && !errors.Is(postErr, transport.ErrCredential) { // else only GET is served, or allowed
				resp, err = posted, postErr
			}
		}
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

// ignoresTime reports whether a place would ignore the time of a query: the instant query at the base path is documented
// without one. It is used for queries about the current scrape interval, whose results the cache treats as equal.
func (e *endpoint) ignoresTime(p place, given url.Values) bool {
	if p.path != "" {
		return false
	}
	at, _ := time.Parse(time.RFC3339Nano, given.Get("time")) // of an instant query
	now := e.Now()
	return at.After(now) || !at.Truncate(e.stages.Interval).Equal(now.Truncate(e.stages.Interval))
}

// instantByRange sends an instant query as a range query of one step, whose time is documented. The order of its series is
// undefined, and only expressions of type vector or scalar have a result.
func (e *endpoint) instantByRange(ctx context.Context, q promql.Query) (*promql.Result, error) {
	q.Start, q.Step = q.End, e.stages.Interval.Milliseconds()
	result, err := e.Evaluate(ctx, q)
	if err != nil {
		return nil, err
	}
	// A response shows that the platform is up, so the other place does not exist.
	e.instantQuery.working.Set(len(e.instantQuery.places)-1, e.Now())
	result.Type = parser.ValueTypeVector
	return result, nil
}

// sanitize removes addresses and secrets from the engine's annotations of a response, which is the caller's.
func (e *endpoint) sanitize(lists ...[]string) {
	for _, texts := range lists {
		for i, text := range texts {
			texts[i] = e.Transport.Service.Notice(text)
		}
	}
}

// order sorts the series of a range by the labels that are left. Of series that have become equal, the first stays.
func (e *endpoint) order(result *promql.Result) {
	sorted, equal := result.Matrix.InOrder()
	if result.Type == parser.ValueTypeMatrix || equal > 0 {
		result.Matrix = sorted
	}
	if equal > 0 {
		result.Warnings = append(result.Warnings, fmt.Sprintf("%d series of the archive differ from others only in the labels %s, which the settings drop. "+
			"One of each is shown.", equal, strings.Join(e.dropped, ", ")))
	}
}

// decodeError is the error of a response that can't be decoded.
func (e *endpoint) decodeError(status int, err error) error {
	if failure, ok := errors.AsType[promjson.Failure](err); ok {
		return e.Transport.Service.Rejected(status, string(failure))
	}
	if errors.Is(err, promjson.ErrTooLong) {
		return e.Transport.Service.TooLarge("sent " + err.Error() + ".")
	}
	if !errors.Is(err, promjson.ErrMalformed) {
		return err
	}
	return e.Transport.Service.Malformed(status, "sent a response that isn't complete, well-formed JSON of a Prometheus API.")
}

// formatDuration formats a step as in the examples of the specification: 60s.
func formatDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}

// formatTime formats a time as in the examples of the specification: RFC 3339.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }
