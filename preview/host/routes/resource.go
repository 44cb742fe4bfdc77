package routes

import (
	"io"
	"maps"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// callersOwn headers are between the caller and Grafana; nobody behind it has any business with them.
var callersOwn = []string{"Authorization", "Cookie", "Origin", "Referer", "X-Grafana-Device-Id"}

// resource passes a call on to the backend's resource handler, and what comes back as it arrives.
func (s *server) resource(w http.ResponseWriter, r *http.Request) {
	// A backend's resource body travels in one message, so it is read whole, as in Grafana.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		writeError(w, http.StatusBadRequest, "The request's body could not be read.")
		return
	}
	for _, name := range callersOwn {
		r.Header.Del(name)
	}
	path := r.PathValue("path")
	request := &backend.CallResourceRequest{
		PluginContext: s.DataSource.context(),
		Path:          path,
		Method:        r.Method,
		URL:           path + "?" + r.URL.RawQuery,
		Headers:       r.Header,
		Body:          body,
	}
	hasBegun := false
	err = s.Backend.CallResource(r.Context(), request, backend.CallResourceResponseSenderFunc(func(part *backend.CallResourceResponse) error {
		if !hasBegun {
			hasBegun = true
			maps.Copy(w.Header(), part.Headers)
			// No response of a plugin may run as a page of this origin.
			w.Header().Set("Content-Security-Policy", "sandbox")
			w.WriteHeader(part.Status)
		}
		if _, err := w.Write(part.Body); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	}))
	switch {
	case err == nil:
	case hasBegun:
		// The status is out already: cutting the connection is the only honest way to say that the rest is missing.
		panic(http.ErrAbortHandler)
	default:
		s.backendFailed(w, "resource", err)
	}
}
