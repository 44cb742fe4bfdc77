package runs

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxCells bounds a table of curves.
const maxCells = 1_000_000

// overAxis is one frame with a row for each x of any curve, for Grafana's trend and XY panels: the axis and a value of each curve, or null. It
// has the first curves, of as many cells as its bound allows. Elapsed time is in hours, because Grafana marks an axis at round numbers of its unit.
func (q *comparison) overAxis(t *task, curves []curve) *data.Frame {
	var axis []float64
	shown := 0
	for i, one := range curves {
		all := union(axis, one.x)
		if i > 0 && len(all)*(i+1) > maxCells {
			break
		}
		axis, shown = all, i+1
	}
	name, config, scale := axisElapsed, &data.FieldConfig{Unit: "suffix:h"}, 1/time.Hour.Seconds()
	if q.Axis == axisStep {
		name, config, scale = axisStep, nil, 1
	}
	// Without curves the axis is there, without rows: Grafana's trend panel says that it is missing, or else that there is no data.
	frame := query.Table("", query.Column(name, axis, config, func(x float64) float64 { return x * scale }))
	frame.Meta.PreferredVisualization, frame.Meta.PreferredVisualizationPluginID = "", "trend"
	for _, one := range curves[:shown] {
		frame.Fields = append(frame.Fields, curveField(one, curves, one.on(axis)))
	}
	if shown < len(curves) {
		t.notices.Cut("Only %d of %d curves are shown. Choose fewer runs, or aggregate the expression.", shown, len(curves))
	}
	return frame
}

// union is the sorted numbers of two sorted lists, each once. Curves mostly have the same x.
func union(a, b []float64) []float64 {
	if slices.Equal(a, b) {
		return a
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// on is the values of the curve at each x of an axis that has all of its own, nil where it has none.
func (c *curve) on(axis []float64) []*float64 {
	values := make([]*float64, len(axis))
	for row, i := 0, 0; row < len(axis) && i < len(c.x); row++ {
		if axis[row] == c.x[i] {
			values[row] = &c.y[i]
			i++
		}
	}
	return values
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
