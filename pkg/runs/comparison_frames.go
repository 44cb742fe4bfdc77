package runs

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// overAxis is one frame with the axis and a field for each curve. Elapsed time is in hours, because Grafana marks an axis at round numbers
// of its unit.
func (q *comparison) overAxis(t *task, curves []curve) *data.Frame {
	over := make([]query.Curve, len(curves))
	for i, one := range curves {
		over[i] = query.Curve{X: one.x, Y: one.y}
	}
	name, config, scale := axisElapsed, &data.FieldConfig{Unit: "suffix:h"}, 1/time.Hour.Seconds()
	if q.Axis == axisStep {
		name, config, scale = axisStep, nil, 1
	}
	frame, shown := query.CurveTable("", over, func(x []float64) *data.Field {
		return query.Column(name, x, config, func(x float64) float64 { return x * scale })
	}, func(i int, values []*float64) *data.Field { return curveField(curves[i], curves, values) })
	if shown < len(curves) {
		t.notices.Cut("Only %d of %d curves are shown. Choose fewer runs, or aggregate the expression.", shown, len(curves))
	}
	return frame
}

// rebased are time series that start at the left edge of the range, or with the next step.
func (t *task) rebased(curves []curve, step time.Duration) data.Frames {
	left := t.from.Truncate(step)
	frames := make(data.Frames, 0, len(curves))
	for _, one := range curves {
		times, values := make([]time.Time, len(one.x)), make([]float64, len(one.x))
		for i, x := range one.x {
			times[i], values[i] = left.Add(time.Duration(x*float64(time.Second))), one.y[i]
		}
		frames = append(frames, query.TimeSeriesMulti(data.NewField("Time", nil, times), curveField(one, curves, values)))
	}
	if len(frames) == 0 {
		frames = append(frames, query.TimeSeriesMulti())
	}
	return frames
}

func curveField(one curve, all []curve, values any) *data.Field {
	labels := data.Labels{"run": one.run.name, "run_id": one.run.id}
	for name, value := range one.seriesLabels() {
		if labels[name] == "" {
			labels[name] = value
		}
	}
	name := curveName(one, all)
	field := data.NewField(name, labels, values)
	field.Config = &data.FieldConfig{DisplayNameFromDS: name}
	return field
}

// curveName is the name of the run, and if it has several series, their labels.
func curveName(one curve, all []curve) string {
	siblings := 0
	for _, other := range all {
		if other.run == one.run {
			siblings++
		}
	}
	if siblings < 2 {
		return one.run.name
	}
	labels := one.seriesLabels()
	var named []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		named = append(named, name+"="+labels[name])
	}
	return one.run.name + " {" + strings.Join(named, ", ") + "}"
}
