package plugin

import (
	"encoding/json"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
)

// resource makes a handler of a function with an error: one before the first byte of the response is sent by fail, and one after it
// breaks the response off. With settings that have an error, that is the response.
func resource(settings error, serve func(http.ResponseWriter, *http.Request) error, fail func(http.ResponseWriter, apiError)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := &response{ResponseWriter: w}, settings
		if err == nil {
			err = serve(out, r)
		}
		switch {
		case err == nil:
		case out.begun:
			log.DefaultLogger.FromContext(r.Context()).Warn("A response broke off", "outcome", toResourceError(err).outcome)
			panic(http.ErrAbortHandler)
		default:
			fail(w, toResourceError(err))
		}
	}
}

type response struct {
	http.ResponseWriter
	begun bool
}

func (r *response) Write(b []byte) (int, error) {
	r.begun = true
	return r.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// editorsOnly requires the role Editor or Admin. Anonymous visitors have no user. what begins the sentence of the refusal.
func editorsOnly(what string, serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if user := backend.PluginConfigFromContext(r.Context()).User; user == nil || user.Role != "Editor" && user.Role != "Admin" {
			writeError(w, apiError{status: http.StatusForbidden, message: what + " takes the Editor role in Grafana."})
			return
		}
		serve(w, r)
	}
}

// refreshCache clears the caches of this data source. It requires the Editor role, because an empty cache causes requests to the platform
// for all users.
func (ds *Datasource) refreshCache(w http.ResponseWriter, _ *http.Request) {
	ds.each(serviceClient.ClearCache)
	writeJSON(w, http.StatusOK, map[string]string{"message": "The cache is empty. The next queries are sent to the platform."})
}

// writeError writes the message for the user in the form that Grafana's front end expects.
func writeError(w http.ResponseWriter, f apiError) {
	writeJSON(w, f.status, map[string]string{"message": f.message})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
