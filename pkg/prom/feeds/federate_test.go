package feeds_test

import (
	"context"
	"io"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/feeds"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

var noon = time.Date(2025, 6, 2, 12, 0, 0, 0, time.UTC)

// engine has two series of one metric, the newest sample of one of which is NaN. VictoriaMetrics knows now().
type engine struct{ isVictoriaMetrics bool }

func (e *engine) Range(context.Context, promql.Query) (*promql.Result, error) { panic("not used") }

func (e *engine) List(context.Context, promql.ListQuery) (*promql.List, error) { panic("not used") }

func (e *engine) Instant(_ context.Context, q promql.Query) (*promql.Result, error) {
	var b series.Builder
	switch {
	case q.Expr == "now()" && !e.isVictoriaMetrics:
		return nil, &transport.Error{Kind: transport.ErrBadRequest}
	case strings.HasPrefix(q.Expr, "count"):
		b.Add(data.Labels{"__name__": "up"}, []int64{q.End}, []float64{2})
	default:
		b.Add(data.Labels{"__name__": "up", "instance": "a"}, []int64{q.End - 1000}, []float64{1})
		b.Add(data.Labels{"__name__": "up", "instance": "b"}, []int64{q.End - 1000}, []float64{math.NaN()})
	}
	return &promql.Result{Type: promql.Vector, Matrix: b.Matrix()}, nil
}

// NaN ends a series in VictoriaMetrics, and is a value in Prometheus. Which of them it is, is asked again after five minutes: another
// engine may have taken the place of the first.
func TestFederate_LearnsTheEngineAgain(t *testing.T) {
	of, now := &engine{isVictoriaMetrics: true}, noon
	feed := &feeds.Feed{Source: of, Interval: time.Minute, Now: func() time.Time { return now }}
	federated := func() string {
		var b strings.Builder
		require.NoError(t, feed.Federate(t.Context(), url.Values{"match[]": {"up"}}, func() io.Writer { return &b }))
		return b.String()
	}
	require.NotContains(t, federated(), "NaN")
	of.isVictoriaMetrics = false
	require.NotContains(t, federated(), "NaN")
	now = now.Add(5 * time.Minute)
	require.Contains(t, federated(), `up{instance="b"} NaN`)
}
