package platform

import (
	"encoding/json"
	"net/http"
)

// The platform's error codes.
const (
	codeBadRequest    = "bad_request"
	codeBadCredential = "bad_credential"
	codeNotFound      = "not_found"
	codeNotAllowed    = "method_not_allowed"
)

// writeError responds with an error in the platform's shape: {"code", "message"}.
func writeError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}{code, message})
}

func writeNotFound(w http.ResponseWriter) {
	writeError(w, http.StatusNotFound, codeNotFound, "the requested resource does not exist")
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // a client that has gone needs no response
}
