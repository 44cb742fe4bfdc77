package tuning

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// maxCalls is how many calls are under way at a time, for all of a data source's users together.
	maxCalls = 8
	// defaultPatience is how long annotations and the job table wait for the details of their jobs.
	defaultPatience = 2500 * time.Millisecond
)

// Config describes a deployment's fine-tuning gateway.
type Config struct {
	// Transport sends the requests, with the inference API key.
	Transport *transport.Client
	// Downloads does the same for checkpoints, which may be of any size and take any time.
	Downloads *transport.Client
	// Base is the address below which the gateway's operations are: {intelligence_url}/v1.
	Base *url.URL
	// Links tell where the rows of tables lead.
	Links Links
	// Patience is how long annotations and the job table wait for details; 0 means 2.5 s.
	Patience time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Client asks one gateway. It is safe for concurrent use. Close ends what it has under way.
type Client struct {
	Config
	answers *cache.Cache
	slots   *semaphore.Weighted
	// pageSize is the index of the page size that the gateway was seen to accept.
	pageSize                                           atomic.Int32
	checkpointEndpoint, eventEndpoint, metricsEndpoint endpoint
	limited                                            rateLimit
	// retrieved is the id of the job that the gateway last served by its id.
	retrieved atomic.Pointer[string]
}

// ClearCache drops all answers that are kept.
func (c *Client) ClearCache() { c.answers.Clear() }

// New makes a client. It asks nothing yet.
func New(c Config) *Client {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Patience <= 0 {
		c.Patience = defaultPatience
	}
	return &Client{Config: c, answers: cache.New(maxCacheBytes, c.Now), slots: semaphore.NewWeighted(maxCalls)}
}

// Close ends what is under way and drops idle connections.
func (c *Client) Close() {
	c.answers.Close()
	c.Transport.Close()
	c.Downloads.Close()
}

// The paths of the gateway's operations, below its base address.
const (
	jobsPath   = "fine_tuning/jobs"
	filesPath  = "files"
	modelsPath = "models"
)

// jobPath is the path of a job, or of what the gateway has of it: "checkpoints", "events" or "metrics".
func jobPath(id string, of ...string) string {
	return path.Join(append([]string{jobsPath, segment(id)}, of...)...)
}

// segment is an id as a part of a path. Dots alone would lead to another path.
func segment(id string) string {
	if strings.Trim(id, ".") == "" {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}

// getter sends one GET request and returns the body of the response.
type getter func(ctx context.Context, path string, params url.Values) ([]byte, error)

// get is the [getter] of every operation but downloads. The body is kept raw, because no record may be lost over a member
// of an unexpected type. Errors are *transport.Error.
func (c *Client) get(ctx context.Context, path string, params url.Values) ([]byte, error) {
	if cause, ok := ctx.Value(cacheOnly{}).(error); ok {
		return nil, cause
	}
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return nil, c.Transport.Explain(err)
	}
	defer c.slots.Release(1)
	target := c.Base.JoinPath(path)
	target.RawQuery = params.Encode()
	body, err := c.Transport.Get(ctx, target)
	if err != nil {
		c.limited.noteFailure(err)
		return nil, err
	}
	return body, nil
}

// getDetail is the [getter] of the details of jobs, which are many: while the gateway asks to wait, none is requested.
func (c *Client) getDetail(ctx context.Context, path string, params url.Values) ([]byte, error) {
	if err := c.limited.err(); err != nil {
		return nil, err
	}
	return c.get(ctx, path, params)
}

// rateLimit remembers a 429 for as long as the gateway asks to wait.
type rateLimit struct{ last atomic.Pointer[limited] }

type limited struct {
	until time.Time
	cause *transport.Error
}

// How long is waited after a 429, whatever the gateway asks for.
const (
	shortestWait = time.Second
	longestWait  = 30 * time.Second
)

func (r *rateLimit) noteFailure(err error) {
	var cause *transport.Error
	if errors.As(err, &cause) && errors.Is(cause, transport.ErrRateLimited) {
		wait := min(max(cause.RetryAfter, shortestWait), longestWait)
		r.last.Store(&limited{time.Now().Add(wait), cause})
	}
}

// err is the 429, or nil if that time is over.
func (r *rateLimit) err() error {
	if last := r.last.Load(); last != nil && time.Now().Before(last.until) {
		return last.cause
	}
	return nil
}

// endpoint remembers whether the gateway has an operation that not every deployment has.
type endpoint struct {
	served      atomic.Bool
	missed      atomic.Int32
	absentUntil atomic.Int64
}

const (
	// missesBeforeAbsent: one job may lack something that others have, so one 404 proves nothing.
	missesBeforeAbsent = 3
	// absentFor is how long an operation that isn't there is not asked for again.
	absentFor = 5 * time.Minute
)

func (e *endpoint) absent(now time.Time) bool { return now.UnixNano() < e.absentUntil.Load() }

func (e *endpoint) answered() { e.served.Store(true) }

func (e *endpoint) notFound(now time.Time) {
	if !e.served.Load() && e.missed.Add(1) >= missesBeforeAbsent {
		e.missed.Store(0)
		e.absentUntil.Store(now.Add(absentFor).UnixNano())
	}
}
