package health_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// everFound is which kinds are found about a curve at any of its reports, of every few, from the tenth on: what is found lasts for some reports.
func everFound(points []health.Point, every int) map[health.Kind]bool {
	seen := map[health.Kind]bool{}
	for i := 10; i <= len(points); i += every {
		curve := health.Curve{Metric: "train_loss", Direction: health.Lower, Points: points[:i]}
		for _, f := range health.Examine(curve) {
			seen[f.Kind] = true
		}
	}
	return seen
}

// TestExamine_ValidationOfBatches has a validation loss of a batch with each step, with a noise of 20 %, in runs that become flat while training
// goes on improving.
func TestExamine_ValidationOfBatches(t *testing.T) {
	const runs = 100
	found := 0
	for seed := range uint64(runs) {
		chance := rand.New(rand.NewPCG(seed, 10))
		count, fall := 100+chance.IntN(400), between(chance, 0.1, 0.8)
		validation, training := make([]float64, count), make([]float64, count)
		for i := range validation {
			share := float64(i) / float64(count)
			training[i] = 2 * math.Exp(-fall*(1-math.Exp(-4*share))-0.2*share+0.1*chance.NormFloat64())
			validation[i] = 2.1 * math.Exp(-fall*(1-math.Exp(-6*share))+0.2*chance.NormFloat64())
		}
		for n := 10; n <= count; n += 14 {
			curve := health.Curve{Metric: "valid_loss", Direction: health.Lower, Points: points(validation)[:n], Training: points(training)[:n]}
			if slices.Contains(kinds(health.Examine(curve)), health.Overfitting) {
				found++
				break
			}
		}
	}
	t.Logf("%d of %d", found, runs)
	require.LessOrEqual(t, found, runs*8/100)
}

// TestExamine_CorrelatedNoise looks at healthy curves as they grow. Of other seeds than those that thresholds were chosen on, no
// more may ever be found to diverge than docs/reference/accuracy.md says.
func TestExamine_CorrelatedNoise(t *testing.T) {
	for name, test := range map[string]struct {
		world           func(uint64) []float64
		runs, diverging int
	}{"learning": {correlated, 40, 0}, "settled": {settled, 40, 0}, "nearly flat": {nearlyFlat, 500, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counts := map[health.Kind]int{}
			for seed := range uint64(test.runs) {
				for kind := range everFound(points(test.world(20_000+seed)), 8) {
					counts[kind]++
				}
			}
			t.Logf("of %d healthy runs with correlated noise: %v", test.runs, counts)
			require.Zero(t, counts[health.NotFinite])
			require.LessOrEqual(t, counts[health.Diverging], test.diverging)
		})
	}
}

// TestExamine_PublicRuns looks at raw losses of real runs, all of which ended well, as they grow.
func TestExamine_PublicRuns(t *testing.T) {
	found := map[health.Kind][]string{}
	for _, r := range publicRuns(t) {
		for kind := range everFound(r.points, 8) {
			found[kind] = append(found[kind], r.name)
		}
	}
	require.Empty(t, found[health.Diverging])
	require.Empty(t, found[health.NotFinite])
}

// TestExamine_DivergenceDelay checks after how many points a divergence is found, in the median and in nine of ten runs with white noise of 1 %.
// Looking for correlated noise makes it two points later at most.
func TestExamine_DivergenceDelay(t *testing.T) {
	for name, test := range map[string]struct {
		from         int
		factor       func(since int) float64
		median, nine float64
	}{
		"rises by 3 % a point, late":   {90, func(since int) float64 { return math.Exp(0.03 * float64(since)) }, 9, 10},
		"rises by 3 % a point, early":  {40, func(since int) float64 { return math.Exp(0.03 * float64(since)) }, 11, 14},
		"rises by 10 % a point, late":  {90, func(since int) float64 { return math.Exp(0.1 * float64(since)) }, 5, 6},
		"rises by 10 % a point, early": {40, func(since int) float64 { return math.Exp(0.1 * float64(since)) }, 6, 6},
		"jumps, late":                  {90, func(int) float64 { return 1.6 }, 4, 4},
		"jumps, early":                 {40, func(int) float64 { return 1.6 }, 4, 4},
	} {
		t.Run(name, func(t *testing.T) {
			var delays []float64
			for seed := range uint64(60) {
				all := points(changed(decay(seed, 120), test.from, test.factor))
				delay := 1
				for ; !slices.Contains(kinds(health.Examine(health.Curve{Metric: "loss", Direction: health.Lower, Points: all[:test.from+delay]})), health.Diverging); delay++ {
					require.Less(t, test.from+delay, len(all))
				}
				delays = append(delays, float64(delay))
			}
			require.LessOrEqual(t, quantileOf(delays, 0.5), test.median)
			require.LessOrEqual(t, quantileOf(delays, 0.9), test.nine)
		})
	}
}

// A curve that has improved by little before it diverges is still found when most of its points are part of that, and has not come back
// if it falls as slowly as it rose. One that comes back all the way does not diverge.
func TestExamine_LongDivergence(t *testing.T) {
	healthy := func(seed uint64, noise float64) []float64 {
		chance, values := rand.New(rand.NewPCG(seed, 8)), make([]float64, 150)
		for i, off := range ar1(chance, len(values), 0.4, noise) {
			values[i] = 2 * math.Exp(off-0.2*math.Min(1, float64(i)/50))
		}
		return values
	}
	for name, test := range map[string]struct {
		noise  float64
		factor func(since int) float64
		found  bool
	}{
		"rises by 3 % a point":              {0.03, func(since int) float64 { return math.Exp(0.03 * float64(since)) }, true},
		"jumps":                             {0.03, func(int) float64 { return 1.5 }, true},
		"jumps, with more noise":            {0.08, func(int) float64 { return 1.8 }, true},
		"rises within ten points":           {0.08, func(since int) float64 { return 1 + 0.08*math.Min(10, float64(since)) }, true},
		"comes back by a quarter":           {0.08, func(since int) float64 { return 1.8 - 0.2*float64(since)/100 }, true},
		"comes back":                        {0.08, func(since int) float64 { return math.Max(1, 2-float64(since)/50) }, false},
		"is worse by a tenth, as its noise": {0.08, func(int) float64 { return 1.1 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				values := changed(healthy(seed, test.noise), 50, test.factor)
				found := kinds(examine(values, health.Lower))
				require.Equal(t, test.found, slices.Contains(found, health.Diverging), "seed %d: %v", seed, found)
			}
		})
	}
}

// TestExamine_DivergesWhileWarmingUp has losses that rise within eight points after the first eighteen, to half above the first: found where they stay there.
func TestExamine_DivergesWhileWarmingUp(t *testing.T) {
	found := func(stay float64) (count int) {
		for seed := range uint64(20) {
			values := ar1(rand.New(rand.NewPCG(seed, 43)), 160, 0.3, 0.03)
			for i := range values {
				rise := 0.9 * max(0, min(1, float64(i-18)/8, 1-(float64(i)-stay)/20))
				values[i] = 1.6 * math.Exp(values[i]-0.5*min(1, float64(i)/18)+rise)
			}
			if slices.Contains(kinds(examine(values, health.Lower)), health.Diverging) {
				count++
			}
		}
		return count
	}
	require.GreaterOrEqual(t, found(160), 17)
	require.Zero(t, found(60))
}

// TestExamine_UnknownDirection has values that grow or jump as they are meant to.
func TestExamine_UnknownDirection(t *testing.T) {
	steps := make([]float64, 100)
	rates := make([]float64, 100)
	for i := range steps {
		steps[i], rates[i] = float64(10*i), 1e-4*math.Min(1, float64(i)/10)
	}
	rates[60] = 1
	for name, values := range map[string][]float64{"training_step": steps, "learning_rate": rates} {
		direction := health.DirectionOf(name)
		require.Equal(t, health.UnknownDirection, direction)
		require.Equal(t, []health.Kind{health.Healthy}, kinds(examine(values, direction)), name)
		require.Equal(t, []health.Kind{health.NotFinite}, kinds(examine(append(values, math.NaN()), direction)), name)
	}
}
