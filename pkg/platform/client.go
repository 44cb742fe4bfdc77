package platform

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/cache"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// keepAnswers is how long an answer is used again: capacities and lists move slowly, and dashboards refresh often.
	keepAnswers = 30 * time.Second
	// maxCacheBytes bounds what is kept.
	maxCacheBytes = 32 << 20
)

// Config describes the main API of a deployment.
type Config struct {
	// Transport sends the requests, signed.
	Transport *transport.Client
	// Base is the main API's base address, without the version.
	Base *url.URL
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

// Close ends what is under way and lets go of connections and memory.
func (c *Client) Close() {
	c.answers.Close()
	c.Transport.Close()
}

// get reads a whole answer. Errors are *transport.Error.
func (c *Client) get(ctx context.Context, path string, params url.Values) ([]byte, error) {
	target := *c.Base
	target.Path += path
	target.RawQuery = CanonicalQuery(params)
	body, err := cache.Through(ctx, c.answers, target.String(), func(ctx context.Context) (cache.Answer[[]byte], error) {
		body, err := c.ask(ctx, target.String())
		if err != nil {
			return cache.Answer[[]byte]{}, err
		}
		// What isn't an answer is told once for each who asked, and asked for again by the next.
		keep := keepAnswers
		if _, err := c.parse(body); err != nil {
			keep = 0
		}
		return cache.Answer[[]byte]{Value: body, Bytes: len(body), Keep: keep}, nil
	})
	if err != nil {
		return nil, c.Transport.Explain(err)
	}
	return body, nil
}

func (c *Client) ask(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, c.Transport.Service().Malformed(0, "has an address that can't be used.")
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.Transport.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	return transport.ReadAll(resp.Body)
}

// Check asks for the capacities, past the cache: one signed request.
// Errors are *transport.Error.
func (c *Client) Check(ctx context.Context) error {
	target := *c.Base
	target.Path += capacitiesPath
	body, err := c.ask(ctx, target.String())
	if err != nil {
		return err
	}
	answer, err := c.parse(body)
	if object, _ := answer.(map[string]any); err == nil && object["items"] == nil {
		return c.strange(body, answer)
	}
	return err
}
