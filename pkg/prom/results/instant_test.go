package results_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/results"
)

// instants counts the requests of instant queries, and returns the count as their value.
type instants struct {
	p        *fakePlatform
	requests int
	warnings []string
	err      error
}

func (i *instants) query(t *testing.T, c *results.Cache, expr string, at time.Time) (value float64, resultTime time.Time) {
	t.Helper()
	i.p.instant = func() (*response, error) {
		i.requests++
		frame := data.NewFrame("", data.NewField("Time", nil, []time.Time{at}), data.NewField("Value", data.Labels{"a": "b"}, []float64{float64(i.requests)}))
		return &response{Result: promql.Result{Type: parser.ValueTypeVector, Warnings: i.warnings}, Frames: data.Frames{frame}, Date: i.p.now()}, i.err
	}
	got, err := c.Evaluate(context.Background(), promql.New(expr).At(at))
	if i.err != nil {
		require.ErrorIs(t, err, i.err)
		return 0, at
	}
	require.NoError(t, err)
	return got.Matrix.Series[0].Values[0], time.UnixMilli(got.Matrix.Series[0].Times[0]).UTC()
}

func TestInstant_PresentIsShared(t *testing.T) {
	p := newPlatform()
	c := newCache(t, p)
	i := &instants{p: p}
	for _, second := range []time.Duration{5, 20, 59} {
		p.set(noon.Add(second * time.Second))
		value, at := i.query(t, c, "up", p.now())
		require.Equal(t, 1.0, value)
		require.Equal(t, p.now(), at, "the result has the time of the query")
	}
	p.set(noon.Add(minute))
	value, at := i.query(t, c, "up", p.now())
	require.Equal(t, 2.0, value)
	require.Equal(t, noon.Add(minute), at)
}

func TestInstant_Past(t *testing.T) {
	p := newPlatform()
	c := newCache(t, p)
	i := &instants{p: p}
	for range 2 {
		_, _ = i.query(t, c, "up", noon.Add(-time.Hour))
		_, _ = i.query(t, c, "up", noon.Add(-time.Hour+time.Second))
	}
	require.Equal(t, 2, i.requests)
	p.advance(minute)
	_, _ = i.query(t, c, "up", noon.Add(-time.Hour))
	require.Equal(t, 3, i.requests)
}

func TestInstant_NotCached(t *testing.T) {
	for name, test := range map[string]struct {
		expr     string
		warnings []string
		err      error
	}{
		"of another language": {expr: "rand()"},
		"with a warning":      {expr: "up", warnings: []string{"partial"}},
		"an error":            {expr: "up", err: errors.New("overloaded")},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform()
			i := &instants{p: p, warnings: test.warnings, err: test.err}
			c := newCache(t, p)
			_, _ = i.query(t, c, test.expr, noon)
			_, _ = i.query(t, c, test.expr, noon)
			require.Equal(t, 2, i.requests)
		})
	}
	t.Run("with a clock that is set back", func(t *testing.T) {
		p := newPlatform()
		c := newCache(t, p)
		i := &instants{p: p}
		_, _ = i.query(t, c, "up", noon)
		p.advance(-time.Second)
		_, _ = i.query(t, c, "up", noon)
		require.Equal(t, 2, i.requests)
	})
	t.Run("by a cache that is off", func(t *testing.T) {
		p := newPlatform()
		c := newCacheWith(t, p, 0)
		i := &instants{p: p}
		_, _ = i.query(t, c, "up", noon)
		_, _ = i.query(t, c, "up", noon)
		require.Equal(t, 2, i.requests)
	})
}
