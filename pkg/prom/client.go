// Package prom is the client of the platform's Prometheus-compatible endpoint. It runs PromQL queries of dashboards and
// alert rules, serves the Prometheus HTTP API to editors, variables and public clients, and writes samples for other engines.
//
// Its queries are those of Grafana's Prometheus data source, so panels of such a data source work without changes.
// Deployments of the platform serve different endpoints; [Client] detects which of them work.
package prom

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/archive"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Config describes a deployment's metrics endpoint.
type Config struct {
	// Transport sends the requests, with the monitoring token.
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
	// MinStep is the scrape interval.
	MinStep time.Duration
	// Cache configures the cache; the zero value turns it off.
	Cache Cache
	// Limits bound the results of queries, and with them the memory of the Grafana server.
	Limits promql.Limits
	// Retention is how long the endpoint stores samples; 0 is [defaultRetention].
	Retention time.Duration
	// Archive has older samples; nil if there is none.
	Archive *Archive
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Archive describes a Prometheus API that stores samples for longer than the platform. Queries of older samples go to it.
type Archive struct {
	// Transport sends the requests, with the archive's own credential.
	Transport *transport.Client
	Base      *url.URL
	// DropLabels are the labels that the archive adds to each series.
	DropLabels []string
	// Err is why the archive can't be used, or nil. Queries that need it have this error, and others don't.
	Err error
}

// Cache configures the cache of a client, by MaxBytes, RecentWindow and SlowAfter; [New] sets the others.
type Cache = results.Options

const (
	// defaultRetention is how long the platform stores samples.
	defaultRetention = 30 * 24 * time.Hour
	// unlimited is the retention of an archive, which is not known: it is longer than any range.
	unlimited = 100 * 365 * 24 * time.Hour
	// maxReuse bounds how long a result about the present is reused where the scrape interval is longer.
	maxReuse = time.Minute
)

// Client evaluates PromQL. It is safe for concurrent use.
type Client struct {
	Config
	// Source is where all queries of panels, alert rules and programs go.
	promql.Source
	// platform and archive are cached endpoints; the latter is nil without an archive.
	platform, archive *results.Cache
}

// New makes a client. It sends no request.
//
// A query passes, from the outside in: the seam with the archive, which divides it by where its samples are; the cache of each side,
// which fetches what it lacks, in parts if the platform is slow; and the endpoint, which sends and decodes.
func New(c Config) *Client {
	c.MinStep = cmp.Or(c.MinStep, time.Minute)
	c.Retention = cmp.Or(c.Retention, defaultRetention)
	if c.Now == nil {
		c.Now = time.Now
	}
	client := &Client{Config: c}
	stages := promql.Config{Source: "platform", Interval: min(c.MinStep, maxReuse), Retention: c.Retention, Limits: c.Limits, Now: c.Now}
	client.platform = c.cached(stages, nil, nil)
	client.Source = client.platform
	if c.Archive == nil {
		return client
	}
	older, archiving := c, stages
	archiving.Source, archiving.Retention = "archive", unlimited
	older.Transport, older.Base, older.Params = c.Archive.Transport, c.Archive.Base, nil
	client.archive = older.cached(archiving, c.Archive.DropLabels, c.Archive.Err)
	stages.Interval = c.MinStep
	client.Source = archive.New(client.platform, client.archive, stages, c.Archive.DropLabels)
	return client
}

// cached is an endpoint without some labels, with a cache. With an error, all queries to the endpoint have that.
func (c Config) cached(stages promql.Config, dropped []string, err error) *results.Cache {
	o := c.Cache
	o.Config = stages
	if err == nil {
		o.Explain = c.Transport.Explain
	}
	if c.Params.Has("limit") { // which series are within it depends on the range
		o.MaxBytes = 0
	}
	return results.New(newEndpoint(c, stages, dropped, err), o)
}

// Close closes idle connections and deletes the cache, those of the archive included. Requests in flight continue.
func (c *Client) Close() {
	c.Transport.Close()
	c.platform.Close()
	if c.archive == nil {
		return
	}
	c.archive.Close()
	if c.Archive.Err == nil {
		c.Archive.Transport.Close()
	}
}

// ClearCache deletes the entries of the cache, and those of the archive's.
func (c *Client) ClearCache() {
	c.platform.Clear()
	if c.archive != nil {
		c.archive.Clear()
	}
}

// Oldest is the time before which, at a time, neither the platform nor the archive has samples; zero if that is not known.
func (c *Client) Oldest(now time.Time) time.Time {
	if c.Archive != nil {
		return time.Time{}
	}
	return now.UTC().Add(-c.Retention)
}

// Check runs the cheapest range query, without the cache. Every deployment serves it, so it verifies address, project and
// token. Its error is a *transport.Error.
func (c *Client) Check(ctx context.Context) error { return c.check(ctx, c.platform) }

// CheckArchive is [Client.Check] for the archive, if there is one.
func (c *Client) CheckArchive(ctx context.Context) error { return c.check(ctx, c.archive) }

func (c *Client) check(ctx context.Context, source promql.Source) error {
	now := c.Now()
	start, end := align(now.Add(-5*c.MinStep), c.MinStep, 0), align(now, c.MinStep, 0)
	_, err := source.Evaluate(results.NoCache(ctx), promql.Query{Expr: "vector(1)"}.Over(start, end, c.MinStep))
	return err
}
