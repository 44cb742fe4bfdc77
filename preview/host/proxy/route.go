package proxy

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"
	"text/template"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// Route is one entry of plugin.json's "routes".
type Route struct {
	// Path is what a request's path starts with, relative to the data source's proxy address.
	Path string `json:"path"`
	// Method is the one HTTP method that the route is for; "" and "*" are all.
	Method string `json:"method"`
	// ReqRole is the least role that may use the route: Viewer, Editor or Admin; "" is every role.
	ReqRole string `json:"reqRole"`
	// URL is a template of the address that takes the place of Path.
	URL string `json:"url"`
	// Headers are set on the request that goes out.
	Headers []Header `json:"headers"`
}

// Header is a header of a route; its content is a template.
type Header struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// matches reports whether the route is for a request. A slash at the end of a route's path doesn't count, as in Grafana.
func (r Route) matches(method, requested string) bool {
	if r.Method != "" && r.Method != "*" && r.Method != method {
		return false
	}
	return strings.HasPrefix(clean(requested), clean(r.Path))
}

func clean(relative string) string {
	return strings.TrimPrefix(path.Clean("/"+relative), "/")
}

var ranks = map[string]int{"Viewer": 1, "Editor": 2, "Admin": 3}

// admits reports whether the role may use the route.
func (r Route) admits(role string) bool { return ranks[role] >= ranks[r.ReqRole] }

// templateData is what the templates of a route may name. The field names are the template's own.
type templateData struct {
	JsonData       map[string]any    //nolint:revive // written so in plugin.json
	SecureJsonData map[string]string //nolint:revive // written so in plugin.json
}

func newTemplateData(settings *backend.DataSourceInstanceSettings) (templateData, error) {
	data := templateData{SecureJsonData: settings.DecryptedSecureJSONData}
	if err := json.Unmarshal(settings.JSONData, &data.JsonData); err != nil {
		return data, fmt.Errorf("the data source's jsonData: %w", err)
	}
	return data, nil
}

// target is the address of a request on the platform: the route's own, then what follows the route's path.
func (r Route) target(requested string, data templateData) (*url.URL, error) {
	base, err := fill(r.URL, data)
	if err != nil {
		return nil, err
	}
	rest := strings.TrimPrefix(requested, r.Path)
	return url.Parse(strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(rest, "/"))
}

// fill executes a template. A setting that is missing becomes "<no value>", as in Grafana.
func fill(text string, data templateData) (string, error) {
	parsed, err := template.New("route").Parse(text)
	if err != nil {
		return "", fmt.Errorf("a route of plugin.json: %w", err)
	}
	var filled strings.Builder
	if err := parsed.Execute(&filled, data); err != nil {
		return "", fmt.Errorf("a route of plugin.json: %w", err)
	}
	return filled.String(), nil
}
