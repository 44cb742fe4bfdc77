package platform

import (
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/promapi"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// The names of the platform's services, as faults and counters use them.
const (
	ServiceMetrics = "metrics"
	ServiceTuning  = "tuning"
	ServiceMain    = "main"
)

// TuningPath is the path of the tuning gateway.
const TuningPath = "/intelligence"

// Platform is the whole platform as one http.Handler. It is safe for concurrent use.
type Platform struct {
	config   Config
	scenario *scenario.Scenario
	store    *metrics.Store
	prom     *promapi.API
	tuning   *gateway.Gateway
	main     *mainapi.API
	control  http.Handler
	faults   faults
	counters counters
}

// New makes a platform and its scenario up to now. No sample is computed before it is queried. It panics if the
// secret key is not raw URL-safe base64, which is a mistake of the caller.
func New(c Config) *Platform {
	c = c.withDefaults()
	st := scenario.New(scenario.Config{Nodes: c.Nodes, GPUsPerNode: c.GPUsPerNode, Now: c.Now(), Incidents: c.Incidents, Relative: c.Relative})
	store := metrics.New(st, c.Now).Late(c.Late).Named(c.Prefix).Exported(c.Exporter).Without(c.Missing...).Collected(c.Collection)
	p := &Platform{config: c, scenario: st, store: store, prom: promapi.New(store, c.Now), tuning: gateway.New(gateway.Config{
		Scenario: st, Now: c.Now, Key: c.InferenceAPIKey, JobDuration: c.JobDuration, ExtraJobs: c.ExtraJobs,
		RateLimit: c.RateLimit, MaxLimit: c.GatewayMaxLimit, SpecOnly: c.SpecOnly,
	})}
	var err error
	if p.main, err = mainapi.New(mainapi.Config{
		Scenario: st, Now: c.Now, ProjectID: c.ProjectID, AccessKeyID: c.AccessKeyID, SecretKey: c.SecretKey,
		SpecOnly: c.SpecOnly,
	}); err != nil {
		panic("platform: " + err.Error())
	}
	p.control = p.controlRoutes()
	return p
}

// Config returns the platform's settings, defaults filled in.
func (p *Platform) Config() Config { return p.config }

// MetricsPath returns the base path of the project's metrics endpoint.
func (p *Platform) MetricsPath() string {
	return "/v1/projects/" + p.config.ProjectID + "/metrics/timeseries"
}

// ServeHTTP implements http.Handler.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/_control/") {
		p.control.ServeHTTP(w, r)
		return
	}
	rt := p.route(r.URL.Path)
	w.Header().Set("Date", p.config.Now().UTC().Format(http.TimeFormat))
	meter := &meter{ResponseWriter: w, counters: &p.counters, route: rt, request: r}
	defer meter.count(noResponse)

	if fault, ok := p.faults.take(rt.service, r.URL.Path); ok {
		p.handleFault(fault, rt, meter, r)
		return
	}
	compress(rt.serve)(meter, r)
}

// compress has responses compressed with gzip, but for downloads, if the client accepts that.
var compress = func() func(http.Handler) http.HandlerFunc {
	wrapper, err := gzhttp.NewWrapper(gzhttp.MinSize(1), gzhttp.EnableZstd(false))
	if err != nil {
		panic(err) // a mistake in the options
	}
	return wrapper
}()

// noResponse is the status under which requests are counted without a response.
const noResponse = 0

// sleep waits; it returns false if the client left meanwhile.
func sleep(r *http.Request, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// route is where a request goes: the service, the endpoint as counters name it, and what serves it.
type route struct {
	service, endpoint string
	serve             http.HandlerFunc
}

// unknown is the endpoint's name in the counters for what the platform doesn't have.
const unknown = "unknown"

func (p *Platform) route(path string) route {
	if project, rest, ok := splitMetricsPath(path); ok {
		rt := p.metricsRoute(rest)
		if project != p.config.ProjectID {
			rt = route{ServiceMetrics, unknown, respond.NotFound}
		}
		rt.serve = p.withToken(rt.serve)
		return rt
	}
	if rest, ok := strings.CutPrefix(path, TuningPath); ok && (rest == "" || rest[0] == '/') {
		endpoint, serve := p.tuning.Route(rest)
		return route{ServiceTuning, endpoint, serve}
	}
	if strings.HasPrefix(path, "/v1/") {
		endpoint, serve := p.main.Route(path)
		return route{ServiceMain, endpoint, serve}
	}
	return route{ServiceMain, unknown, respond.NotFound}
}

// splitMetricsPath takes /v1/projects/<project>/metrics/timeseries<rest> apart.
func splitMetricsPath(path string) (project, rest string, ok bool) {
	path, ok = strings.CutPrefix(path, "/v1/projects/")
	if !ok {
		return "", "", false
	}
	project, rest, ok = strings.Cut(path, "/metrics/timeseries")
	if !ok || strings.Contains(project, "/") || (rest != "" && rest[0] != '/') {
		return "", "", false
	}
	return project, strings.TrimSuffix(rest, "/"), true
}

// metricsRoute has the endpoints of the metrics service. There is no series, metadata, rules or
// buildinfo, and nothing takes a POST.
func (p *Platform) metricsRoute(rest string) route {
	endpoint, serve := unknown, http.HandlerFunc(respond.NotFound)
	if p.config.SpecOnly {
		return p.specifiedRoute(rest)
	}
	name, isLabel := strings.CutPrefix(rest, "/api/v1/label/")
	label, isValues := strings.CutSuffix(name, "/values")
	switch {
	case rest == "":
		endpoint, serve = "base", getOnly(p.prom.Query)
	case rest == "/api/v1/query":
		endpoint, serve = "query", getOnly(p.prom.Query)
	case rest == "/api/v1/"+p.config.RangePath:
		endpoint, serve = p.config.RangePath, getOnly(p.prom.QueryRange)
	case rest == "/api/v1/labels":
		endpoint, serve = "labels", getOnly(p.prom.Labels)
	case isLabel && isValues && label != "" && !strings.Contains(label, "/"):
		endpoint, serve = "label_values", getOnly(func(w http.ResponseWriter, r *http.Request) { p.prom.LabelValues(w, r, label) })
	}
	return route{ServiceMetrics, endpoint, serve}
}

func getOnly(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			respond.NotAllowed(w, "GET, HEAD")
			return
		}
		serve(w, r)
	}
}

// withToken lets only requests with the monitoring token through.
func (p *Platform) withToken(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(token), []byte(p.config.MonitoringToken)) != 1 {
			respond.Refuse(w, http.StatusUnauthorized, "bad_credential", "the monitoring token is missing or not valid")
			return
		}
		serve(w, r)
	}
}
