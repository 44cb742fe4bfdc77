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

// Get sends a GET request that accepts JSON; see [Client.Do]. What a streaming client forwards is not compressed: an archive would not
// shrink, and its size would be unknown.
func (c *Client) Get(ctx context.Context, target *url.URL) (*http.Response, error) {
	header := http.Header{}
	if c.streaming {
		header.Set("Accept-Encoding", "identity")
	}
	return c.send(ctx, http.MethodGet, target, header, nil)
}

// Post sends a form by a POST request that accepts JSON and only reads, so that it may be repeated; see [Client.Do].
func (c *Client) Post(ctx context.Context, target *url.URL, form url.Values) (*http.Response, error) {
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, idempotencyKey: {}}
	return c.send(ctx, http.MethodPost, target, header, strings.NewReader(form.Encode()))
}

func (c *Client) send(ctx context.Context, method string, target *url.URL, header http.Header, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, c.Service.Malformed(0, "has an address that can't be used.")
	}
	req.Header = header
	req.Header.Set("Accept", "application/json")
	return c.Do(req)
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
