package transport

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// NewGet makes a GET request that accepts JSON, for [Client.Do].
func (c *Client) NewGet(ctx context.Context, target *url.URL) (*http.Request, error) {
	return c.newRequest(ctx, http.MethodGet, target, nil)
}

// NewPost makes a POST request with a form, which accepts JSON and only reads, so that it may be repeated, for [Client.Do].
func (c *Client) NewPost(ctx context.Context, target *url.URL, form url.Values) (*http.Request, error) {
	req, err := c.newRequest(ctx, http.MethodPost, target, strings.NewReader(form.Encode()))
	if err == nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header[idempotencyKey] = []string{}
	}
	return req, err
}

func (c *Client) newRequest(ctx context.Context, method string, target *url.URL, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, c.service.Malformed(0, "has an address that can't be used.")
	}
	req.Header.Set("Accept", "application/json")
	return req, nil
}
