package promclient

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Config describes a deployment's metrics endpoint.
type Config struct {
	// Transport sends the requests, with the monitoring token.
	Transport *transport.Client
	// Base is the URL of the Prometheus HTTP API: {base_url}/v1/projects/<id>/metrics/timeseries.
	Base *url.URL
	// Method is GET or POST. POST sends the query in the body; where it is not served, the client uses GET.
	Method string
	// Params are added to every request: "customQueryParameters" in the settings.
	Params url.Values
	// QueryTimeout is the parameter timeout of queries; with 0 the platform's default applies.
	QueryTimeout time.Duration
	// MinStep is the scrape interval.
	MinStep time.Duration
	// Cache configures the cache; the zero value turns it off.
	Cache Cache
	// Limits bound the results of queries, and with them the memory of the Grafana server.
	Limits Limits
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Cache configures the cache of a client.
type Cache struct {
	// MaxBytes bounds the memory of the cache; 0 turns it off.
	MaxBytes int
	// RecentWindow is the maximum delay of samples.
	RecentWindow time.Duration
}

const (
	// retention is how long the platform stores samples.
	retention = 30 * 24 * time.Hour
	// maxReuse bounds how long a result about the present is reused where the scrape interval is longer.
	maxReuse = time.Minute
)

// Client is a client of one metrics endpoint. It detects which paths are served. It is safe for concurrent use.
type Client struct {
	Config
	cache                                                               *rangecache.Cache
	rangeQuery, instantQuery, labelNames, labelValues, series, metadata *operation
}

// New makes a client. It sends no request.
func New(c Config) *Client {
	if c.MinStep <= 0 {
		c.MinStep = time.Minute
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Params.Has(limitParam) {
		// Which series are within a limit depends on the range.
		c.Cache.MaxBytes = 0
	}
	return &Client{
		Config: c,
		cache: rangecache.New(rangecache.Options{
			MaxBytes: c.Cache.MaxBytes, RecentWindow: c.Cache.RecentWindow, Interval: min(c.MinStep, maxReuse), Retention: retention,
			Limits: c.Limits.decoderLimits(0), Now: c.Now,
		}),
		// Deployments serve either or both of these paths.
		rangeQuery:   newOperation(c.Method, "/api/v1/query_range", "/api/v1/query-range"),
		instantQuery: newOperation(c.Method, "/api/v1/query", ""),
		labelNames:   newOperation(c.Method, "/api/v1/labels"),
		labelValues:  newOperation(http.MethodGet, "/api/v1/label/{name}/values"),
		series:       newOperation(c.Method, "/api/v1/series"),
		metadata:     newOperation(http.MethodGet, "/api/v1/metadata"),
	}
}

// Close closes idle connections and deletes the cache. Requests in flight continue.
func (c *Client) Close() {
	c.Transport.Close()
	c.cache.Close()
}

// NoCache returns a context whose queries bypass the cache and leave its entries as they are.
func NoCache(ctx context.Context) context.Context { return rangecache.NoCache(ctx) }

// ClearCache deletes the entries of the cache.
func (c *Client) ClearCache() { c.cache.Clear() }

// operation is an operation of the Prometheus HTTP API, and the endpoints at which deployments serve it.
type operation struct {
	endpoints []endpoint
	// working is the index of the endpoint that has responded, plus one.
	working atomic.Int32
	// missing is set once no endpoint responded and the result was derived by PromQL.
	missing atomic.Bool
}

type endpoint struct{ method, path string }

func newOperation(method string, paths ...string) *operation {
	o := &operation{}
	for _, m := range []string{method, http.MethodGet} {
		if m == "" || m == http.MethodGet && len(o.endpoints) > 0 && method == http.MethodGet {
			continue
		}
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

func (c *Client) send(ctx context.Context, e endpoint, params url.Values, name string) (*http.Response, error) {
	all := url.Values{}
	for _, values := range []url.Values{c.Params, params} {
		for key, value := range values {
			all[key] = value
		}
	}
	target := c.Base.JoinPath(strings.ReplaceAll(e.path, "{name}", name))
	encoded := all.Encode()
	var body *strings.Reader
	if e.method == http.MethodPost {
		body = strings.NewReader(encoded)
	} else {
		body = strings.NewReader("")
		target.RawQuery = encoded
	}
	req, err := http.NewRequestWithContext(ctx, e.method, target.String(), body)
	if err != nil {
		return nil, c.Transport.Service().Malformed(0, "has an address that can't be used.")
	}
	if e.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Accept", "application/json")
	return c.Transport.Do(req)
}

// withTimeout sets the timeout of a query. The deadline is a second later, so that the error of the engine can arrive.
func (c *Client) withTimeout(ctx context.Context, params url.Values) (context.Context, context.CancelFunc) {
	if c.QueryTimeout <= 0 {
		return context.WithCancel(ctx)
	}
	params.Set("timeout", formatDuration(c.QueryTimeout))
	return context.WithTimeout(ctx, c.QueryTimeout+time.Second)
}

// formatTime formats a time as in the examples of the specification: RFC 3339.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }

// formatDuration formats a step as in the examples of the specification: 60s.
func formatDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}
