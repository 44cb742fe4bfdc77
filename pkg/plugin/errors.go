package plugin

import (
	"errors"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// statusClientClosedRequest is nginx' status for a canceled request; net/http has no name for it.
const statusClientClosedRequest = 499

// apiError is an error in the terms of Grafana's API.
type apiError struct {
	status  int
	source  backend.ErrorSource
	message string
	// promType is the errorType of the Prometheus HTTP API, and outcome names the error in metrics, logs and spans.
	promType, outcome string
}

// toAPIError maps errors to statuses and error sources. An invalid query or setting is the user's, with the source downstream,
// so that the source plugin stands for defects of the plugin only. An error of an unknown type is such a defect. Its text is
// not shown, because it may contain an address or a secret.
func toAPIError(err error) apiError {
	if platform, ok := errors.AsType[*transport.Error](err); ok {
		return platformError(platform)
	}
	if written, ok := errors.AsType[*query.Error](err); ok {
		return apiError{http.StatusBadRequest, backend.ErrorSourceDownstream, written.Error(), "bad_data", "invalid"}
	}
	if setting, ok := errors.AsType[settingsError](err); ok {
		return apiError{http.StatusBadRequest, backend.ErrorSourceDownstream, setting.Error(), "bad_data", "invalid"}
	}
	return apiError{http.StatusInternalServerError, backend.ErrorSourcePlugin, "An unexpected error in the plugin; Grafana's log has the details.", "internal", "error"}
}

func platformError(e *transport.Error) apiError {
	f := apiError{e.Status, backend.ErrorSourceDownstream, e.Message, "unavailable", e.Kind.Error()}
	switch {
	case errors.Is(e, transport.ErrBadRequest):
		f.status, f.promType = http.StatusBadRequest, "bad_data"
	case errors.Is(e, transport.ErrTimeout), errors.Is(e, transport.ErrConcurrency):
		f.status, f.promType = http.StatusGatewayTimeout, "timeout"
	case errors.Is(e, transport.ErrCanceled):
		f.status, f.promType = statusClientClosedRequest, "canceled"
	case errors.Is(e, transport.ErrNotFound):
		f.promType = "not_found"
	case errors.Is(e, transport.ErrTooLarge):
		f.promType = "execution"
	case errors.Is(e, transport.ErrMalformed), errors.Is(e, transport.ErrRedirect):
		f.status = http.StatusBadGateway
	}
	if f.status == 0 {
		f.status = http.StatusBadGateway
	}
	return f
}

// toResourceError is [toAPIError] for a resource. The platform's 401 or 403 is a 502 there, because clients take those for Grafana's:
// browsers sign the user in again.
func toResourceError(err error) apiError {
	f := toAPIError(err)
	if errors.Is(err, transport.ErrCredential) {
		f.status = http.StatusBadGateway
	}
	return f
}

func errorResponse(err error) backend.DataResponse {
	f := toAPIError(err)
	return backend.DataResponse{Error: errors.New(f.message), Status: backend.Status(f.status), ErrorSource: f.source}
}
