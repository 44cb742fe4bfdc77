// Package logtest records in tests what the backend logs.
package logtest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/grafana/grafana-plugin-sdk-go/backend/log"
)

// Lines are the lines of a log.
type Lines struct {
	mu   sync.Mutex
	text strings.Builder
}

// String returns all lines, each with its message and what is logged with it.
func (l *Lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// recorder is a logger that records lines from a level on.
type recorder struct {
	level log.Level
	with  []any
	lines *Lines
}

// New is a logger that records lines from a level on.
func New(level log.Level) (log.Logger, *Lines) {
	lines := &Lines{}
	return recorder{level: level, lines: lines}, lines
}

// Capture replaces the SDK's logger until the test ends.
func Capture(t *testing.T, level log.Level) *Lines {
	t.Helper()
	before := log.DefaultLogger
	logger, lines := New(level)
	log.DefaultLogger = logger
	t.Cleanup(func() { log.DefaultLogger = before })
	return lines
}

func (r recorder) record(level log.Level, msg string, args []any) {
	if level < r.level {
		return
	}
	r.lines.mu.Lock()
	defer r.lines.mu.Unlock()
	_, _ = fmt.Fprintln(&r.lines.text, msg, r.with, args)
}

func (r recorder) Debug(msg string, args ...any)          { r.record(log.Debug, msg, args) }
func (r recorder) Info(msg string, args ...any)           { r.record(log.Info, msg, args) }
func (r recorder) Warn(msg string, args ...any)           { r.record(log.Warn, msg, args) }
func (r recorder) Error(msg string, args ...any)          { r.record(log.Error, msg, args) }
func (r recorder) FromContext(context.Context) log.Logger { return r }
func (r recorder) Level() log.Level                       { return r.level }

func (r recorder) With(args ...any) log.Logger {
	r.with = append(r.with[:len(r.with):len(r.with)], args...)
	return r
}
