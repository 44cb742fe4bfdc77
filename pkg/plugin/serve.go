package plugin

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/datasource"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// shutdownTimeout bounds the wait for queries that are under way, after the signal to terminate.
	shutdownTimeout = 2 * time.Second
	// drainTimeout is the time for their responses to be sent.
	drainTimeout = 100 * time.Millisecond
)

// errShutdown is the error of queries that are under way when the process terminates.
var errShutdown = &transport.Error{
	Kind: transport.ErrUnavailable, Status: http.StatusServiceUnavailable,
	Message: "The data source's process is being stopped, so this was not run. Try again in a moment.",
}

// Serve serves Grafana until Grafana ends the process, or until SIGTERM, which a service manager sends to Grafana and its
// plugins alike. Queries that are under way then end with an error message instead of a broken connection.
func Serve() error {
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	panics.Go(context.Background(), "The shutdown panicked", func() {
		<-terminate
		inFlight.shutdown(shutdownTimeout)
		time.Sleep(drainTimeout)
		os.Exit(0)
	})
	return datasource.Manage(ID, New, datasource.ManageOpts{})
}

// inFlight are the queries and resources under way in this process, over all data sources.
var inFlight = newLifecycle()

// lifecycle tracks queries until the shutdown of the process.
type lifecycle struct {
	context.Context
	end      context.CancelCauseFunc
	underWay atomic.Int64
}

func newLifecycle() *lifecycle {
	ctx, end := context.WithCancelCause(context.Background())
	return &lifecycle{Context: ctx, end: end}
}

// track makes the context of a query, which ends at the latest with the process. The caller calls release after the query.
func (l *lifecycle) track(ctx context.Context) (joined context.Context, release func()) {
	l.underWay.Add(1)
	joined, cancel := context.WithCancelCause(ctx)
	unregister := panics.WhenDone(l, func() { cancel(errShutdown) })
	return joined, func() {
		unregister()
		cancel(nil)
		l.underWay.Add(-1)
	}
}

// shutdown cancels what is under way, and waits for its end at most for the given time.
func (l *lifecycle) shutdown(within time.Duration) {
	l.end(errShutdown)
	for deadline := time.Now().Add(within); l.underWay.Load() > 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
}

// shutdownCause replaces an error by errShutdown if the shutdown canceled the query.
func shutdownCause(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errShutdown) {
		return errShutdown
	}
	return err
}
