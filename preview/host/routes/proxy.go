package routes

import (
	"encoding/json"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"text/template"
)

// ProxyRoute is one entry of plugin.json's "routes": requests of its method below its path go to its address, with its headers.
// Address and headers are templates over the settings. Which roles may use it isn't looked at: here everybody is an administrator.
type ProxyRoute struct {
	Path    string `json:"path"`
	Method  string `json:"method"`
	URL     string `json:"url"`
	Headers []struct {
		Name    string `json:"name"`
		Content string `json:"content"`
	} `json:"headers"`
}

// forward passes a request on by the first route that matches its path, which is relative. Without any, Grafana sends it to the
// data source's top-level address, which this plugin leaves empty.
func (s *server) forward(w http.ResponseWriter, r *http.Request) {
	for _, route := range s.ProxyRoutes {
		rest, isBelow := strings.CutPrefix(r.URL.EscapedPath(), route.Path)
		if !isBelow || route.Method != r.Method {
			continue
		}
		fill := s.templates()
		target, err := url.Parse(fill(route.URL) + "/" + rest)
		if err != nil {
			break
		}
		target.RawQuery = r.URL.RawQuery
		forwarding := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(outgoing *httputil.ProxyRequest) {
			outgoing.Out.URL, outgoing.Out.Host = target, ""
			for _, name := range callersOwn {
				outgoing.Out.Header.Del(name)
			}
			for _, header := range route.Headers {
				outgoing.Out.Header.Set(header.Name, fill(header.Content))
			}
		}}
		forwarding.ServeHTTP(w, r)
		return
	}
	w.WriteHeader(http.StatusBadGateway)
}

// templates returns a function that puts settings into a template. What can't be filled in stays as it is.
func (s *server) templates() func(string) string {
	settings := s.DataSource.context().DataSourceInstanceSettings
	data := map[string]any{"SecureJsonData": settings.DecryptedSecureJSONData}
	var jsonData map[string]any
	if err := json.Unmarshal(settings.JSONData, &jsonData); err == nil {
		data["JsonData"] = jsonData
	}
	return func(text string) string {
		var filled strings.Builder
		if err := template.Must(template.New("route").Parse(text)).Execute(&filled, data); err != nil {
			return text
		}
		return filled.String()
	}
}
