package platform

import (
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/internal/respond"
)

// The parameters that the platform's specification documents, and what a value must look like.
var (
	documentedInstant = map[string]func(string) bool{"query": anyText}
	documentedRange   = map[string]func(string) bool{"query": anyText, "start": isTimestamp, "end": isTimestamp, "step": isDuration}
)

func anyText(string) bool { return true }

func isTimestamp(value string) bool {
	_, err := time.Parse(time.RFC3339Nano, value)
	return err == nil
}

var isDuration = regexp.MustCompile(`^([0-9]+(ms|[smhdwy]))+$`).MatchString

// specifiedRoute has the two documented endpoints of the metrics service.
func (p *Platform) specifiedRoute(rest string) route {
	switch rest {
	case "":
		return route{ServiceMetrics, "base", getOnly(documented(documentedInstant, p.prom.Query))}
	case "/api/v1/query_range":
		return route{ServiceMetrics, "query_range", getOnly(documented(documentedRange, p.prom.QueryRange))}
	}
	return route{ServiceMetrics, unknown, respond.NotFound}
}

// documented passes only documented parameters on: others, such as the time of an instant query, have no effect.
// It refuses values that aren't of the documented form.
func documented(known map[string]func(string) bool, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		given, passed := r.URL.Query(), url.Values{}
		for name, fits := range known {
			for _, value := range given[name] {
				if !fits(value) {
					respond.Refuse(w, http.StatusBadRequest, "bad_request", "the parameter "+name+" is not of the documented form")
					return
				}
				passed.Add(name, value)
			}
		}
		reduced := r.Clone(r.Context())
		reduced.URL.RawQuery = passed.Encode()
		serve(w, reduced)
	}
}
