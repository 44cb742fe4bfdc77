package transport

import (
	"net/http"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/backend/httpclient"
)

const userAgent = "gpucloud-platform-datasource"

// grafanaHeaders are headers in which Grafana, or a proxy before it, describes its users, dashboards and traces. The
// platform doesn't need them. Names are canonical; a trailing "-" makes a prefix.
var grafanaHeaders = []string{
	"X-Grafana-", "X-Dashboard-", "X-Panel-", "X-Query-", "X-Datasource-", "X-Ds-", "X-Plugin-", "X-Rule-",
	"X-Forwarded-", "X-Real-Ip", "Forwarded", "Via", "Referer", "Origin", "Cookie", "X-Id-Token", "Fromalert",
	"Traceparent", "Tracestate", "Baggage", "Uber-Trace-Id",
}

// dropGrafanaHeaders removes grafanaHeaders and any credential of the incoming request.
func dropGrafanaHeaders() httpclient.Middleware {
	return httpclient.NamedMiddlewareFunc("drop-grafana-headers", func(_ httpclient.Options, next http.RoundTripper) http.RoundTripper {
		return httpclient.RoundTripperFunc(func(req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			for name := range req.Header {
				if isGrafanaHeader(name) {
					delete(req.Header, name)
				}
			}
			req.Header.Del("Authorization")
			req.Header.Set("User-Agent", userAgent)
			return next.RoundTrip(req)
		})
	})
}

func isGrafanaHeader(name string) bool {
	name = http.CanonicalHeaderKey(name)
	return slices.ContainsFunc(grafanaHeaders, func(listed string) bool {
		return name == listed || strings.HasSuffix(listed, "-") && strings.HasPrefix(name, listed)
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
