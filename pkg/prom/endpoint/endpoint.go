// Package endpoint evaluates PromQL at one endpoint of the Prometheus HTTP API. It detects which paths are served, and derives by
// PromQL what isn't.
package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Config describes an endpoint.
type Config struct {
	// Config has the scrape interval, at most a minute: an instant query at any time of an interval has the result of its end.
	promql.Config
	// Transport sends the requests, with the credential.
	Transport *transport.Client
	// Base is the URL of the Prometheus HTTP API: {base_url}/v1/projects/<id>/metrics/timeseries.
	Base *url.URL
	// Method is GET or POST. POST sends the query in the body; where it is not served, the client uses GET. A query whose address is refused
	// for its length is sent by POST.
	Method string
	// Params are added to every request: "customQueryParameters" in the settings.
	Params url.Values
	// QueryTimeout is the parameter timeout of queries; with 0 the platform's default applies.
	QueryTimeout time.Duration
	// Err is why the endpoint can't be used, for example because of its settings, or nil. It is the error of all queries.
	Err error
}

// Client is a client of one endpoint; it implements [promql.Source]. It is safe for concurrent use.
type Client struct {
	Config
	rangeQuery, instantQuery *operation
	lists                    map[promql.ListKind]*operation
}

// New makes a client. It sends no request.
func New(c Config) *Client {
	return &Client{
		Config: c,
		// Deployments serve one or both paths of these two.
		rangeQuery:   newOperation(c.Method, "/api/v1/query_range", "/api/v1/query-range"),
		instantQuery: newOperation(c.Method, "/api/v1/query", ""),
		lists: map[promql.ListKind]*operation{
			promql.LabelNames:     newOperation(c.Method, "/api/v1/labels"),
			promql.LabelValues:    newOperation(http.MethodGet, "/api/v1/label/{name}/values"),
			promql.SeriesLabels:   newOperation(c.Method, "/api/v1/series"),
			promql.MetricMetadata: newOperation(http.MethodGet, "/api/v1/metadata"),
		},
	}
}

// Range evaluates a query at each step of a range.
func (c *Client) Range(ctx context.Context, q promql.Query) (*promql.Result, error) {
	defer promql.Stage("endpoint", c.Source)()
	if q.Part != nil && c.Err == nil {
		release, err := c.Transport.Part(ctx)
		if err != nil {
			return nil, c.Explain(err)
		}
		defer release()
	}
	result, err := fetch(ctx, c, c.rangeQuery, c.paramsOf(q), "", c.decoderOf(q))
	if err == nil && result.Type == promql.String {
		return nil, c.Transport.Service().Malformed(0, "sent something other than series.")
	}
	return result, err
}

// Instant evaluates a query at its end.
func (c *Client) Instant(ctx context.Context, q promql.Query) (*promql.Result, error) {
	defer promql.Stage("endpoint", c.Source)()
	result, err := fetch(ctx, c, c.instantQuery, c.paramsOf(q), "", c.decoderOf(q))
	if errors.Is(err, errIgnoresTime) {
		return c.instantByRange(ctx, q)
	}
	return result, err
}

// decoder decodes the body of a response while it arrives.
type decoder[T any] func(body io.Reader, resp *http.Response) (*T, error)

func (c *Client) decoderOf(q promql.Query) decoder[promql.Result] {
	return func(body io.Reader, resp *http.Response) (*promql.Result, error) {
		result, err := promjson.Decode(body, c.limitsOf(q))
		if err != nil {
			return nil, err
		}
		c.sanitize(result.Warnings, result.Infos)
		result.Took = transport.Took(resp)
		if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			result.Date = at.UnixMilli()
		}
		return result, nil
	}
}

func (c *Client) paramsOf(q promql.Query) url.Values {
	all := url.Values{"query": {q.Expr}}
	if q.Step == 0 {
		all.Set("time", formatTime(time.UnixMilli(q.End)))
	} else {
		all.Set("start", formatTime(time.UnixMilli(q.Start)))
		all.Set("end", formatTime(time.UnixMilli(q.End)))
		all.Set("step", promql.FormatDuration(time.Duration(q.Step)*time.Millisecond))
	}
	if q.Timeout > 0 {
		all.Set("timeout", promql.FormatDuration(q.Timeout))
	}
	return withLimit(all, q.Limit)
}

func withLimit(all url.Values, limit int) url.Values {
	if limit > 0 {
		all.Set("limit", strconv.Itoa(limit))
	}
	return all
}

// fetch requests an operation, and decodes the response. Its error is a *transport.Error, or errNotServed or
// errIgnoresTime.
func fetch[T any](ctx context.Context, c *Client, o *operation, given url.Values, name string, decode decoder[T]) (*T, error) {
	if c.Err != nil {
		return nil, c.Err
	}
	ctx, cancel := c.withTimeout(ctx, given)
	defer cancel()
	resp, err := c.call(ctx, o, given, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body := &remembered{Reader: resp.Body}
	decoded, err := decode(body, resp)
	if err != nil {
		return nil, c.decodeError(resp.StatusCode, body.beginning, err)
	}
	return decoded, nil
}

// sanitize removes addresses and secrets from the engine's annotations of a response, which is the caller's.
func (c *Client) sanitize(lists ...[]string) {
	for _, texts := range lists {
		for i, text := range texts {
			texts[i] = c.Transport.Service().Notice(text)
		}
	}
}

// maxRemembered is how much of a response is remembered in case that it is the message of an error, in bytes.
const maxRemembered = 4 << 10

// remembered is a body whose beginning is remembered.
type remembered struct {
	io.Reader
	beginning []byte
}

func (r *remembered) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.beginning = append(r.beginning, p[:min(n, maxRemembered-len(r.beginning))]...)
	return n, err
}

// decodeError is the error of a response that can't be decoded. Some platforms report errors with a success status, in a form that
// is none of Prometheus'.
func (c *Client) decodeError(status int, beginning []byte, err error) error {
	var failure *promjson.Failure
	if errors.As(err, &failure) {
		return c.Transport.Service().Rejected(status, failure.Message)
	}
	if errors.Is(err, promjson.ErrTooLong) {
		return c.Transport.Service().TooLarge(fmt.Sprintf("sent a text of more than %d MB, or a series of more than %d labels.", promjson.MaxText>>20, promjson.MaxLabels))
	}
	if !errors.Is(err, promjson.ErrMalformed) {
		return c.Explain(err)
	}
	if explained := c.Transport.Service().FromErrorBody(beginning); explained != nil {
		return explained
	}
	return c.Transport.Service().Malformed(status, "sent a response that isn't complete, well-formed JSON of a Prometheus API.")
}

// Explain turns an error into a *transport.Error with a message for the user.
func (c *Client) Explain(err error) error {
	var over *promql.LimitError
	switch {
	case c.Err != nil:
		return err
	case errors.As(err, &over):
		return tooLarge(over)
	}
	return c.Transport.Explain(err)
}

// withTimeout sets the timeout of a query. The deadline is a second later, so that the error of the engine can arrive.
func (c *Client) withTimeout(ctx context.Context, given url.Values) (context.Context, context.CancelFunc) {
	if c.QueryTimeout <= 0 {
		return context.WithCancel(ctx)
	}
	given.Set("timeout", promql.FormatDuration(c.QueryTimeout))
	return context.WithTimeout(ctx, c.QueryTimeout+time.Second)
}

// formatTime formats a time as in the examples of the specification: RFC 3339.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }
