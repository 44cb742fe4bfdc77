// Package panics converts panics into errors. A panic is a defect of the plugin, and not an outage of the platform.
package panics

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
)

// Err is the error of every panic. It does not contain the value of the panic, which may contain an address or a secret.
var Err = errors.New("an unexpected error in the plugin; Grafana's log has the details")

// Recovered logs the stack of a panic and returns [Err]. Call it in the deferred function that recovers.
func Recovered(ctx context.Context, what string, details ...any) error {
	log.DefaultLogger.FromContext(ctx).Error(what, append(details, "stack", string(debug.Stack()))...)
	return Err
}
