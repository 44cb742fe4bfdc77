package health

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Median is the middle of values, or the mean of the two in the middle; NaN if there are none.
func Median(values []float64) float64 { return quantile(values, 0.5) }

// quantile interpolates linearly between the closest ranks; share is from 0 to 1.
func quantile(values []float64, share float64) float64 {
	return quantileOf(slices.Clone(values), share)
}

// quantileOf is [quantile] of values that may be reordered.
func quantileOf(values []float64, share float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	at := share * float64(len(values)-1)
	below := int(at)
	above := min(below+1, len(values)-1)
	return values[below] + (at-float64(below))*(values[above]-values[below])
}

// normalMAD makes the median absolute deviation of normally distributed values their standard deviation: 1 / Φ⁻¹(3/4).
const normalMAD = 1.4826

// deviation is the standard deviation of values as their median absolute deviation estimates it.
func deviation(values []float64) float64 { return deviationOf(slices.Clone(values)) }

// deviationOf is [deviation] of values that may be changed.
func deviationOf(values []float64) float64 {
	center := quantileOf(values, 0.5)
	for i, value := range values {
		values[i] = math.Abs(value - center)
	}
	return normalMAD * quantileOf(values, 0.5)
}

// noiseOf is the standard deviation of values around their trend, estimated from differences of neighbors: those of a trend
// that changes slowly are small, and a difference of two values has √2 times the deviation of one. It is 0 for fewer than two.
func noiseOf(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	differences := make([]float64, len(values)-1)
	for i := range differences {
		differences[i] = values[i+1] - values[i]
	}
	return deviationOf(differences) / math.Sqrt2
}

// lastDigit is what one more in the last digit is of the values, as they are written: 0.01 of 0.3 and 0.31.
func lastDigit(values []float64) float64 {
	most := 0
	for _, value := range values {
		_, decimals, _ := strings.Cut(strconv.FormatFloat(value, 'f', -1, 64), ".")
		most = max(most, len(decimals))
	}
	return math.Pow10(-most)
}

// longestLag is over how many points correlated noise is looked for.
const longestLag = 16

// mostGrowth is how much larger than between neighbors differences are at the longest lag at most. With a correlation of 0.95 they are 3.7 times as
// large; values without any noise would have no bound.
const mostGrowth = 4

// swayOf is how far values leave their trend for many points. Noise that is correlated from point to point looks small between neighbors: with a
// correlation of 0.95, they differ by a third of its standard deviation. So differences from the middle of two values, which a
// straight trend does not change, are taken at lags of 1, 2, 4, 8 and 16 points; and the more they grow with the lag, the further
// the values go beyond the longest.
func swayOf(values []float64) float64 {
	var first, largest float64
	bends := make([]float64, len(values))
	for lag := 1; lag <= longestLag && 3*lag < len(values); lag *= 2 {
		bends = bends[:len(values)-2*lag]
		for i := range bends {
			bends[i] = values[i] - 2*values[i+lag] + values[i+2*lag]
		}
		of := deviationOf(bends) / math.Sqrt(6)
		if lag == 1 {
			first = of
		}
		largest = max(largest, of)
	}
	if largest == 0 {
		return 0
	}
	return largest * math.Sqrt(largest/max(first, largest/mostGrowth))
}

// runningMedians has at each position the median of the value there and of up to width-1 before it. It takes O(n).
func runningMedians(values []float64, width int) []float64 {
	medians, window := make([]float64, len(values)), make([]float64, 0, width)
	for i := range values {
		window = append(window[:0], values[max(0, i-width+1):i+1]...)
		medians[i] = quantileOf(window, 0.5)
	}
	return medians
}

// medianError × the deviation of n points ÷ √n is the standard error of their median: √(π/2).
const medianError = 1.25

// independence is as how many values without correlation each of some counts: (1 - r) / (1 + r) with a correlation r of neighbors, which is
// 1 - half of the mean square of their differences, as a share of the variance.
func independence(values []float64) float64 {
	center, squares, differences := Median(values), 0.0, 0.0
	for i, value := range values {
		squares += (value - center) * (value - center)
		if i > 0 {
			differences += (value - values[i-1]) * (value - values[i-1])
		}
	}
	if differences >= 2*squares {
		return 1
	}
	differing := differences / squares / 2
	return differing / (2 - differing)
}
