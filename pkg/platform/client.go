package platform

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// keepAnswers is how long an answer is used again: capacities and lists move slowly, and dashboards refresh often.
	keepAnswers = 30 * time.Second
	// maxCacheBytes bounds the memory of answers that are kept.
	maxCacheBytes = 32 << 20
)

// Config describes the main API of a deployment.
type Config struct {
	// Transport sends the requests, signed.
	Transport *transport.Client
	// Base is the main API's base address, without the version.
	Base *url.URL
	// MaxBytes bounds the pages of one list altogether, in bytes.
	MaxBytes int64
	// ProjectID and OrganizationID take the places of {projectId} and {organizationId} in paths; either may be empty.
	ProjectID, OrganizationID string
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Client reads lists of the main API. It is safe for concurrent use. Identical requests that are under way are made once,
// and answers are used again for 30 s; errors are not.
type Client struct {
	Config
	answers *cache.Cache
}

// New makes a client. It asks nothing yet. Close it when it is no longer used.
func New(c Config) *Client {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Client{Config: c, answers: cache.New(maxCacheBytes, c.Now)}
}

// ClearCache drops all answers that are kept.
func (c *Client) ClearCache() { c.answers.Clear() }

// Close ends what is under way and lets go of connections and memory.
func (c *Client) Close() {
	c.answers.Close()
	c.Transport.Close()
}

// answer is what the main API sent for one request, parsed. It is shared by all who asked: nobody changes it.
type answer struct {
	value any
	// bytes is how long the body was.
	bytes int
}

// get reads a whole answer. Errors are *transport.Error.
func (c *Client) get(ctx context.Context, path string, params url.Values) (answer, error) {
	target := *c.Base
	target.Path += path
	target.RawQuery = CanonicalQuery(params)
	got, err := cache.Through(ctx, c.answers, target.String(), func(ctx context.Context) (cache.Answer[answer], error) {
		body, err := c.Transport.Get(ctx, &target)
		if err != nil {
			return cache.Answer[answer]{}, err
		}
		value, err := c.parse(body)
		if err != nil {
			return cache.Answer[answer]{}, err
		}
		return cache.Answer[answer]{Value: answer{value, len(body)}, Bytes: weigh(value), Keep: keepAnswers}, nil
	})
	return got, c.Transport.Explain(err)
}

// explain makes what can stop the reading of a list a *query.Error or a *transport.Error.
func (c *Client) explain(err error) error {
	var written *query.Error
	if errors.As(err, &written) {
		return written
	}
	return c.Transport.Explain(err)
}

// Check asks for the capacities, past the cache: one signed request.
// Errors are *transport.Error.
func (c *Client) Check(ctx context.Context) error {
	target := *c.Base
	target.Path += capacitiesPath
	body, err := c.Transport.Get(ctx, &target)
	if err != nil {
		return err
	}
	value, err := c.parse(body)
	if object, _ := value.(map[string]any); err == nil && object["items"] == nil {
		return c.strange(value)
	}
	return err
}
