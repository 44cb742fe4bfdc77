package transport

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

const (
	userAgent = "gpucloud-platform-datasource"
	// idempotencyKey is a header that net/http does not send if it has no values, and that makes any request one that may be repeated.
	idempotencyKey = "Idempotency-Key"
)

// ownHeaders are the headers that this plugin sets in requests. Names are canonical.
var ownHeaders = []string{"Accept", "Accept-Encoding", "Content-Type", idempotencyKey}

// Send sends a request that only reads, and accepts JSON: a form by POST, and without one a GET. It returns a response whose status is 2xx
// and whose body isn't HTML. Any other response is an *[Error], and so is every error of reading the body. Secrets that the platform
// repeats in the body are overwritten with stars, except in a streaming client, whose bodies are archives. The caller closes the body.
func (c *Client) Send(ctx context.Context, target *url.URL, form url.Values) (*http.Response, error) {
	if err := Take(ctx); err != nil {
		return nil, err
	}
	method, header := http.MethodGet, http.Header{"Accept": {"application/json"}}
	if form != nil {
		method = http.MethodPost
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		header[idempotencyKey] = []string{}
	}
	if c.streaming { // a compressed archive would not shrink, and its size would be unknown
		header.Set("Accept-Encoding", "identity")
	}
	cancel := context.CancelFunc(func() {})
	if c.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), strings.NewReader(form.Encode()))
	if err != nil {
		cancel()
		return nil, c.Service.Malformed(0, "has an address that can't be used.")
	}
	req.Header = header
	resp, err := c.http.Do(req)
	if err != nil {
		cancel()
		failed := c.Service.fromError(err)
		if failed.cause != nil {
			c.Service.logCause(ctx, "A request to the platform got no response", failed.cause)
		}
		return nil, failed
	}
	body := resp.Body.(*attemptBody)
	release := body.done
	body.done = func() {
		release()
		cancel()
	}
	return resp, nil
}

// own removes all headers but ownHeaders, such as those in which Grafana describes its users, dashboards and traces; what is set after it
// is sent, too. Bodies of responses are decoded, and secrets overwritten where the platform repeats them, except in a streaming client,
// whose bodies are archives.
func own(o Options) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("own", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			maps.DeleteFunc(req.Header, func(name string, _ []string) bool { return !slices.Contains(ownHeaders, name) })
			req.Header.Set("User-Agent", userAgent)
			if req.Header.Get("Accept-Encoding") == "" {
				req.Header.Set("Accept-Encoding", "gzip")
			}
			resp, err := next.RoundTrip(req)
			if err == nil {
				err = o.Service.decode(resp)
			}
			switch {
			case err != nil:
				return nil, err
			case o.Streaming:
				return resp, nil
			}
			secrets := o.Service.Secrets
			if resp.StatusCode >= http.StatusBadRequest { // it has no data, in which a private value may be a common word
				secrets = slices.Concat(o.Service.Private, secrets)
			}
			if o.Service.Signed {
				secrets = append(signature.FindAllString(resp.Request.Header.Get("Authorization"), -1), secrets...)
			}
			resp.Body = redactBody(resp.Body, secrets)
			return resp, nil
		})
	})
}

// Bearer authorizes requests by a token, in place of any other credential of their headers.
func Bearer(token string) func(next http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			req.Header.Set("Authorization", "Bearer "+token)
			return next.RoundTrip(req)
		})
	}
}
