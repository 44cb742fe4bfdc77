package transport

import (
	"maps"
	"net/http"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

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

// credential adds the credential to a request, and overwrites it where the platform repeats it in the body of a response, except in a
// streaming client, whose bodies are archives. Errors become messages, which are redacted as such.
func credential(o Options) httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("credential", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		if o.Authorize != nil {
			next = o.Authorize(next)
		}
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err != nil || o.Streaming || resp.StatusCode >= http.StatusBadRequest {
				return resp, err
			}
			secrets := o.Service.Secrets
			if o.Service.Signed {
				secrets = append(signature.FindAllString(resp.Request.Header.Get("Authorization"), -1), secrets...)
			}
			resp.Body = redactBody(resp.Body, secrets)
			return resp, nil
		})
	})
}

// Bearer sends the token as "Authorization: Bearer <token>" with every request.
func Bearer(token string) Authorize {
	return func(next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			req.Header.Set("Authorization", "Bearer "+token) // of the clone of dropOtherHeaders
			return next.RoundTrip(req)
		})
	}
}
