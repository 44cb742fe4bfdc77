package prom

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
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
	// source is its name, "platform" or "archive".
	source string
	// interval is the scrape interval, at most a minute: an instant query at any time of an interval has the result of its end.
	interval time.Duration
	// err is why the endpoint can't be used, for example because of its settings, or nil. It is the error of all queries.
	err error

	rangeQuery, instantQuery        *operation
	labelNames, labelValues, series *operation

	// parts bounds the requests for parts of long ranges, of all queries, so that those of other queries need not wait. The wait for a turn
	// takes nothing of a request's timeout.
	parts *transport.Bulkhead
}

// partsAtOnce bounds the requests for parts of dashboards. Alert rules have one more.
const partsAtOnce = 4

func newEndpoint(c Config, stages promql.Config, err error) *endpoint {
	return &endpoint{
		Config: c, source: stages.Source, interval: stages.Interval, err: err, parts: transport.NewBulkhead(partsAtOnce + 1),
		// Deployments serve one or both paths of these two.
		rangeQuery:   newOperation(c.Method, "/api/v1/query_range", "/api/v1/query-range"),
		instantQuery: newOperation(c.Method, "/api/v1/query", ""),
		labelNames:   newOperation(c.Method, "/api/v1/labels"),
		labelValues:  newOperation(http.MethodGet, "/api/v1/label/{name}/values"),
		series:       newOperation(c.Method, "/api/v1/series"),
	}
}

// Evaluate evaluates a query at each step of a range, or at its time.
func (e *endpoint) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	defer promql.Stage("endpoint", e.source)()
	if q.Part != nil && e.err == nil {
		release, err := e.parts.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	operation := e.rangeQuery
	if q.Step == 0 {
		operation = e.instantQuery
	}
	body, err := e.fetch(ctx, operation, paramsOf(q), "")
	if errors.Is(err, errIgnoresTime) {
		return e.instantByRange(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	defer body.close()
	limits := promql.Limits{}
	if !q.Unlimited {
		limits = e.Limits
		limits.Total = q.Part
	}
	result, err := promjson.Decode(body, limits)
	switch {
	case err != nil:
		return nil, e.decodeError(body, err)
	case q.Step > 0 && result.Type == parser.ValueTypeString:
		return nil, e.Transport.Service.Malformed(0, "sent something other than series.")
	}
	e.sanitize(result.Warnings, result.Infos)
	result.Took = transport.Took(body.Response)
	if at, err := http.ParseTime(body.Header.Get("Date")); err == nil {
		result.Date = at.UnixMilli()
	}
	return result, nil
}

func paramsOf(q promql.Query) url.Values {
	all := url.Values{"query": {q.Expr}}
	if q.Step == 0 {
		all.Set("time", formatTime(time.UnixMilli(q.End)))
	} else {
		all.Set("start", formatTime(time.UnixMilli(q.Start)))
		all.Set("end", formatTime(time.UnixMilli(q.End)))
		all.Set("step", formatDuration(time.Duration(q.Step)*time.Millisecond))
	}
	if q.Timeout > 0 {
		all.Set("timeout", formatDuration(q.Timeout))
	}
	return withLimit(all, q.Limit)
}

func withLimit(all url.Values, limit int) url.Values {
	if limit > 0 {
		all.Set("limit", strconv.Itoa(limit))
	}
	return all
}

// fetch requests an operation. The body of the response is to be decoded while it arrives, and to be closed. The error is a
// *transport.Error, or errNotServed or errIgnoresTime.
func (e *endpoint) fetch(ctx context.Context, o *operation, given url.Values, name string) (*body, error) {
	if e.err != nil {
		return nil, e.err
	}
	ctx, cancel := e.withTimeout(ctx, given)
	resp, err := e.call(ctx, o, given, name) //nolint:bodyclose // by close
	if err != nil {
		cancel()
		return nil, err
	}
	return &body{Response: resp, cancel: cancel}, nil
}

// sanitize removes addresses and secrets from the engine's annotations of a response, which is the caller's.
func (e *endpoint) sanitize(lists ...[]string) {
	for _, texts := range lists {
		for i, text := range texts {
			texts[i] = e.Transport.Service.Notice(text)
		}
	}
}

// maxRemembered is how much of a response is remembered in case that it is the message of an error, in bytes.
const maxRemembered = 4 << 10

// body reads the body of a response, whose beginning is remembered.
type body struct {
	*http.Response
	beginning []byte
	cancel    context.CancelFunc
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Body.Read(p)
	b.beginning = append(b.beginning, p[:min(n, maxRemembered-len(b.beginning))]...)
	return n, err
}

func (b *body) close() {
	_ = b.Body.Close()
	b.cancel()
}

// decodeError is the error of a response that can't be decoded. Some platforms report errors with a success status, in a form that
// is none of Prometheus'.
func (e *endpoint) decodeError(of *body, err error) error {
	var failure promjson.Failure
	if errors.As(err, &failure) {
		return e.Transport.Service.Rejected(of.StatusCode, string(failure))
	}
	if errors.Is(err, promjson.ErrTooLong) {
		return e.Transport.Service.TooLarge("sent " + err.Error() + ".")
	}
	if !errors.Is(err, promjson.ErrMalformed) {
		return err
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(of.beginning, &members)
	if explained := e.Transport.Service.FromErrorBody(members); explained != nil {
		return explained
	}
	return e.Transport.Service.Malformed(of.StatusCode, "sent a response that isn't complete, well-formed JSON of a Prometheus API.")
}

// withTimeout sets the timeout of a query. The deadline is a second later, so that the error of the engine can arrive.
func (e *endpoint) withTimeout(ctx context.Context, given url.Values) (context.Context, context.CancelFunc) {
	if e.QueryTimeout <= 0 {
		return context.WithCancel(ctx)
	}
	given.Set("timeout", formatDuration(e.QueryTimeout))
	return context.WithTimeout(ctx, e.QueryTimeout+time.Second)
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
