package proxy

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/hashicorp/go-hclog"
)

// flushInterval is how long bytes of a response may wait for more.
const flushInterval = 200 * time.Millisecond

// refused is Grafana's response when the platform refuses the data source's credential: it is nothing that the caller of
// Grafana could mend by logging in.
const refused = "Authentication to data source failed"

// Config is what a proxy works with.
type Config struct {
	Routes []Route
	// Context returns the user of a request, and the data source's settings as they are now.
	Context func() backend.PluginContext
	Log     hclog.Logger
}

// Proxy forwards requests. Its methods are safe for concurrent use.
type Proxy struct {
	Config
	transports transports
}

// New makes a proxy.
func New(config Config) *Proxy { return &Proxy{Config: config} }

// Serve forwards a request by the first route that matches the path, which is relative and still escaped.
//
// It responds with 403 for a role that is too low, and with 502 when no route matches: Grafana then sends the request to the
// data source's top-level address, which this plugin leaves empty. The response of the platform is passed on, but for cookies
// and a 401.
func (p *Proxy) Serve(w http.ResponseWriter, r *http.Request, path string) {
	plugin := p.Context()
	for _, route := range p.Routes {
		if !route.matches(r.Method, path) {
			continue
		}
		if !route.admits(plugin.User.Role) {
			http.Error(w, "plugin proxy route access denied", http.StatusForbidden)
			return
		}
		p.forward(w, r, route, path, plugin)
		return
	}
	w.WriteHeader(http.StatusBadGateway)
}

func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, route Route, path string, plugin backend.PluginContext) {
	outgoing, err := prepare(route, path, plugin)
	if err != nil {
		p.Log.Error("a route can't be followed", "path", route.Path, "error", err)
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	transport, err := p.transports.of(r.Context(), plugin.DataSourceInstanceSettings)
	if err != nil {
		http.Error(w, "Unable to load TLS certificate", http.StatusBadRequest)
		return
	}
	forwarding := &httputil.ReverseProxy{
		Rewrite:        outgoing.rewrite,
		Transport:      transport,
		FlushInterval:  flushInterval,
		ModifyResponse: passOn,
		ErrorHandler:   p.failed,
		ErrorLog:       p.Log.StandardLogger(&hclog.StandardLoggerOptions{}),
	}
	forwarding.ServeHTTP(w, r)
}

// request is how a request goes out.
type request struct {
	target    *url.URL
	headers   http.Header
	userAgent string
}

func prepare(route Route, path string, plugin backend.PluginContext) (request, error) {
	data, err := newTemplateData(plugin.DataSourceInstanceSettings)
	if err != nil {
		return request{}, err
	}
	target, err := route.target(path, data)
	if err != nil {
		return request{}, err
	}
	outgoing := request{target: target, headers: http.Header{}, userAgent: "Grafana"}
	if plugin.UserAgent != nil {
		outgoing.userAgent += "/" + plugin.UserAgent.GrafanaVersion()
	}
	for _, header := range route.Headers {
		content, err := fill(header.Content, data)
		if err != nil {
			return request{}, err
		}
		outgoing.headers.Set(header.Name, content)
	}
	return outgoing, nil
}

// callersOwn headers are between the caller and Grafana.
var callersOwn = []string{"Authorization", "Cookie", "Origin", "Referer"}

func (o request) rewrite(r *httputil.ProxyRequest) {
	query := r.In.URL.RawQuery
	address := *o.target
	r.Out.URL, r.Out.Host = &address, ""
	r.Out.URL.RawQuery = query
	for _, name := range callersOwn {
		r.Out.Header.Del(name)
	}
	r.Out.Header.Set("User-Agent", o.userAgent)
	maps.Copy(r.Out.Header, o.headers)
}

func passOn(response *http.Response) error {
	response.Header.Del("Set-Cookie")
	if response.StatusCode == http.StatusUnauthorized {
		_ = response.Body.Close()
		response.StatusCode, response.Status = http.StatusBadRequest, ""
		response.Body = io.NopCloser(strings.NewReader(refused))
		response.ContentLength = int64(len(refused))
		response.Header = http.Header{"Content-Length": {strconv.Itoa(len(refused))}, "Content-Type": {"text/plain; charset=utf-8"}}
	}
	// No response of the platform may run as a page of this origin.
	response.Header.Set("Content-Security-Policy", "sandbox")
	return nil
}

// failed responds when the platform did not.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the caller has gone
	}
	p.Log.Error("a request could not be forwarded", "error", err)
	var timeout interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		w.WriteHeader(http.StatusGatewayTimeout)
		return
	}
	w.WriteHeader(http.StatusBadGateway)
}
