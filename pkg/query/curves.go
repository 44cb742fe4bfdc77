package query

import (
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"
)

// Curve is numbers over an axis of numbers, which ascend.
type Curve struct{ X, Y []float64 }

// maxCurveCells bounds a table of curves.
const maxCurveCells = 1_000_000

// CurveTable is curves over one axis, for Grafana's trend and XY panels: a row for each x of any curve, with the axis and a value of each
// curve, or null. It has the first curves, of as many cells as its bound allows, and shown is how many. axis and field make its fields.
func CurveTable(name string, curves []Curve, axis func(x []float64) *data.Field, field func(curve int, values []*float64) *data.Field) (table *data.Frame, shown int) {
	var x []float64
	for i, one := range curves {
		all := union(x, one.X)
		if i > 0 && len(all)*(i+1) > maxCurveCells {
			break
		}
		x, shown = all, i+1
	}
	// Without curves the axis is there, without rows: Grafana's trend panel says that it is missing, or else that there is no data.
	table = Table(name, axis(x))
	table.Meta.PreferredVisualization, table.Meta.PreferredVisualizationPluginID = "", "trend"
	for i, one := range curves[:shown] {
		table.Fields = append(table.Fields, field(i, one.on(x)))
	}
	return table, shown
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
func (c Curve) on(axis []float64) []*float64 {
	values := make([]*float64, len(axis))
	for row, i := 0, 0; row < len(axis) && i < len(c.X); row++ {
		if axis[row] == c.X[i] {
			values[row] = &c.Y[i]
			i++
		}
	}
	return values
}
