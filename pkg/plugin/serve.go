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

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// stopWithin is how long the process waits, once it is asked to end, for what is under way to be told.
	stopWithin = 2 * time.Second
	// lastWords is how long answers take at most to leave the process.
	lastWords = 100 * time.Millisecond
)

// errStopping is what whoever waits for an answer is told when the process is asked to end.
var errStopping = &transport.Error{
	Kind: transport.ErrUnavailable, Status: http.StatusServiceUnavailable,
	Message: "The data source's process is being stopped, so this was not answered. Try again in a moment.",
}

// Serve answers Grafana, until Grafana ends the process or the system asks it to end (SIGTERM, which a service manager sends
// to Grafana and its plugins alike). What is under way then ends with a sentence instead of a broken connection.
func Serve() error {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	go func() {
		<-asked
		process.stop(stopWithin)
		time.Sleep(lastWords)
		os.Exit(0)
	}()
	return datasource.Manage(ID, New, datasource.ManageOpts{})
}

// process is what is under way in this process, over all data sources.
var process = newLife()

// life is the time in which questions are answered.
type life struct {
	context.Context
	end      context.CancelCauseFunc
	underWay atomic.Int64
}

func newLife() *life {
	ctx, end := context.WithCancelCause(context.Background())
	return &life{Context: ctx, end: end}
}

// join makes the context of a question, which ends with the process at the latest. The caller calls leave when it is answered.
func (l *life) join(ctx context.Context) (joined context.Context, leave func()) {
	l.underWay.Add(1)
	joined, cancel := context.WithCancelCause(ctx)
	unlink := context.AfterFunc(l, func() { cancel(errStopping) })
	return joined, func() {
		unlink()
		cancel(nil)
		l.underWay.Add(-1)
	}
}

// stop ends what is under way, and waits until it has been answered, but not for long.
func (l *life) stop(within time.Duration) {
	l.end(errStopping)
	for deadline := time.Now().Add(within); l.underWay.Load() > 0 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
}

// why is the reason for an error: that the process is being stopped, if that is what ended the question.
func why(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errStopping) {
		return errStopping
	}
	return err
}
