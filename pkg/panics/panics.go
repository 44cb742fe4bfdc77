// Package panics makes an error of a panic: a defect of the plugin, and never an outage of the platform.
package panics

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
)

// Err is the error for every panic. It does not say what the panic said: nobody has checked that this holds no address and
// no secret.
var Err = errors.New("an unexpected error in the plugin; Grafana's log has the details")

// Recovered logs where a panic came from, and returns [Err]. Call it in the deferred function that recovers.
func Recovered(ctx context.Context, what string, details ...any) error {
	log.DefaultLogger.FromContext(ctx).Error(what, append(details, "stack", string(debug.Stack()))...)
	return Err
}
