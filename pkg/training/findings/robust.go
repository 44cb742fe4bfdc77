package findings

import (
	"math"
	"slices"
)

// median is the middle of values, NaN if there are none. It takes O(n log n).
func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile interpolates linearly between the closest ranks; share is from 0 to 1.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	at := share * float64(len(sorted)-1)
	below := int(at)
	if below+1 == len(sorted) {
		return sorted[below]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

// normalMAD makes the median absolute deviation of normally distributed values their standard deviation: 1 / Φ⁻¹(3/4).
const normalMAD = 1.4826

// deviation is the standard deviation of values as their median absolute deviation estimates it.
func deviation(values []float64) float64 {
	center := median(values)
	distances := make([]float64, len(values))
	for i, value := range values {
		distances[i] = math.Abs(value - center)
	}
	return normalMAD * median(distances)
}

// noiseOf is the standard deviation of values around their trend, estimated from differences of neighbors: those of a trend
// that changes slowly are small, and a difference of two values has √2 times the deviation of one.
func noiseOf(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	differences := make([]float64, len(values)-1)
	for i := range differences {
		differences[i] = values[i+1] - values[i]
	}
	return deviation(differences) / math.Sqrt2
}

// runningMedians has at each position the median of the value there and of up to width-1 before it. It takes O(n).
func runningMedians(values []float64, width int) []float64 {
	medians := make([]float64, len(values))
	for i := range values {
		medians[i] = median(values[max(0, i-width+1) : i+1])
	}
	return medians
}

// maxSlopePoints bounds the points of a slope, which takes the square of their number.
const maxSlopePoints = 120

// slope is the slope of Theil and Sen, the median of the slopes between all pairs of points, with an interval in which it is
// with a probability of 95 %, after Sen (1968, doi.org/10.1080/01621459.1968.10480934). More than maxSlopePoints points are
// first made as many medians of neighbors. It is all NaN for fewer than three points, or if all x are the same.
func slope(x, y []float64) (center, low, high float64) {
	x, y = condense(x), condense(y)
	slopes := make([]float64, 0, len(x)*(len(x)-1)/2)
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			if x[j] != x[i] {
				slopes = append(slopes, (y[j]-y[i])/(x[j]-x[i]))
			}
		}
	}
	if len(x) < 3 || len(slopes) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	slices.Sort(slopes)
	n := float64(len(x))
	// 1.96 standard deviations of Kendall's S on either side of the middle of the sorted slopes.
	margin := 1.96 * math.Sqrt(n*(n-1)*(2*n+5)/18) / 2
	middle := float64(len(slopes)-1) / 2
	at := func(rank float64) float64 {
		return slopes[int(math.Round(min(max(rank, 0), float64(len(slopes)-1))))]
	}
	return median(slopes), at(middle - margin), at(middle + margin)
}

// condense makes more than maxSlopePoints values as many medians of neighbors.
func condense(values []float64) []float64 {
	if len(values) <= maxSlopePoints {
		return values
	}
	condensed := make([]float64, maxSlopePoints)
	for i := range condensed {
		condensed[i] = median(values[i*len(values)/maxSlopePoints : (i+1)*len(values)/maxSlopePoints])
	}
	return condensed
}
