package routes

import (
	"encoding/json"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/experimental/apis/datasource/v0alpha1"
)

// query runs the queries of a panel. The response is 200, or 400 when any query failed; each result carries
// its own status either way.
func (s *server) query(w http.ResponseWriter, r *http.Request) {
	var body v0alpha1.QueryDataRequest
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		writeError(w, http.StatusBadRequest, "bad request data")
		return
	}
	queries, source, err := v0alpha1.ToDataSourceQueries(body)
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	if source == nil || source.UID != s.DataSource.shown().UID {
		writeError(w, http.StatusNotFound, "Data source not found")
		return
	}
	response, err := s.Backend.QueryData(r.Context(), &backend.QueryDataRequest{PluginContext: s.DataSource.context(), Queries: queries})
	if err != nil {
		s.backendFailed(w, "query", err)
		return
	}
	status := http.StatusOK
	for _, result := range response.Responses {
		if result.Error != nil {
			status = http.StatusBadRequest
		}
	}
	writeJSON(w, status, response)
}

// health serves "Save & test": 200 when the backend says OK, else 400, with its message either way.
func (s *server) health(w http.ResponseWriter, r *http.Request) {
	result, err := s.Backend.CheckHealth(r.Context(), &backend.CheckHealthRequest{PluginContext: s.DataSource.context()})
	if err != nil {
		s.backendFailed(w, "health", err)
		return
	}
	status := http.StatusOK
	if result.Status != backend.HealthStatusOk {
		status = http.StatusBadRequest
	}
	writeJSON(w, status, map[string]any{
		"status": result.Status.String(), "message": result.Message, "details": json.RawMessage(result.JSONDetails),
	})
}

// backendFailed responds to a call that did not come back from the backend at all: it died, or it refused.
func (s *server) backendFailed(w http.ResponseWriter, what string, err error) {
	s.Log.Error("the plugin's backend did not respond", "call", what, "error", err)
	writeError(w, http.StatusInternalServerError, "An error occurred within the plugin")
}
