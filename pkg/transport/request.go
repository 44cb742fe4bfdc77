package transport

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
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
		return nil, c.Service.Malformed(0, "has an address that can't be used.")
	}
	req.Header.Set("Accept", "application/json")
	return req, nil
}

const userAgent = "gpucloud-platform-datasource"

// ownHeaders are the headers that this plugin sets in requests. Names are canonical.
var ownHeaders = []string{"Accept", "Accept-Encoding", "Content-Type", idempotencyKey}

// dropOtherHeaders removes all but ownHeaders, such as those in which Grafana describes its users, dashboards and traces.
func dropOtherHeaders() httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("drop-other-headers", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			maps.DeleteFunc(req.Header, func(name string, _ []string) bool { return !slices.Contains(ownHeaders, name) })
			req.Header.Set("User-Agent", userAgent)
			return next.RoundTrip(req)
		})
	})
}

// Bearer sends the token as "Authorization: Bearer <token>" with every request.
func Bearer(token string) Authorize {
	return func(next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			req.Header.Set("Authorization", "Bearer "+token)
			return next.RoundTrip(req)
		})
	}
}
