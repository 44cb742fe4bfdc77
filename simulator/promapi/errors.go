package promapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/prometheus/promql"
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

// statusClientClosed is nginx' status for a client that left before the response; Prometheus uses it too.
const statusClientClosed = 499

// failed gives an error of the engine its type and status.
func failed(err error) error {
	var cancelled promql.ErrQueryCanceled
	var timeout promql.ErrQueryTimeout
	var storage promql.ErrStorage
	switch {
	case errors.As(err, &cancelled), errors.Is(err, context.Canceled):
		return &apiError{"canceled", statusClientClosed, err}
	case errors.As(err, &timeout):
		return &apiError{"timeout", http.StatusServiceUnavailable, err}
	case errors.As(err, &storage):
		return &apiError{"internal", http.StatusInternalServerError, err}
	}
	return &apiError{"execution", http.StatusUnprocessableEntity, err}
}

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
