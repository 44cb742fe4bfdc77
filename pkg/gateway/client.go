package gateway

import (
	"cmp"
	"context"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// defaultDetailsTimeout is what a panel may wait for what is useful, but not needed.
const defaultDetailsTimeout = 2500 * time.Millisecond

// Config describes a deployment's fine-tuning gateway.
type Config struct {
	// Transport sends the requests, with the inference API key.
	Transport *transport.Client
	// Downloads does the same for checkpoints, without limits of size and time.
	Downloads *transport.Client
	// Base is the base address of the gateway's operations: {intelligence_url}/v1.
	Base *url.URL
	// DetailsTimeout bounds the wait of a prompt query for details; 0 means 2.5 s. See [Wait].
	DetailsTimeout time.Duration
	// MaxListBytes bounds the records of a list, as JSON, MaxEvents the events of a job, and MaxSamples the values of its metrics; 0 means the
	// constants of these names.
	MaxListBytes, MaxEvents, MaxSamples int
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Client reads one gateway. It is safe for concurrent use.
type Client struct {
	Config
	responses                                          *cache.Cache
	pageSize                                           transport.Learned[int] // the index of pageSizes that the gateway accepts
	checkpointEndpoint, eventEndpoint, metricsEndpoint endpoint
	limit                                              rateLimit
	// details bounds the concurrent requests for details, so that lists don't wait for slow ones.
	details *transport.Bulkhead
	// background has room for the fetches of details that no query waits for.
	background *semaphore.Weighted
	// retrieved is the id of the job that the gateway last served by its id.
	retrieved atomic.Pointer[string]
	// life ends with the data source, and what is fetched in the background with it.
	life context.Context
	end  context.CancelFunc
}

// ClearCache drops all cache entries.
func (c *Client) ClearCache() { c.responses.Clear() }

// New makes a client. It sends no request.
func New(c Config) *Client {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.DetailsTimeout <= 0 {
		c.DetailsTimeout = defaultDetailsTimeout
	}
	c.MaxListBytes, c.MaxEvents, c.MaxSamples = cmp.Or(c.MaxListBytes, maxListBytes), cmp.Or(c.MaxEvents, maxEvents), cmp.Or(c.MaxSamples, maxSamples)
	client := &Client{Config: c, details: transport.NewBulkhead(maxConcurrentFetches), background: semaphore.NewWeighted(maxBackground)}
	client.responses = cache.New(cache.Options{MaxBytes: maxCacheBytes, Now: c.Now, Stale: client.stale, MaxStale: limitedDetail})
	client.life, client.end = context.WithCancel(context.Background())
	return client
}

// Close cancels the fetches of details, deletes the cache, and closes idle connections.
func (c *Client) Close() {
	c.end()
	c.responses.Close()
	c.Transport.Close()
	c.Downloads.Close()
}

// The paths of the gateway's operations, below its base address.
const (
	jobsPath   = "fine_tuning/jobs"
	filesPath  = "files"
	modelsPath = "models"
)

// jobPath is the path of a job, or of its "checkpoints", "events" or "metrics".
func jobPath(id string, details ...string) string {
	return path.Join(append([]string{jobsPath, segment(id)}, details...)...)
}

// segment is an id as a segment of a path. It escapes "." and "..", which would change the path.
func segment(id string) string {
	if strings.Trim(id, ".") == "" {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}
