package runs

import (
	"maps"
	"math"
	"slices"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// maxGapSteps is how many of a curve's usual distances two of its points may be apart for values in between.
const maxGapSteps = 2.5

// differences are the curves minus those of the baseline, at the points of the baseline. Between two points of a run the value
// is interpolated, but not across gaps. A run's series is compared with that of the baseline with the same labels, or if both
// have one series, with that.
func (t *task) differences(curves []curve, baseline *allocated) []curve {
	of := map[*allocated][]curve{}
	for _, one := range curves {
		of[one.run] = append(of[one.run], one)
	}
	var all []curve
	unmatched := 0
	for _, one := range curves {
		if one.run == baseline {
			continue
		}
		base := match(one, of[one.run], of[baseline])
		if base == nil {
			unmatched++
			continue
		}
		difference := curve{run: one.run, labels: one.labels}
		limit := maxGapSteps * medianDistance(one.x)
		for i, x := range base.x {
			if y := one.at(x, limit); !math.IsNaN(y) {
				difference.add(x, y-base.y[i])
			}
		}
		all = append(all, difference)
	}
	if len(all) == 0 && unmatched == 0 && len(curves) > 0 {
		t.notices.Info("Only the baseline %s is chosen. Choose other runs to compare it with.", query.Shorten(baseline.name))
	}
	if unmatched > 0 {
		t.notices.Warn("The baseline %s has no series with the labels of %d others. Aggregate the expression, for example with avg().", query.Shorten(baseline.name), unmatched)
	}
	return all
}

func match(one curve, siblings, baseline []curve) *curve {
	if len(siblings) == 1 && len(baseline) == 1 {
		return &baseline[0]
	}
	for i := range baseline {
		if maps.Equal(one.seriesLabels(), baseline[i].seriesLabels()) {
			return &baseline[i]
		}
	}
	return nil
}

// seriesLabels are the labels of the series that are not those of the run.
func (c *curve) seriesLabels() data.Labels {
	labels := data.Labels{}
	for name, value := range c.labels {
		if _, own := c.run.own[name]; !own && name != "__name__" {
			labels[name] = value
		}
	}
	return labels
}

// at is the value at x, interpolated between points that are no further apart than limit; else NaN.
func (c *curve) at(x, limit float64) float64 {
	i, found := slices.BinarySearch(c.x, x)
	switch {
	case found:
		return c.y[i]
	case i == 0 || i == len(c.x) || c.x[i]-c.x[i-1] > limit:
		return math.NaN()
	}
	share := (x - c.x[i-1]) / (c.x[i] - c.x[i-1])
	return c.y[i-1] + share*(c.y[i]-c.y[i-1])
}

func medianDistance(x []float64) float64 {
	var distances []float64
	for i := 1; i < len(x); i++ {
		distances = append(distances, x[i]-x[i-1])
	}
	return health.Median(distances)
}
