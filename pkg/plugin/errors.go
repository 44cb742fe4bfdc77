package plugin

import (
	"errors"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/backend"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// statusClientClosedRequest is nginx' status for a caller that went away; net/http has no name for it.
const statusClientClosedRequest = 499

// failure is how an error is told to Grafana.
type failure struct {
	status  int
	source  backend.ErrorSource
	message string
	// promType is the errorType of the Prometheus HTTP API.
	promType string
}

// explain is the one place where errors become statuses. A query or setting that can't be used is a user's mistake, which
// Grafana counts as downstream, so that the share of errors that are the plugin's shows the plugin's defects only.
// An error of no known kind is one, and its text is not shown: nobody has checked that it holds no address and no secret.
func explain(err error) failure {
	var (
		platform *transport.Error
		written  *query.Error
		param    *promclient.ParamError
		setting  settingsError
	)
	switch {
	case errors.As(err, &platform):
		return explainPlatform(platform)
	case errors.As(err, &written):
		return failure{http.StatusBadRequest, backend.ErrorSourceDownstream, written.Error(), "bad_data"}
	case errors.As(err, &param):
		return failure{http.StatusBadRequest, backend.ErrorSourceDownstream, param.Error(), "bad_data"}
	case errors.As(err, &setting):
		return failure{http.StatusBadRequest, backend.ErrorSourceDownstream, setting.Error(), "bad_data"}
	}
	return failure{http.StatusInternalServerError, backend.ErrorSourcePlugin, "An unexpected error in the plugin; Grafana's log has the details.", "internal"}
}

func explainPlatform(e *transport.Error) failure {
	f := failure{e.Status, backend.ErrorSourceDownstream, e.Message, "unavailable"}
	switch {
	case errors.Is(e, transport.ErrBadRequest):
		f.status, f.promType = http.StatusBadRequest, "bad_data"
	case errors.Is(e, transport.ErrTimeout):
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

func errorResponse(err error) backend.DataResponse {
	f := explain(err)
	return backend.DataResponse{Error: errors.New(f.message), Status: backend.Status(f.status), ErrorSource: f.source}
}
