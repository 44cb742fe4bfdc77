// Package panics converts panics into errors. A panic is a defect of the plugin, and not an outage of the platform.
//
// A panic in a goroutine without a recovery ends the whole process, and so every data source of Grafana's server that this
// plugin serves. Only this package starts goroutines, with [Go], [Group], [AfterFunc] and [WhenDone], and package cache, whose shared
// loads catch their panics. A test holds all packages to that.
package panics

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"golang.org/x/sync/errgroup"
)

// Err is the error of every panic. It does not contain the value of the panic, which may contain an address or a secret.
var Err = errors.New("an unexpected error in the plugin; Grafana's log has the details")

// Recovered logs the stack of a panic and returns [Err]. Call it in the deferred function that recovers.
func Recovered(ctx context.Context, what string, details ...any) error {
	log.DefaultLogger.FromContext(ctx).Error(what, append(details, "stack", string(debug.Stack()))...)
	return Err
}

// Catch sets *err to [Err] if the function that defers it panics. Defer it directly.
func Catch(ctx context.Context, what string, err *error) {
	if recover() != nil {
		*err = Recovered(ctx, what)
	}
}

// Go runs f in a goroutine. A panic is logged and ends that goroutine only.
func Go(ctx context.Context, what string, f func()) {
	go func() {
		var logged error
		defer Catch(ctx, what, &logged)
		f()
	}()
}

// AfterFunc is [time.AfterFunc] of a function whose panic is logged.
func AfterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, logging(f)) }

// WhenDone is [context.AfterFunc] of a function whose panic is logged.
func WhenDone(ctx context.Context, f func()) (stop func() bool) {
	return context.AfterFunc(ctx, logging(f))
}

// logging is a function that logs its panic.
func logging(f func()) func() {
	return func() {
		var logged error
		defer Catch(context.Background(), "A callback panicked", &logged)
		f()
	}
}

// Group runs functions concurrently, as [errgroup.Group] does. A panic is the error of its function.
type Group struct {
	*errgroup.Group
	ctx context.Context
}

// NewGroup makes a group, and a context that is canceled after its first error, and after Wait. Functions without that context all run
// to their end.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return &Group{group, ctx}, ctx
}

// Go runs a function, and waits for room if there is a limit.
func (g *Group) Go(f func() error) {
	g.Group.Go(func() (err error) {
		defer Catch(g.ctx, "A part of a query panicked", &err)
		return f()
	})
}
