package plugin

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
)

// errStopped is what is told of a panic; explain makes a sentence of it, as of every error of no known kind.
var errStopped = errors.New("an unexpected error in the plugin; Grafana's log has the details")

// stopped logs where a panic came from, and returns what is told of it. What the panic said is neither logged nor told:
// nobody has checked that it holds no address and no secret. Call it in the deferred function that recovers.
func stopped(ctx context.Context, what string, details ...any) error {
	log.DefaultLogger.FromContext(ctx).Error(what, append(details, "stack", string(debug.Stack()))...)
	return errStopped
}
