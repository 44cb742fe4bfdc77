package plugin

import (
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
)

// hasEditorRole reports the role Editor or Admin. Anonymous visitors have no user.
func hasEditorRole(user *backend.User) bool {
	return user != nil && (user.Role == "Editor" || user.Role == "Admin")
}

// editorsOnly registers resources that require the Editor role. what begins the sentence of the refusal.
type editorsOnly struct {
	router
	what string
}

func (e editorsOnly) HandleFunc(pattern string, handle func(http.ResponseWriter, *http.Request)) {
	e.router.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if !hasEditorRole(backend.PluginConfigFromContext(r.Context()).User) {
			writeError(w, apiError{status: http.StatusForbidden, message: e.what + " takes the Editor role in Grafana."})
			return
		}
		handle(w, r)
	})
}
