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
