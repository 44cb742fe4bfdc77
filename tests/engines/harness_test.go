//go:build engines

package engines

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/plugin"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/datasource"
)

var (
	samples dataset
	running []*engine
)

// TestMain runs the engines with the same samples during the tests.
func TestMain(m *testing.M) {
	code, err := runWithEngines(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runWithEngines(m *testing.M) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "engines-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	samples = newDataset(time.Now())
	for _, start := range []func(context.Context, string) (*engine, error){startPrometheus, startVictoriaMetrics} {
		own, err := os.MkdirTemp(dir, "")
		if err != nil {
			return 1, err
		}
		e, err := start(ctx, own)
		if err != nil {
			return 1, err
		}
		defer e.stop()
		if err := e.write(ctx, samples); err != nil {
			return 1, err
		}
		running = append(running, e)
	}
	return m.Run(), nil
}

// onEach runs a test for each engine.
func onEach(t *testing.T, test func(t *testing.T, e *engine)) {
	t.Helper()
	for _, e := range running {
		t.Run(e.name, func(t *testing.T) { test(t, e) })
	}
}

// newDatasource is a data source of the plugin whose metrics endpoint is an engine.
func newDatasource(t *testing.T, engine *url.URL) *plugin.Datasource {
	t.Helper()
	return datasource.New(t, map[string]any{"metricsUrl": engine.String()}, map[string]string{"monitoringToken": "any"})
}

// equal compares results of the plugin and of the engine, or with and without the cache.
func equal(t *testing.T, e *engine, want, got points, what string, args ...any) {
	t.Helper()
	differences := 0
	var first string
	differ := func(format string, args ...any) {
		if differences++; first == "" {
			first = fmt.Sprintf(format, args...)
		}
	}
	for series, list := range want {
		others := got[series]
		if len(list) != len(others) {
			differ("%s: %d samples, and %d are expected", series, len(others), len(list))
		}
		for i := range min(len(list), len(others)) {
			if !list[i].same(others[i], e.rounding) {
				differ("%s: sample %d is %v, and %v is expected", series, i, others[i], list[i])
			}
		}
	}
	for series := range got {
		if want[series] == nil {
			differ("%s is not expected", series)
		}
	}
	if differences > 0 {
		t.Errorf("%s: %d differences; %s", fmt.Sprintf(what, args...), differences, first)
	}
}
