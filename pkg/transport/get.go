package transport

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

// Get reads the whole response of a GET request. Errors are *[Error].
func (c *Client) Get(ctx context.Context, target *url.URL) ([]byte, error) {
	req, err := c.NewGet(ctx, target)
	if err != nil {
		return nil, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	return io.ReadAll(resp.Body)
}

// NewGet makes a GET request that accepts JSON, for [Client.Do].
func (c *Client) NewGet(ctx context.Context, target *url.URL) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, c.service.Malformed(0, "has an address that can't be used.")
	}
	req.Header.Set("Accept", "application/json")
	return req, nil
}
