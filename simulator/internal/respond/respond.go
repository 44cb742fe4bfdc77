// Package respond writes the responses that services have in common.
package respond

import (
	"encoding/json"
	"net/http"
)

// JSON responds with a value.
func JSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // a client that has gone needs no response
}

// Refuse responds with an error in the platform's form: {"code", "message"}.
func Refuse(w http.ResponseWriter, status int, code, message string) {
	JSON(w, status, map[string]string{"code": code, "message": message})
}

// NotFound is the response where nothing is.
func NotFound(w http.ResponseWriter, _ *http.Request) {
	Refuse(w, http.StatusNotFound, "not_found", "the requested resource does not exist")
}

// NotAllowed is the response to methods other than those of the header Allow.
func NotAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	Refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", "this endpoint only accepts GET")
}
