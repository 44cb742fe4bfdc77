package faults

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
	"go.uber.org/goleak"
)

// TestMain replaces the SDK's logger with a recorder. It fails if a goroutine, and with it a connection, outlives the tests.
func TestMain(m *testing.M) {
	log.DefaultLogger, backend.Logger = logged, logged
	goleak.VerifyTestMain(m)
}

// logged is the log of the backend, at all levels.
var logged = &recorder{lines: &lines{}}

type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

type recorder struct {
	lines *lines
	with  []any
}

func (r *recorder) String() string {
	r.lines.mu.Lock()
	defer r.lines.mu.Unlock()
	return r.lines.text.String()
}

func (r *recorder) write(message string, args []any) {
	r.lines.mu.Lock()
	defer r.lines.mu.Unlock()
	_, _ = fmt.Fprintln(&r.lines.text, message, r.with, args)
}

func (r *recorder) Debug(message string, args ...any)      { r.write(message, args) }
func (r *recorder) Info(message string, args ...any)       { r.write(message, args) }
func (r *recorder) Warn(message string, args ...any)       { r.write(message, args) }
func (r *recorder) Error(message string, args ...any)      { r.write(message, args) }
func (r *recorder) Level() log.Level                       { return log.Trace }
func (r *recorder) FromContext(context.Context) log.Logger { return r }
func (r *recorder) With(args ...any) log.Logger {
	return &recorder{r.lines, append(append([]any{}, r.with...), args...)}
}
