package rangecache_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/rangecache"
)

// instants counts how often it is asked, and answers with the number of times.
type instants struct {
	p        *fakePlatform
	asked    int
	warnings []string
	err      error
}

func (i *instants) ask(t *testing.T, c *rangecache.Cache, expr string, at time.Time) (value float64, answered time.Time) {
	t.Helper()
	got, _, err := c.Instant(context.Background(), expr, at, func(context.Context) (*rangecache.Answer, error) {
		i.asked++
		frame := data.NewFrame("", data.NewField("Time", nil, []time.Time{at}), data.NewField("Value", data.Labels{"a": "b"}, []float64{float64(i.asked)}))
		return &rangecache.Answer{Result: &promjson.Result{Type: promjson.Vector, Frames: data.Frames{frame}, Warnings: i.warnings}, Served: i.p.now()}, i.err
	})
	if i.err != nil {
		require.ErrorIs(t, err, i.err)
		return 0, at
	}
	require.NoError(t, err)
	return got.Frames[0].Fields[1].At(0).(float64), got.Frames[0].Fields[0].At(0).(time.Time)
}

func TestQuestionsAboutThePresentShareAnAnswer(t *testing.T) {
	p := newPlatform()
	c := newCache(t, p)
	i := &instants{p: p}
	for _, second := range []time.Duration{5, 20, 59} {
		p.set(noon.Add(second * time.Second))
		value, at := i.ask(t, c, "up", p.now())
		require.Equal(t, 1.0, value)
		require.Equal(t, noon.Add(5*time.Second), at, "an answer says of what time it is")
	}
	p.set(noon.Add(minute))
	value, at := i.ask(t, c, "up", p.now())
	require.Equal(t, 2.0, value)
	require.Equal(t, noon.Add(minute), at)
}

func TestInstantsOfThePastAreExact(t *testing.T) {
	p := newPlatform()
	c := newCache(t, p)
	i := &instants{p: p}
	long, recently := noon.Add(-time.Hour), noon.Add(-5*minute)
	for range 2 {
		_, _ = i.ask(t, c, "up", long)
		_, _ = i.ask(t, c, "up", long.Add(time.Second))
		_, _ = i.ask(t, c, "up", recently)
	}
	require.Equal(t, 3, i.asked)
	p.advance(minute)
	_, _ = i.ask(t, c, "up", long)
	require.Equal(t, 3, i.asked, "nothing changes an hour later")
	_, _ = i.ask(t, c, "up", recently)
	require.Equal(t, 4, i.asked, "but samples of five minutes ago may be late")
	p.advance(31 * 24 * time.Hour)
	_, _ = i.ask(t, c, "up", long)
	require.Equal(t, 5, i.asked, "and those of a month ago are gone")
}

func TestInstantsThatAreNotKept(t *testing.T) {
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
			_, _ = i.ask(t, c, test.expr, noon)
			_, _ = i.ask(t, c, test.expr, noon)
			require.Equal(t, 2, i.asked)
		})
	}
	t.Run("with a clock that is set back", func(t *testing.T) {
		p := newPlatform()
		c := newCache(t, p)
		i := &instants{p: p}
		_, _ = i.ask(t, c, "up", noon)
		p.advance(-time.Second)
		_, _ = i.ask(t, c, "up", noon)
		require.Equal(t, 2, i.asked)
	})
	t.Run("by a cache that is off", func(t *testing.T) {
		p := newPlatform()
		c := newCacheWith(t, p, 0)
		i := &instants{p: p}
		_, _ = i.ask(t, c, "up", noon)
		_, _ = i.ask(t, c, "up", noon)
		require.Equal(t, 2, i.asked)
	})
}

func TestLookupsServeForAMinute(t *testing.T) {
	p := newPlatform()
	c := newCache(t, p)
	asked := 0
	look := func(key string, partial bool) int {
		found, err := c.Lookup(context.Background(), key, func(context.Context) (*rangecache.Lookup, error) {
			asked++
			return &rangecache.Lookup{Value: asked, Bytes: 8, Partial: partial}, nil
		})
		require.NoError(t, err)
		return found.Value.(int)
	}
	require.Equal(t, 1, look("labels", false))
	p.advance(59 * time.Second)
	require.Equal(t, 1, look("labels", false))
	require.Equal(t, 2, look("values", true))
	require.Equal(t, 3, look("values", true), "a part of the truth is not kept")
	p.advance(time.Second)
	require.Equal(t, 4, look("labels", false))
	p.advance(-time.Hour)
	require.Equal(t, 5, look("labels", false), "nor what comes from the future")
}
