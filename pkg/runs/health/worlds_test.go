package health_test

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// between is a number of a range, with the same chance for each order of magnitude.
func between(chance *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, chance.Float64())
}

// ar1 is noise of which each value keeps a share rho of the one before: x(i) = rho·x(i-1) + e(i), with a stationary deviation of sigma.
func ar1(chance *rand.Rand, count int, rho, sigma float64) []float64 {
	values := make([]float64, count)
	values[0] = sigma * chance.NormFloat64()
	for i := 1; i < count; i++ {
		values[i] = rho*values[i-1] + sigma*math.Sqrt(1-rho*rho)*chance.NormFloat64()
	}
	return values
}

// correlated is a healthy curve of 60 to 500 reports with correlated noise, a correlation of 0.5 to 0.95 and a deviation of 1 to 5 %. Its trend
// is a power law, as learning curves of language models have (Hestness et al., arXiv 1712.00409), or an exponential one that
// becomes flat, as of small data.
func correlated(seed uint64) []float64 {
	chance := rand.New(rand.NewPCG(seed, 5))
	count := int(between(chance, 60, 500))
	noise := ar1(chance, count, 0.5+0.45*chance.Float64(), between(chance, 0.01, 0.05))
	start, floor, exponent := between(chance, 1.5, 10), between(chance, 0.3, 1), 0.2+0.6*chance.Float64()
	scale := between(chance, 1, 60) / float64(count)
	trend := func(i float64) float64 { return math.Pow(1+scale*i, -exponent) }
	if chance.IntN(2) == 0 {
		trend = func(i float64) float64 { return math.Exp(-scale * i / 3) }
	}
	values := make([]float64, count)
	for i := range values {
		values[i] = (floor + (start-floor)*trend(float64(i))) * math.Exp(noise[i])
	}
	return values
}

// settled is a healthy curve that falls early to its floor, ten to forty times as fast as it is long, and then has correlated noise only:
// a correlation of 0.5 to 0.95 and a deviation of 1 to 5 %.
func settled(seed uint64) []float64 {
	chance := rand.New(rand.NewPCG(seed, 6))
	count := int(between(chance, 100, 500))
	noise := ar1(chance, count, 0.5+0.45*chance.Float64(), between(chance, 0.01, 0.05))
	start, floor, rate := between(chance, 1.5, 10), between(chance, 0.3, 1), between(chance, 10, 40)
	values := make([]float64, count)
	for i := range values {
		values[i] = (floor + (start-floor)*math.Exp(-rate*float64(i)/float64(count))) * math.Exp(noise[i])
	}
	return values
}

// nearlyFlat is a healthy curve that improves by 2 to 12 %, as when a model is trained further, with a correlation of 0.5 to 0.95 and a
// deviation of 3 %: its best level is chance.
func nearlyFlat(seed uint64) []float64 {
	chance := rand.New(rand.NewPCG(seed, 7))
	count := int(between(chance, 60, 400))
	noise := ar1(chance, count, 0.5+0.45*chance.Float64(), 0.03)
	gain := between(chance, 0.02, 0.12)
	values := make([]float64, count)
	for i := range values {
		values[i] = 2 * (1 - gain*(1-math.Exp(-4*float64(i)/float64(count)))) * math.Exp(noise[i])
	}
	return values
}

// pacedRun is a run whose times are made: reports with times, and the end of what follows the last step.
type pacedRun struct {
	points []health.Point
	total  float64
	end    time.Time
}

// paced makes a run of 60 to 400 reports, with steps of 0.1 to 60 s that vary by 1 to 10 %, a slow start in half of them, evaluations and
// checkpoints at intervals, and work after the last step. Siblings of a seed differ in their noise only.
func paced(seed, sibling uint64) pacedRun {
	kind, chance := rand.New(rand.NewPCG(seed, 11)), rand.New(rand.NewPCG(seed, 100+sibling))
	reports, every := int(between(kind, 60, 400)), int(between(kind, 1, 50))
	step, vary := between(kind, 0.1, 60), between(kind, 0.01, 0.1)
	slowFor, slowBy := 0.0, 1.0
	if kind.IntN(2) == 0 {
		slowFor, slowBy = between(kind, 0.01, 0.1), between(kind, 1.5, 10)
	}
	compile := between(kind, 1, 60) * step
	pauses := []struct{ reports, steps float64 }{}
	for range kind.IntN(3) { // evaluations, checkpoints
		pauses = append(pauses, struct{ reports, steps float64 }{
			reports: math.Ceil(between(kind, 0.02, 0.2) * float64(reports)), steps: between(kind, 1, 20),
		})
	}
	ending := between(kind, 5, 100) * step
	r := pacedRun{total: float64(reports * every)}
	at := compile * (1 + 0.1*chance.NormFloat64())
	for i := 1; i <= reports; i++ {
		took := step * float64(every) * math.Max(0.2, 1+vary*chance.NormFloat64())
		if float64(i) <= slowFor*float64(reports) {
			took *= slowBy
		}
		at += took
		r.points = append(r.points, health.Point{At: begin.Add(time.Duration(at * float64(time.Second))).Truncate(time.Millisecond), Step: float64(i * every)})
		for _, p := range pauses {
			if math.Mod(float64(i), p.reports) == 0 {
				at += p.steps * step * float64(every) / 5 * math.Max(0.2, 1+0.1*chance.NormFloat64())
			}
		}
	}
	r.end = begin.Add(time.Duration((at + ending*(1+0.1*chance.NormFloat64())) * float64(time.Second)))
	return r
}

// wandering are runs of 60 to 500 reports whose pace wanders by a tenth: by correlated noise that lasts for so many reports, from level to level
// that last 15 to 80 reports, or ever further from the first. Times are whole seconds.
var wandering = map[string]func(chance *rand.Rand, reports int) []float64{
	"for 5 reports":  func(chance *rand.Rand, reports int) []float64 { return ar1(chance, reports, math.Exp(-1./5), 0.1) },
	"for 20 reports": func(chance *rand.Rand, reports int) []float64 { return ar1(chance, reports, math.Exp(-1./20), 0.1) },
	"for 60 reports": func(chance *rand.Rand, reports int) []float64 { return ar1(chance, reports, math.Exp(-1./60), 0.1) },
	"away": func(chance *rand.Rand, reports int) []float64 {
		paces := make([]float64, reports)
		for i := 1; i < reports; i++ {
			paces[i] = paces[i-1] + 0.1/math.Sqrt(float64(reports))*chance.NormFloat64()
		}
		return paces
	},
	"in levels": func(chance *rand.Rand, reports int) []float64 {
		paces, level, until := make([]float64, reports), 0.0, 0
		for i := range paces {
			if i == until {
				level, until = 0.1*chance.NormFloat64(), i+int(between(chance, 15, 80))
			}
			paces[i] = level
		}
		return paces
	},
}

func wanderingRun(seed uint64, paces func(*rand.Rand, int) []float64) pacedRun {
	chance := rand.New(rand.NewPCG(seed, 31))
	reports, step, at := int(between(chance, 60, 500)), between(chance, 3, 300), 0.0
	r := pacedRun{total: float64(10 * reports)}
	for i, pace := range paces(chance, reports) {
		at += step * math.Exp(pace+0.02*chance.NormFloat64())
		r.points = append(r.points, health.Point{At: begin.Add(time.Duration(at) * time.Second), Step: float64(10 * (i + 1))})
		r.end = r.points[i].At
	}
	return r
}
