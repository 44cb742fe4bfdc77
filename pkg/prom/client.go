package prom

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
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
	// Retention is how long the endpoint stores samples; 0 is [DefaultRetention].
	Retention time.Duration
	// Archive has older samples; nil if there is none.
	Archive *Archive
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Cache configures the cache of a client.
type Cache struct {
	// MaxBytes bounds the memory of the cache; 0 turns it off.
	MaxBytes int
	// RecentWindow is the maximum delay of samples.
	RecentWindow time.Duration
	// SlowAfter is that of [results.Options].
	SlowAfter time.Duration
}

// maxReuse bounds how long a result about the present is reused where the scrape interval is longer.
const maxReuse = time.Minute

// Client is a client of one metrics endpoint. It detects which paths are served. It is safe for concurrent use.
type Client struct {
	Config
	cache                                                               *results.Cache
	staleNaN                                                            atomic.Pointer[bool] // see marksStaleByNaN
	rangeQuery, instantQuery, labelNames, labelValues, series, metadata *operation
}

// New makes a client. It sends no request.
func New(c Config) *Client {
	if c.MinStep <= 0 {
		c.MinStep = time.Minute
	}
	if c.Retention <= 0 {
		c.Retention = DefaultRetention
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Params.Has(limitParam) {
		// Which series are within a limit depends on the range.
		c.Cache.MaxBytes = 0
	}
	var maxAge time.Duration
	if c.Retention == Unlimited {
		maxAge = archiveMaxAge
	}
	return &Client{
		Config: c,
		cache: results.New(results.Options{
			MaxBytes: c.Cache.MaxBytes, RecentWindow: c.Cache.RecentWindow, Interval: min(c.MinStep, maxReuse), Retention: c.Retention, MaxAge: maxAge,
			Limits: c.Limits.decoderLimits(0), SlowAfter: c.Cache.SlowAfter,
			Refused: refusedWhole, Now: c.Now,
		}),
		// Deployments serve one or both paths of these two.
		rangeQuery:   newOperation(c.Method, "/api/v1/query_range", "/api/v1/query-range"),
		instantQuery: newOperation(c.Method, "/api/v1/query", ""),
		labelNames:   newOperation(c.Method, "/api/v1/labels"),
		labelValues:  newOperation(http.MethodGet, "/api/v1/label/{name}/values"),
		series:       newOperation(c.Method, "/api/v1/series"),
		metadata:     newOperation(http.MethodGet, "/api/v1/metadata"),
	}
}

// Close closes idle connections and deletes the cache, those of the archive included. Requests in flight continue.
func (c *Client) Close() {
	c.Transport.Close()
	c.cache.Close()
	if c.Archive != nil {
		c.Archive.Client.Close()
	}
}

// NoCache returns a context whose queries bypass the cache and leave its entries as they are.
func NoCache(ctx context.Context) context.Context { return results.NoCache(ctx) }

// ClearCache deletes the entries of the cache, and those of the archive's.
func (c *Client) ClearCache() {
	c.cache.Clear()
	if c.Archive != nil {
		c.Archive.Client.ClearCache()
	}
}

// send sends a request to an endpoint. name replaces {name} in its path.
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
		transport.MarkIdempotent(req)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.Transport.Do(req)
	var failed *transport.Error
	if errors.As(err, &failed) && failed.Status == http.StatusUnauthorized {
		c.cache.Clear() // who has no access any more does not see what was fetched before
	}
	return resp, err
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
