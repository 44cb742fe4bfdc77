package placement_test

import (
	"context"
	"sync"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	upstream "github.com/prometheus/prometheus/promql"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/promtest"
	"github.com/gpucloud/gpucloud-platform-datasource/tests/samples"
)

// engine is Prometheus' engine over series that end now.
type engine struct {
	series samples.List
	sync.Mutex
	queries int
	longest int
}

// Evaluate evaluates an expression as the client of the metrics does.
func (e *engine) Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error) {
	expr, at := q.Expr, time.UnixMilli(q.End)
	e.Lock()
	e.queries++
	e.longest = max(e.longest, len(expr))
	e.Unlock()
	engine := upstream.NewEngine(upstream.EngineOpts{MaxSamples: 50_000_000, Timeout: time.Minute})
	run, err := engine.NewInstantQuery(ctx, e.series, nil, expr, at)
	if q.Step > 0 {
		run, err = engine.NewRangeQuery(ctx, e.series, nil, expr, time.UnixMilli(q.Start), at, time.Duration(q.Step)*time.Millisecond)
	}
	if err != nil {
		return nil, err
	}
	defer run.Close()
	result := run.Exec(ctx)
	var found data.Frames
	frame := func(of labels.Labels, times []time.Time, values []float64) {
		found = append(found, data.NewFrame("", data.NewField("Time", nil, times), data.NewField("Value", of.Map(), values)))
	}
	if q.Step > 0 {
		matrix, err := result.Matrix()
		if err != nil {
			return nil, err
		}
		for _, one := range matrix {
			var times []time.Time
			var values []float64
			for _, p := range one.Floats {
				times, values = append(times, time.UnixMilli(p.T)), append(values, p.F)
			}
			frame(one.Metric, times, values)
		}
		return promtest.Result(found), nil
	}
	vector, err := result.Vector()
	if err != nil {
		return nil, err
	}
	for _, one := range vector {
		frame(one.Metric, []time.Time{at}, []float64{one.F})
	}
	return promtest.Result(found), nil
}

// load adds a series with a value at each of three minutes until now.
func (e *engine) load(metric string, value float64, of labels.Labels) {
	s := &samples.Series{Labels: labels.NewBuilder(of).Set(model.MetricNameLabel, metric).Labels()}
	for ago := range 3 {
		s.Samples = append(s.Samples, samples.Float(noon.Add(time.Duration(ago-2)*time.Minute).UnixMilli(), value))
	}
	e.series = append(e.series, s)
}
