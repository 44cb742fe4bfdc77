package routes

import (
	"encoding/json"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/preview/host/settings"
)

func (s *server) getSettings(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, s.Settings.Get())
}

// putSettings saves what the config editor holds. Secrets go in and never come out.
func (s *server) putSettings(w http.ResponseWriter, r *http.Request) {
	var change settings.Change
	if err := json.NewDecoder(r.Body).Decode(&change); err != nil {
		writeError(w, http.StatusBadRequest, "bad request data")
		return
	}
	if change.Name == "" {
		writeError(w, http.StatusBadRequest, "A data source needs a name.")
		return
	}
	saved := s.Settings.Update(change)
	writeJSON(w, http.StatusOK, map[string]any{
		"id":         saved.ID,
		"name":       saved.Name,
		"message":    "Datasource updated",
		"datasource": saved,
	})
}
