package health_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// tuned is the raw loss of a healthy fine-tuning run as most are: it falls within some steps and then little, by 2 to 30 % in all, with a noise of
// 2 to 20 % from batch to batch, a step down where an epoch begins, a warm-up in which it may rise, and every first or tenth
// step reported.
func tuned(seed uint64, rho float64) []float64 {
	chance := rand.New(rand.NewPCG(seed, 21))
	steps := int(between(chance, 60, 600))
	every := 1
	if chance.IntN(3) == 0 && steps > 300 {
		every = 5
	}
	sigma := between(chance, 0.02, 0.2)
	if rho > 0 {
		sigma = between(chance, 0.01, 0.06)
	}
	noise := ar1(chance, steps, rho, sigma)
	start, early, late := between(chance, 0.5, 3), between(chance, 0.01, 0.15), between(chance, 0.01, 0.15)
	epochs, step := 1+chance.IntN(4), between(chance, 0.005, 0.05)
	warm := 0
	if chance.IntN(2) == 0 {
		warm = steps / 30
	}
	var values []float64
	for i := range steps {
		share := float64(i) / float64(steps)
		level := -early*(1-math.Exp(-30*share)) - late*math.Sin(math.Pi/2*share) - step*math.Floor(share*float64(epochs))
		if i < warm {
			level += 0.03 * float64(i) / float64(warm)
		}
		if i%every == 0 {
			values = append(values, start*math.Exp(level+noise[i]))
		}
	}
	return values
}

// trained falls by a power law to a floor, with a schedule whose last fifth anneals, and smoothed or not.
func trained(seed uint64, rho float64) []float64 {
	chance := rand.New(rand.NewPCG(seed, 22))
	steps := int(between(chance, 100, 800))
	noise := ar1(chance, steps, rho, between(chance, 0.005, 0.05))
	floor, exponent, scale := between(chance, 1.5, 3), 0.1+0.4*chance.Float64(), between(chance, 5, 200)
	anneal := between(chance, 0.01, 0.08)
	values := make([]float64, steps)
	for i := range values {
		share := float64(i) / float64(steps)
		level := floor + (10.5-floor)*math.Pow(1+scale*share, -exponent-0.3)
		if share > 0.8 {
			level *= 1 - anneal*(share-0.8)/0.2
		}
		values[i] = level * math.Exp(noise[i])
	}
	return values
}

// smoothed is a tuned run that reports a moving average with a weight of 0.9, as some programs do: one value hardly differs from the next.
func smoothed(seed uint64, rho float64) []float64 {
	values := tuned(seed, rho)
	for i := 1; i < len(values); i++ {
		values[i] = 0.9*values[i-1] + 0.1*values[i]
	}
	return values
}

// TestExamine_OtherRuns looks at healthy runs that thresholds were not chosen on: at most one of sixty may ever be found to diverge, and two of moving
// averages.
func TestExamine_OtherRuns(t *testing.T) {
	const runs = 60
	for name, world := range map[string]func(uint64, float64) []float64{"tuned": tuned, "trained": trained, "smoothed": smoothed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counts := map[health.Kind]int{}
			for seed := range uint64(runs) {
				rho := []float64{0, 0.5, 0.8, 0.95}[seed%4]
				for kind := range everFound(points(world(5000+seed, rho)), 10) {
					counts[kind]++
				}
			}
			t.Logf("of %d healthy runs: %v", runs, counts)
			most := map[string]int{"tuned": 1, "trained": 0, "smoothed": 2}[name]
			require.LessOrEqual(t, counts[health.Diverging], most)
		})
	}
}
