package routes

import (
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

// hopByHop headers belong to one connection and are never passed on, in either direction.
var hopByHop = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// callersOwn headers identify the caller to Grafana; a backend has no business with them.
var callersOwn = []string{"Authorization", "Cookie", "X-Grafana-Device-Id"}

// resource passes a call on to the backend's resource handler and streams what comes back.
func (s *server) resource(w http.ResponseWriter, r *http.Request) {
	clients, err := s.Backend.Clients()
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	// A backend's resource body travels in one message, so it is read whole, as in Grafana.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		writeError(w, http.StatusBadRequest, "The request's body could not be read.")
		return
	}
	path := r.PathValue("path")
	address := path
	if r.URL.RawQuery != "" {
		address += "?" + r.URL.RawQuery
	}
	stream, err := clients.Resource.CallResource(r.Context(), backend.ToProto().CallResourceRequest(&backend.CallResourceRequest{
		PluginContext: s.Settings.PluginContext(),
		Path:          path,
		Method:        r.Method,
		URL:           address,
		Headers:       forwardable(r.Header),
		Body:          body,
	}))
	if err != nil {
		s.backendFailed(w, "resource", err)
		return
	}
	s.copyStream(w, stream)
}

type resourceStream interface {
	Recv() (*pluginv2.CallResourceResponse, error)
}

// copyStream writes the status and headers of the first message, then every message's body as it arrives.
func (s *server) copyStream(w http.ResponseWriter, stream resourceStream) {
	flusher, canFlush := w.(http.Flusher)
	for first := true; ; first = false {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			if first {
				w.WriteHeader(http.StatusNoContent)
			}
			return
		}
		if err != nil {
			if first {
				s.backendFailed(w, "resource", err)
				return
			}
			// The status is out already: cutting the connection is the only honest way to say that the rest is missing.
			panic(http.ErrAbortHandler)
		}
		if first {
			writeResourceHeader(w, message)
		}
		if _, err := w.Write(message.Body); err != nil {
			return
		}
		if canFlush {
			flusher.Flush()
		}
	}
}

func writeResourceHeader(w http.ResponseWriter, message *pluginv2.CallResourceResponse) {
	for name, values := range message.Headers {
		name = textproto.CanonicalMIMEHeaderKey(name)
		if name == "Set-Cookie" || slices.Contains(hopByHop, name) {
			continue
		}
		w.Header()[name] = values.Values
	}
	// No response of a plugin may run as a page of this origin.
	w.Header().Set("Content-Security-Policy", "sandbox")
	w.WriteHeader(int(message.Code))
}

func forwardable(header http.Header) map[string][]string {
	kept := header.Clone()
	for _, name := range slices.Concat(hopByHop, callersOwn) {
		kept.Del(name)
	}
	return kept
}
