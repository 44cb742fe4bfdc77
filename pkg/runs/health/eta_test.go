package health_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// progress has steps of ten seconds, ten a report, and a pause of three minutes after every 20 reports.
func progress(reports int, stepSeconds func(report int) float64) []health.Point {
	all := make([]health.Point, reports)
	at := begin
	for i := range all {
		at = at.Add(time.Duration(10 * stepSeconds(i) * float64(time.Second)))
		if i > 0 && i%20 == 0 {
			at = at.Add(3 * time.Minute)
		}
		all[i] = health.Point{At: at, Step: float64(10 * (i + 1))}
	}
	return all
}

// finishOf is what a run says of its finish, if it does.
func finishOf(p health.Progress) (health.ETA, bool) {
	found := health.History{Progress: p, Running: true}.Examine(begin)
	if found.ETA == nil {
		return health.ETA{}, false
	}
	return *found.ETA, true
}

func TestEstimateFinish_Cases(t *testing.T) {
	steady := func(int) float64 { return 10 }
	ending := health.Interval{Center: 10 * time.Minute, Low: 8 * time.Minute, High: 12 * time.Minute}
	for name, test := range map[string]struct {
		pace    func(int) float64
		reports int
		// known is whether there is an ETA; slower whether steps take longer than before.
		known, slower bool
	}{
		"a quarter of the way, with pauses": {steady, 50, true, false},
		"before the first pause":            {steady, 15, true, false},
		"half as fast since a while": {func(report int) float64 {
			if report > 60 {
				return 20
			}
			return 10
		}, 100, true, true},
		"too few steps": {steady, 5, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			whole := progress(200, test.pace)
			finish := whole[199].At.Add(ending.Center)
			eta, ok := finishOf(health.Progress{Points: whole[:test.reports], Total: 2000, Ending: ending})
			require.Equal(t, test.known, ok)
			if !ok {
				return
			}
			require.WithinDuration(t, finish, eta.At, finish.Sub(whole[test.reports-1].At)/10)
			require.False(t, finish.Before(eta.Low) || finish.After(eta.High), "%s is not between %s and %s", finish, eta.Low, eta.High)
			require.Equal(t, test.slower, eta.Slower > 0)
		})
	}
	_, ok := finishOf(health.Progress{Points: progress(50, steady), Total: math.NaN()})
	require.False(t, ok, "the number of steps is unknown")
}

// pace is how many seconds each of some steps takes, one a report.
type pace struct {
	steps   int
	seconds float64
}

// growing are steps of which each takes 0.2 s longer than the one before, the first 10.1 s.
func growing(steps int) []pace {
	var all []pace
	for i := range steps {
		all = append(all, pace{1, 10.1 + 0.2*float64(i)})
	}
	return all
}

// eighths are eight parts of ten steps.
func eighths(seconds ...float64) []pace {
	var all []pace
	for _, s := range seconds {
		all = append(all, pace{10, s})
	}
	return all
}

// TestEstimateFinish_ByHand has the seconds from the newest step to the finish: the steps left × the seconds per step. With u for the
// share of steps left of those from the first report to the last step, the interval is 15 % × u earlier and 25 % × u later, and a second for
// the clock; wider where parts of the run differ. What happened once so far may happen n = m + √(m × (1 + a)) times in the time left, which is a times
// as long, with m = 2 × a: steps that became longer by a share may become so by n × that, half of it in the mean. All begin at step 100.
func TestEstimateFinish_ByHand(t *testing.T) {
	for name, test := range map[string]struct {
		paces                 []pace
		left                  float64
		after, low, high, per float64
		slower                float64
	}{
		// u = 5 / 10: 300 s are 22.5 s earlier or 37.5 s later.
		"six reports": {[]pace{{5, 60}}, 5, 300, 276.5, 338.5, 60, 0},
		// The mean is (7 × 60 + 90) / 8 = 63.75 s. Of eight parts, seven are 5.88 % below it, one 41.18 % above: three deviations are 49.913 %.
		"the last step slower": {[]pace{{7, 60}, {1, 90}}, 8, 510, 254.442, 765.558, 63.75, 0},
		// The first tenth is compilation. u = 40 / 80: 400 s are 30 s earlier or 50 s later.
		"slow start": {[]pace{{4, 30}, {36, 10}}, 40, 400, 369, 451, 10, 0},
		// u = 20 / 100: 400 s are 12 s earlier; with 40 reports u = 39 / 78. They are later by 400 s × n / 2: a = 400 / 1,200, n = 0.667 + 0.943.
		"half as fast since the half": {[]pace{{40, 10}, {40, 20}}, 20, 400, 387, 722.895, 20, 1},
		// a = 400 / 1,120, n = 0.714 + 0.985, and a = 780 / 570, n = 2.737 + 2.546.
		"half as fast since 3 of 5":    {[]pace{{48, 10}, {32, 20}}, 20, 400, 387, 740.772, 20, 1},
		"half as fast, of 40 reports":  {[]pace{{21, 10}, {18, 20}}, 39, 780, 720.5, 2841.299, 20, 1},
		"half as fast, but 39 reports": {[]pace{{19, 10}, {19, 20}}, 0, 0, 0, 1, 15, 0},
		// Each of 80 steps takes 0.2 s longer, of the first ten 11 s in the mean and of the newest ten 25 s; of the 20 left it is 28 s, give or take 3. 25 s
		// are by 11 / 14 more than the median of the first four parts: a = 560 / 1,440, n = 0.778 + 1.039, and 20 × 25 s × (1 + 11 / 14 × n / 2) are 856.936 s.
		"slower and slower": {growing(80), 20, 560, 499, 857.936, 25, 14. / 11},
		// It counts alone once eight in twenty steps are slower. With two, the newest of eight parts, of 18 s, is 63.64 % above the mean of 11 s, and seven are 9.09 %
		// below, of which three deviations are 77.139 %. a = 440 / 880, n = 1 + 1.225, and 40 × 18 s × (1 + 0.8 × n / 2) are 1,360.727 s.
		"half as fast just now": {[]pace{{72, 10}, {8, 20}}, 40, 440, 99.589, 1361.727, 11, 0},
		// Of eight parts each takes longer than the one before, but the first is warming up: in 23 of 28 pairs the later one takes longer, in 18 more than
		// not. The newest takes 0.9 / 10.3 longer than the first four in the median: a = 1, n = 4, and 80 × 11.2 s × (1 + 0.08738 × n / 2) are 1,052.583 s.
		"longer and longer, but the first": {eighths(10.9, 10, 10.2, 10.4, 10.6, 10.8, 11, 11.2), 80, 851, 750.682, 1053.583, 10.6375, 0},
	} {
		t.Run(name, func(t *testing.T) {
			points := []health.Point{{At: begin, Step: 100}}
			for _, p := range test.paces {
				for range p.steps {
					last := points[len(points)-1]
					points = append(points, health.Point{At: last.At.Add(time.Duration(p.seconds * float64(time.Second))), Step: last.Step + 1})
				}
			}
			last := points[len(points)-1]
			eta, ok := finishOf(health.Progress{Points: points, Total: last.Step + test.left})
			require.True(t, ok)
			after := func(at time.Time) float64 { return at.Sub(last.At).Seconds() }
			require.InDeltaSlice(t, []float64{test.after, test.low, test.high, test.per, test.slower},
				[]float64{after(eta.At), after(eta.Low), after(eta.High), eta.SecondsPerStep, eta.Slower}, 1e-3)
		})
	}
	for name, newest := range map[string]health.Point{"all at once": {At: begin, Step: 101}, "no step": {At: begin.Add(time.Minute), Step: 100}} {
		points := append(slices.Repeat([]health.Point{{At: begin, Step: 100}}, 5), newest)
		_, ok := finishOf(health.Progress{Points: points, Total: 200})
		require.False(t, ok, name)
	}
}

// estimates compares ETAs at a share of the way with the truth, and with elapsed time ÷ steps done: since the begin of the run, and
// since the first report, which leaves out what came before it. Errors are shares of the time left.
type estimates struct {
	errors, sinceBegin, sinceFirst []float64
	inside                         int
}

// add estimates a run at its report i. With an ending, the finish is that of what follows the last step.
func (e *estimates) add(points []health.Point, i int, total float64, finish time.Time, ending health.Interval) {
	now, left := points[i], finish.Sub(points[i].At).Seconds()
	wrong := func(since time.Time, steps float64) float64 {
		took := now.At.Sub(since).Seconds()/steps*(total-now.Step) + ending.Center.Seconds()
		return math.Abs(took-left) / left
	}
	e.sinceBegin = append(e.sinceBegin, wrong(begin, now.Step))
	e.sinceFirst = append(e.sinceFirst, wrong(points[0].At, now.Step-points[0].Step))
	eta, ok := finishOf(health.Progress{Points: points[:i+1], Total: total, Ending: ending})
	if !ok {
		e.errors = append(e.errors, 1)
		return
	}
	e.errors = append(e.errors, math.Abs(eta.At.Sub(finish).Seconds())/left)
	if !finish.Before(eta.Low) && !finish.After(eta.High) {
		e.inside++
	}
}

func quantileOf(values []float64, share float64) float64 {
	return slices.Sorted(slices.Values(values))[int(share*float64(len(values)-1))]
}

// rounding is of times in nanoseconds.
const rounding = 1e-9

// requireNoWorse checks that ETAs are no further from the truth than elapsed time ÷ steps, in the median and of nine in ten runs.
func (e *estimates) requireNoWorse(t *testing.T, what string, share float64) float64 {
	t.Helper()
	covered := float64(e.inside) / float64(len(e.errors))
	t.Logf("%s, at %.2f of %d runs: %.2f %% and %.1f %% wrong; elapsed ÷ steps since the begin %.2f %% and %.1f %%, since the first report %.2f %% and %.1f %%; %.0f %% in the interval",
		what, share, len(e.errors), 100*quantileOf(e.errors, .5), 100*quantileOf(e.errors, .9), 100*quantileOf(e.sinceBegin, .5), 100*quantileOf(e.sinceBegin, .9),
		100*quantileOf(e.sinceFirst, .5), 100*quantileOf(e.sinceFirst, .9), 100*covered)
	for _, q := range []float64{0.5, 0.9} {
		require.LessOrEqual(t, quantileOf(e.errors, q), quantileOf(e.sinceBegin, q)+rounding, "%s at %.2f, quantile %.1f", what, share, q)
		require.LessOrEqual(t, quantileOf(e.errors, q), quantileOf(e.sinceFirst, q)+rounding, "%s at %.2f, quantile %.1f", what, share, q)
	}
	return covered
}

var (
	quarters = []float64{0.25, 0.5, 0.75}
	clocks   = map[string]func([]health.Point) []health.Point{
		"milliseconds":  func(points []health.Point) []health.Point { return points },
		"whole seconds": inSeconds,
	}
)

// TestEstimateFinish_PublicRuns judges ETAs on runs that no threshold was chosen on: nine of ten finishes, give or take some, are in
// the interval.
func TestEstimateFinish_PublicRuns(t *testing.T) {
	runs := publicRuns(t)
	for clock, read := range clocks {
		for _, share := range quarters {
			var all estimates
			for _, r := range runs {
				points := read(r.points)
				// With fewer reports there is no estimate.
				if i := slices.IndexFunc(points, func(p health.Point) bool { return p.Step >= share*r.total }); r.judged && i >= 5 {
					all.add(points, i, r.total, points[len(points)-1].At, health.Interval{})
				}
			}
			require.GreaterOrEqual(t, len(all.errors), 70)
			covered := all.requireNoWorse(t, "public runs, "+clock, share)
			require.GreaterOrEqual(t, covered, 0.85, "%s at %.2f", clock, share)
			require.LessOrEqual(t, covered, 0.98, "%s at %.2f", clock, share)
		}
	}
}

// TestEstimateFinish_PacedRuns has runs with slow starts, evaluations and checkpoints, and work after the last step that five other runs
// of the kind are known to have had.
func TestEstimateFinish_PacedRuns(t *testing.T) {
	for clock, read := range clocks {
		for _, share := range quarters {
			var all estimates
			for seed := range uint64(300) {
				run := paced(seed, 0)
				var endings []time.Duration
				for sibling := uint64(1); sibling <= 5; sibling++ {
					other := paced(seed, sibling)
					endings = append(endings, other.end.Sub(other.points[len(other.points)-1].At))
				}
				points := read(run.points)
				all.add(points, int(share*float64(len(points)))-1, run.total, run.end, health.EndingOf(endings))
			}
			covered := all.requireNoWorse(t, "paced runs, "+clock, share)
			require.GreaterOrEqual(t, covered, 0.85)
			require.LessOrEqual(t, quantileOf(all.errors, .9), 0.06)
		}
	}
}

// Of few runs, one in ten takes many times as long as the others: with two known, the shorter is usual, and the interval has both and is wider by half.
func TestEndingOf_Few(t *testing.T) {
	usual, slow := time.Minute, 20*time.Minute
	require.Equal(t, health.Interval{Center: usual, Low: usual * 2 / 3, High: slow * 3 / 2}, health.EndingOf([]time.Duration{slow, usual}))
	require.Equal(t, health.Interval{Center: usual, Low: usual * 4 / 5, High: slow * 5 / 4}, health.EndingOf([]time.Duration{usual, slow, slow, usual}))
}

// TestEstimateFinish_Wandering has runs whose pace wanders by a tenth: nothing is much better than elapsed time ÷ steps then, and the
// interval says how bad that is.
func TestEstimateFinish_Wandering(t *testing.T) {
	for name, paces := range wandering {
		for _, share := range quarters {
			var all estimates
			for seed := range uint64(300) {
				r := wanderingRun(30_000+seed, paces)
				all.add(r.points, int(share*float64(len(r.points)))-1, r.total, r.end, health.Interval{})
			}
			covered := float64(all.inside) / float64(len(all.errors))
			t.Logf("wanders %s, at %.2f of %d: %.1f and %.1f %% wrong, elapsed ÷ steps %.1f and %.1f %%; %.0f %% in the interval", name, share, len(all.errors),
				100*quantileOf(all.errors, .5), 100*quantileOf(all.errors, .9), 100*quantileOf(all.sinceFirst, .5), 100*quantileOf(all.sinceFirst, .9), 100*covered)
			require.GreaterOrEqual(t, covered, 0.87)
			for _, q := range []float64{.5, .9} {
				require.LessOrEqual(t, quantileOf(all.errors, q), 1.1*quantileOf(all.sinceFirst, q))
			}
		}
	}
}

// TestEstimateFinish_WholeSeconds has steps of 0.4 s that are reported one by one: every second interval is 0 s.
func TestEstimateFinish_WholeSeconds(t *testing.T) {
	var points []health.Point
	for step := 1; step <= 250; step++ {
		points = append(points, health.Point{At: begin.Add(time.Duration(step) * 400 * time.Millisecond).Truncate(time.Second), Step: float64(step)})
	}
	eta, ok := finishOf(health.Progress{Points: points, Total: 1000})
	require.True(t, ok)
	require.InDelta(t, 0.4, eta.SecondsPerStep, 0.004)
	require.WithinDuration(t, begin.Add(400*time.Second), eta.At, 3*time.Second)
	eta, _ = finishOf(health.Progress{Points: points, Total: 250})
	require.Equal(t, points[249].At, eta.At)
	require.Equal(t, time.Second, eta.High.Sub(eta.At), "the last step may be a second later than its time says")
}

// TestEstimateFinish_ShortSteps has steady steps that are much shorter than the whole seconds in which they are reported: the first of them can look
// slow by their rounding alone.
func TestEstimateFinish_ShortSteps(t *testing.T) {
	for _, took := range []float64{0.14, 0.23, 0.4, 0.9} {
		for _, total := range []int{200, 1000} {
			for _, share := range quarters {
				var all estimates
				for seed := range uint64(100) {
					chance := rand.New(rand.NewPCG(seed, 12))
					at := chance.Float64()
					points := make([]health.Point, total)
					for i := range points {
						at += took * (1 + 0.05*chance.NormFloat64())
						points[i] = health.Point{At: begin.Add(time.Duration(at * float64(time.Second))), Step: float64(i + 1)}
					}
					finish := points[total-1].At
					all.add(inSeconds(points), int(share*float64(total))-1, float64(total), finish, health.Interval{})
				}
				require.LessOrEqual(t, quantileOf(all.errors, .5), quantileOf(all.sinceFirst, .5)+rounding, "%g s × %d at %.2f", took, total, share)
				require.LessOrEqual(t, quantileOf(all.errors, .9), quantileOf(all.sinceFirst, .9)+rounding, "%g s × %d at %.2f", took, total, share)
			}
		}
	}
}

// TestEstimateFinish_SlowStart has a compiler and a cold cache in its first twentieth, ten times as slow as the rest.
func TestEstimateFinish_SlowStart(t *testing.T) {
	at := begin
	var points []health.Point
	for i := 1; i <= 100; i++ {
		took := 10 * time.Second
		if i <= 5 {
			took *= 10
		}
		at = at.Add(took)
		points = append(points, health.Point{At: at, Step: float64(i)})
	}
	eta, ok := finishOf(health.Progress{Points: points[:25], Total: 100})
	require.True(t, ok)
	require.WithinDuration(t, at, eta.At, 15*time.Second) // 750 s are left
	require.Zero(t, eta.Slower)
}

// TestHistory_LateAtTheStart has runs with a slow start in half of them, which finish by their estimate: none is ever late.
func TestHistory_LateAtTheStart(t *testing.T) {
	for seed := range uint64(100) {
		r := paced(seed, 1)
		for n := 6; n < len(r.points); n += max(1, len(r.points)/30) {
			run := health.History{Progress: health.Progress{Points: r.points[:n], Total: r.total}, Running: true, Start: begin, Estimate: r.end}
			for _, f := range run.Examine(r.points[n-1].At).Findings {
				require.NotEqual(t, health.Late, f.Kind, "seed %d, report %d of %d", seed, n, len(r.points))
			}
		}
	}
}
