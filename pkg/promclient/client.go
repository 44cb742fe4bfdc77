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
	// Base is the address below which the Prometheus API lives: {base_url}/v1/projects/<id>/metrics/timeseries.
	Base *url.URL
	// Method is GET or POST; with POST the query travels in the body, and GET is used where POST is not served.
	Method string
	// Params are sent along with every request, "customQueryParameters" in the settings.
	Params url.Values
	// QueryTimeout is what the engine is asked to give up after; 0 leaves it to the platform.
	QueryTimeout time.Duration
	// MinStep is the collection interval.
	MinStep time.Duration
	// Cache is how much of the answers is kept, and from when on they are final; the zero value keeps nothing.
	Cache Cache
	// Limits bound the answers of queries, so that one can't take the memory of Grafana's server.
	Limits Limits
	// Now is the clock; time.Now if it is nil.
	Now func() time.Time
}

// Cache are the settings of a client's cache.
type Cache struct {
	// MaxBytes bounds the memory that answers take; with 0 every question is asked.
	MaxBytes int
	// RecentWindow is how late samples arrive at most.
	RecentWindow time.Duration
}

const (
	// retention is how long the platform keeps samples.
	retention = 30 * 24 * time.Hour
	// maxSharing bounds how long an answer about the present serves others, where samples are collected less often.
	maxSharing = time.Minute
)

// Client asks one metrics endpoint. It is safe for concurrent use and remembers for its life which paths are served.
type Client struct {
	Config
	cache                                                               *rangecache.Cache
	rangeQuery, instantQuery, labelNames, labelValues, series, metadata *operation
}

// New makes a client. It asks nothing yet.
func New(c Config) *Client {
	if c.MinStep <= 0 {
		c.MinStep = time.Minute
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Params.Has(limitParam) {
		// Which series a limit lets through depends on the range.
		c.Cache.MaxBytes = 0
	}
	return &Client{
		Config: c,
		cache: rangecache.New(rangecache.Options{
			MaxBytes: c.Cache.MaxBytes, RecentWindow: c.Cache.RecentWindow, Interval: min(c.MinStep, maxSharing), Retention: retention,
			Limits: c.Limits.of(0), Now: c.Now,
		}),
		// Both spellings of the range path and both forms of the instant query are in use; either may be missing.
		rangeQuery:   newOperation(c.Method, "/api/v1/query_range", "/api/v1/query-range"),
		instantQuery: newOperation(c.Method, "/api/v1/query", ""),
		labelNames:   newOperation(c.Method, "/api/v1/labels"),
		labelValues:  newOperation(http.MethodGet, "/api/v1/label/{name}/values"),
		series:       newOperation(c.Method, "/api/v1/series"),
		metadata:     newOperation(http.MethodGet, "/api/v1/metadata"),
	}
}

// Close lets go of connections and of what is kept; requests under way end on their own.
func (c *Client) Close() {
	c.Transport.Close()
	c.cache.Close()
}

// NoCache makes a context whose requests are answered by the platform alone; what is in the cache stays there.
func NoCache(ctx context.Context) context.Context { return rangecache.NoCache(ctx) }

// ClearCache drops all that is kept.
func (c *Client) ClearCache() { c.cache.Clear() }

// operation is something to ask for, and the ways in which deployments are known to serve it.
type operation struct {
	ways []way
	// works is the index of the way that was seen to work, plus one.
	works atomic.Int32
	// absent is set once no way worked and the answer had to be derived by queries.
	absent atomic.Bool
}

type way struct{ method, path string }

func newOperation(method string, paths ...string) *operation {
	o := &operation{}
	for _, m := range []string{method, http.MethodGet} {
		if m == "" || m == http.MethodGet && len(o.ways) > 0 && method == http.MethodGet {
			continue
		}
		for _, path := range paths {
			o.ways = append(o.ways, way{m, path})
		}
	}
	return o
}

// errNotServed means that a deployment has no way of serving an operation at all.
var errNotServed = errors.New("not served by this deployment")

// call asks for an operation by the way that is known to work, or tries the known ways in turn. Only an answer settles
// which way works; on that way a 404 is an error like any other. Where no way ever worked the error is errNotServed,
// joined with the platform's own.
func (c *Client) call(ctx context.Context, o *operation, params url.Values, name string) (*http.Response, error) {
	if i := o.works.Load(); i > 0 {
		if c.lacksTime(o.ways[i-1], params) {
			return c.instantByRange(ctx, params)
		}
		return c.send(ctx, o.ways[i-1], params, name)
	}
	base := -1
	var notFound error
	for i, w := range o.ways {
		if c.lacksTime(w, params) {
			base = i
			continue
		}
		resp, err := c.send(ctx, w, params, name)
		if err == nil {
			o.works.Store(int32(i + 1))
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
		// The answer shows that the platform is in order, so the usual path is really missing.
		resp, err := c.instantByRange(ctx, params)
		if err == nil {
			o.works.Store(int32(base + 1))
		}
		return resp, err
	}
	return nil, errors.Join(errNotServed, notFound)
}

func (c *Client) send(ctx context.Context, w way, params url.Values, name string) (*http.Response, error) {
	all := url.Values{}
	for _, values := range []url.Values{c.Params, params} {
		for key, value := range values {
			all[key] = value
		}
	}
	target := c.Base.JoinPath(strings.ReplaceAll(w.path, "{name}", name))
	encoded := all.Encode()
	var body *strings.Reader
	if w.method == http.MethodPost {
		body = strings.NewReader(encoded)
	} else {
		body = strings.NewReader("")
		target.RawQuery = encoded
	}
	req, err := http.NewRequestWithContext(ctx, w.method, target.String(), body)
	if err != nil {
		return nil, c.Transport.Service().Malformed(0, "has an address that can't be used.")
	}
	if w.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Accept", "application/json")
	return c.Transport.Do(req)
}

// withTimeout bounds a query by the configured timeout, a little after the engine itself should have given up.
func (c *Client) withTimeout(ctx context.Context, params url.Values) (context.Context, context.CancelFunc) {
	if c.QueryTimeout <= 0 {
		return context.WithCancel(ctx)
	}
	params.Set("timeout", formatDuration(c.QueryTimeout))
	return context.WithTimeout(ctx, c.QueryTimeout+time.Second)
}

// formatTime writes a time as the specification's examples do: RFC 3339.
func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }

// formatDuration writes a step as the specification's examples do: 60s.
func formatDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
}
