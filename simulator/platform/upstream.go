package platform

import (
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
)

// upstreamEndpoints are the endpoints below /api/v1/ that counters name; others are counted as unknown.
var upstreamEndpoints = []string{"query", "query_range", "labels", "series", "metadata"}

// upstream serves the metrics endpoint from a query engine with Prometheus' HTTP API: the base path as its instant query,
// everything below /api/v1/ under the same name. Token, faults, latency and counters are the platform's, the responses are
// the engine's.
type upstream struct {
	// prefix is the path of the metrics endpoint, address is where the engine serves /api/v1/.
	prefix  string
	address *url.URL
	// rangePath is how the platform spells range queries.
	rangePath string
	proxy     *httputil.ReverseProxy
}

func newUpstream(address *url.URL, prefix, rangePath string) *upstream {
	// JoinPath keeps a path relative that does not begin with a slash.
	base := *address
	base.Path = "/" + strings.Trim(base.Path, "/")
	u := &upstream{prefix: prefix, address: &base, rangePath: rangePath}
	u.proxy = &httputil.ReverseProxy{
		Rewrite: u.rewrite,
		ModifyResponse: func(response *http.Response) error {
			// The platform has set its own.
			response.Header.Del("Date")
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			respond.Refuse(w, http.StatusBadGateway, "bad_gateway", "the query engine can't be reached")
		},
		// A client that leaves while a response is copied is no event.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	return u
}

// rewrite addresses a request to the engine. Credentials stay with the platform.
func (u *upstream) rewrite(r *httputil.ProxyRequest) {
	for _, name := range []string{"Authorization", "Cookie"} {
		r.Out.Header.Del(name)
	}
	rest := strings.TrimSuffix(strings.TrimPrefix(r.In.URL.EscapedPath(), u.prefix), "/")
	switch rest {
	case "":
		rest = "/api/v1/query"
	case "/api/v1/" + u.rangePath:
		rest = "/api/v1/query_range"
	}
	// The rest has been decoded once already, to find the route, so it can be again.
	target := u.address.JoinPath(rest)
	target.RawQuery = r.In.URL.RawQuery
	r.Out.URL, r.Out.Host = target, ""
}

func (u *upstream) route(rest string) route {
	name, below := strings.CutPrefix(rest, "/api/v1/")
	if rest != "" && (!below || path.Clean(rest) != rest) {
		return route{ServiceMetrics, unknown, respond.NotFound}
	}
	endpoint := unknown
	switch {
	case rest == "":
		endpoint = "base"
	case name == u.rangePath || slices.Contains(upstreamEndpoints, name):
		endpoint = name
	case strings.HasPrefix(name, "label/") && strings.HasSuffix(name, "/values"):
		endpoint = "label_values"
	}
	return route{ServiceMetrics, endpoint, u.proxy.ServeHTTP}
}
