package mainapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// responseTTL is the TTL of cache entries. Capacities and lists change slowly, and dashboards refresh often.
	responseTTL = 30 * time.Second
	// maxCacheBytes bounds the memory of the cache.
	maxCacheBytes = 32 << 20
)

// Config describes the main API of a deployment.
type Config struct {
	// Transport sends the requests, signed.
	Transport *transport.Client
	// Base is the main API's base address, without the version.
	Base *url.URL
	// ProjectID and OrganizationID replace {projectId} and {organizationId} in paths. Either may be empty.
	ProjectID, OrganizationID string
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Client reads lists of the main API. It is safe for concurrent use. It coalesces identical requests, and caches responses
// for 30 s. It does not cache errors.
type Client struct {
	Config
	responses *cache.Cache
}

// New makes a client. It sends no request. Close it after use.
func New(c Config) *Client {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Client{Config: c, responses: cache.New(cache.Options{MaxBytes: maxCacheBytes, Now: c.Now})}
}

// ClearCache drops all cache entries.
func (c *Client) ClearCache() { c.responses.Clear() }

// Close deletes the cache, and closes idle connections. Requests in flight continue for their callers.
func (c *Client) Close() {
	c.responses.Close()
	c.Transport.Close()
}

// explain makes any error of reading a list a *query.Error or a *transport.Error.
func (c *Client) explain(err error) error {
	var written *query.Error
	if errors.As(err, &written) {
		return written
	}
	return c.Transport.Explain(err)
}

// Check requests the capacities without the cache, by one signed request. Errors are *transport.Error.
func (c *Client) Check(ctx context.Context) error {
	_, err := c.readPage(ctx, capacitiesPath, nil, defaultRoot, func(json.RawMessage) error { return nil })
	return c.Transport.Explain(err)
}
