package promapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// apiError is an error as Prometheus words it, with its type and HTTP status.
type apiError struct {
	kind   string
	status int
	err    error
}

func (e *apiError) Error() string { return e.err.Error() }
func (e *apiError) Unwrap() error { return e.err }

func badData(err error) error { return &apiError{"bad_data", http.StatusBadRequest, err} }

func invalid(parameter string, err error) error {
	return badData(fmt.Errorf("invalid parameter %q: %w", parameter, err))
}

// failed is an error of the engine.
func failed(err error) error { return &apiError{"execution", http.StatusUnprocessableEntity, err} }

// writeError writes Prometheus' error response.
func writeError(w http.ResponseWriter, err error) {
	var e *apiError
	if !errors.As(err, &e) {
		e = &apiError{"internal", http.StatusInternalServerError, err}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(map[string]string{"status": "error", "errorType": e.kind, "error": e.Error()}) // the client may have gone
}
