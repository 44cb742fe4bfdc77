package routes

import (
	"encoding/json"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

type healthBody struct {
	Status  string          `json:"status"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details,omitempty"`
}

// health serves "Save & test": 200 when the backend says OK, else 400, with its message either way.
func (s *server) health(w http.ResponseWriter, r *http.Request) {
	clients, err := s.Backend.Clients()
	if err != nil {
		writeError(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	result, err := clients.Diagnostics.CheckHealth(r.Context(), &pluginv2.CheckHealthRequest{
		PluginContext: backend.ToProto().PluginContext(s.Settings.PluginContext()),
	})
	if err != nil {
		s.backendFailed(w, "health", err)
		return
	}
	body := healthBody{Status: result.Status.String(), Message: result.Message}
	if json.Valid(result.JsonDetails) {
		body.Details = result.JsonDetails
	}
	status := http.StatusOK
	if result.Status != pluginv2.CheckHealthResponse_OK {
		status = http.StatusBadRequest
	}
	writeJSON(w, status, body)
}
