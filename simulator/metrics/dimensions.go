package metrics

import (
	"math"
	"strconv"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// dimensions are the set of a family's series: every combination of a point of each axis.
type dimensions []axis

// with returns the dimensions with one more axis.
func (s dimensions) with(a axis) dimensions { return append(s[:len(s):len(s)], a) }

// axis is one dimension of a family: nodes, GPUs, devices, buckets… Each of its points gives the series
// on it the same label values.
type axis struct {
	names  []string                  // of the labels
	points func(w window) [][]string // label values, in the order of names
	apply  func(s *series, i int, w window)
	parts  bool // the points divide one thing, such as buckets or modes: they rise and fall together
}

// dividing marks an axis whose points are parts of one thing.
func dividing(a axis) axis {
	a.parts = true
	return a
}

// fixed makes an axis whose points are the same at all times.
func fixed(names []string, points [][]string, apply func(s *series, i int)) axis {
	return axis{
		names:  names,
		points: func(window) [][]string { return points },
		apply:  func(s *series, i int, _ window) { apply(s, i) },
	}
}

// enum makes an axis of one label with the given values; its position ends up in series.position.
func enum(name string, values ...string) axis {
	return fixed([]string{name}, column1(values), func(s *series, i int) { s.position = i })
}

func column1(values []string) [][]string {
	points := make([][]string, len(values))
	for i, v := range values {
		points[i] = []string{v}
	}
	return points
}

// numbered returns "0", "1", … up to n values.
func numbered(n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = strconv.Itoa(i)
	}
	return values
}

// bucketAxis is the label "le" of a histogram's buckets.
var bucketAxis = func() axis {
	values := make([]string, len(bounds))
	for i, b := range bounds {
		values[i] = "+Inf"
		if !math.IsInf(b, 1) {
			values[i] = strconv.FormatFloat(b, 'g', -1, 64)
		}
	}
	return dividing(fixed([]string{labels.BucketLabel}, column1(values), func(s *series, i int) { s.bucket = i }))
}()

// chosen is an axis with those of its points that a query's matchers let through.
type chosen struct {
	axis
	values [][]string
	kept   []int
}

// choose applies matchers to dimensions. It returns false when no series can match.
// Metric names are not looked at.
func (s dimensions) choose(w window, matchers []*labels.Matcher) ([]chosen, bool) {
	axes := make([]chosen, len(s))
	known := map[string]bool{model.MetricNameLabel: true}
	for i, a := range s {
		axes[i] = chosen{axis: a, values: a.points(w)}
		for _, name := range a.names {
			known[name] = true
		}
		axes[i].keep(matchers)
		if len(axes[i].kept) == 0 {
			return nil, false
		}
	}
	for _, m := range matchers {
		if !known[m.Name] && !m.Matches("") {
			return nil, false
		}
	}
	return axes, true
}

func (c *chosen) keep(matchers []*labels.Matcher) {
	for i, values := range c.values {
		if matchesPoint(c.names, values, matchers) {
			c.kept = append(c.kept, i)
		}
	}
}

func matchesPoint(names, values []string, matchers []*labels.Matcher) bool {
	for _, m := range matchers {
		for i, name := range names {
			if name == m.Name && !m.Matches(values[i]) {
				return false
			}
		}
	}
	return true
}

// each calls fn with the combinations of the kept points, one index an axis. The slice is reused.
func each(axes []chosen, fn func(point []int)) {
	point := make([]int, len(axes))
	var walk func(depth int)
	walk = func(depth int) {
		if depth == len(axes) {
			fn(point)
			return
		}
		for _, i := range axes[depth].kept {
			point[depth] = i
			walk(depth + 1)
		}
	}
	walk(0)
}

// entityOf hashes what a combination of points measures, for metrics of every name.
func entityOf(axes []chosen, point []int) uint64 {
	entity := uint64(0)
	for d, i := range point {
		if !axes[d].parts {
			entity = scenario.Mix(entity, uint64(i))
		}
	}
	return entity
}
