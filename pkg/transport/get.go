package transport

import (
	"context"
	"net/http"
	"net/url"
)

// NewGet makes a GET request that accepts JSON, for [Client.Do].
func (c *Client) NewGet(ctx context.Context, target *url.URL) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, c.service.Malformed(0, "has an address that can't be used.")
	}
	req.Header.Set("Accept", "application/json")
	return req, nil
}
