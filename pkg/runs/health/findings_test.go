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

var begin = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// points are values of steps 10 apart, a minute from one to the next.
func points(values []float64) []health.Point {
	all := make([]health.Point, len(values))
	for i, value := range values {
		all[i] = health.Point{At: begin.Add(time.Duration(i) * time.Minute), Step: float64(10 * i), Value: value}
	}
	return all
}

// decay is a power law with noise of 1 %.
func decay(seed uint64, count int) []float64 {
	chance := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, count)
	for i := range values {
		values[i] = (0.8 + 2*math.Pow(1+40*float64(i)/150, -0.6)) * (1 + 0.01*chance.NormFloat64())
	}
	return values
}

// changed is a curve whose values from a point on are multiplied.
func changed(values []float64, from int, factor func(since int) float64) []float64 {
	values = slices.Clone(values)
	for i := from; i < len(values); i++ {
		values[i] *= factor(i - from)
	}
	return values
}

func examine(values []float64, direction health.Direction) []health.Finding {
	return health.Examine(health.Curve{Metric: "loss", Direction: direction, Points: points(values)})
}

func kinds(all []health.Finding) []health.Kind {
	var found []health.Kind
	for _, f := range all {
		found = append(found, f.Kind)
	}
	return found
}

// shapes are curves with what is to be found about each.
func shapes(seed uint64) map[string]struct {
	values []float64
	kind   health.Kind
	// since is where it began, give or take ten points; -1 if it did not.
	since int
} {
	healthy := decay(seed, 120)
	rising := func(since int) float64 { return math.Exp(0.03 * float64(since)) }
	return map[string]struct {
		values []float64
		kind   health.Kind
		since  int
	}{
		"a power law":                    {healthy, health.Healthy, -1},
		"a loss that rises":              {changed(healthy, 90, rising), health.Diverging, 90},
		"a loss that jumps and stays":    {changed(healthy, 90, func(int) float64 { return 1.6 }), health.Diverging, 90},
		"a loss that rose and came back": {changed(healthy, 60, func(since int) float64 { return 1 + 2*math.Exp(-float64(since)/2) }), health.Healthy, -1},
		"a loss that comes back now": {changed(healthy, 112, func(since int) float64 {
			return []float64{1.6, 1.6, 1.6, 1.6, 1.6, 1.5, 1.3, 1.1}[since]
		}), health.Healthy, -1},
		"a loss that is not a number": {changed(healthy, 100, func(int) float64 { return math.NaN() }), health.NotFinite, 100},
		"a loss that was infinite once": {changed(healthy, 50, func(since int) float64 {
			if since == 0 {
				return math.Inf(1)
			}
			return 1
		}), health.Healthy, -1},
	}
}

func TestExamine_Shapes(t *testing.T) {
	for seed := range uint64(20) {
		for name, test := range shapes(seed) {
			found := examine(test.values, health.Lower)
			require.Contains(t, kinds(found), test.kind, "%s, seed %d", name, seed)
			first := found[slices.Index(kinds(found), test.kind)]
			require.Equal(t, test.kind == health.Diverging, slices.Contains(kinds(found), health.Diverging), "%s, seed %d", name, seed)
			if test.since >= 0 {
				require.InDelta(t, 10*test.since, first.Since.Step, 100, "%s, seed %d", name, seed)
				require.NotEmpty(t, first.Evidence)
			}
		}
	}
}

// TestExamine_ScaleAndDirection checks that the unit of a metric does not matter, nor its sign if higher values are better.
func TestExamine_ScaleAndDirection(t *testing.T) {
	for name, test := range shapes(7) {
		want := kinds(examine(test.values, health.Lower))
		for _, scale := range []float64{1e-6, 1e6} {
			require.Equal(t, want, kinds(examine(changed(test.values, 0, func(int) float64 { return scale }), health.Lower)), "%s × %g", name, scale)
		}
		linear := changed(test.values, 0, func(int) float64 { return -1 })
		shifted := changed(linear, 0, func(int) float64 { return 1000 })
		require.Equal(t, kinds(examine(linear, health.Higher)), kinds(examine(shifted, health.Higher)), name)
		require.Contains(t, kinds(examine(linear, health.Higher)), test.kind, name)
	}
}

// TestExamine_Resampled checks that half of the points lead to the same.
func TestExamine_Resampled(t *testing.T) {
	for name, test := range shapes(11) {
		var half []float64
		for i := 0; i < len(test.values); i += 2 {
			half = append(half, test.values[i])
		}
		require.Contains(t, kinds(examine(half, health.Lower)), test.kind, name)
	}
}

func TestExamine_TooFewPoints(t *testing.T) {
	for count := range 10 {
		found := examine(decay(1, count), health.Lower)
		require.Equal(t, []health.Kind{health.TooFew}, kinds(found))
	}
	require.Equal(t, "Too few points: 4, and it takes 10.", examine(decay(1, 4), health.Lower)[0].Evidence)
	rose := examine([]float64{3, 2.5, 2.2, 2, 2, 2, 2, 9, 10, 11}, health.Lower)
	require.Equal(t, []health.Kind{health.Diverging}, kinds(rose), "ten are enough")
	require.Contains(t, rose[0].Evidence, "above the best, 2 at step 50", "the first of several that are as low")
}

// TestExamine_NearZero has a loss that is rounded to four digits and memorizes its data: twice of nothing is nothing.
func TestExamine_NearZero(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = math.Max(math.Round(1e4*2*math.Exp(-float64(i)/8))/1e4, 0.0001)
		if i > 95 {
			values[i] = 0.0002
		}
	}
	require.NotContains(t, kinds(examine(values, health.Lower)), health.Diverging)
}

// segment are some points of one value.
type segment struct {
	points int
	value  float64
}

// sequence are the values of segments.
func sequence(segments ...segment) (values []float64) {
	for _, s := range segments {
		values = append(values, slices.Repeat([]float64{s.value}, s.points)...)
	}
	return values
}

// TestExamine_ByHand has curves without noise, whose noise is half of the last digit then: 0.5 of whole numbers. An accuracy that rises from 0 to 100
// has to fall by 15 to diverge.
func TestExamine_ByHand(t *testing.T) {
	learned := sequence(segment{10, 0}, segment{30, 100})
	for name, test := range map[string]struct {
		direction health.Direction
		values    []float64
		kind      health.Kind
		certainty string
	}{
		"spikes that came back":               {health.Higher, append(slices.Clone(learned), sequence(segment{2, 40}, segment{20, 100}, segment{2, 30}, segment{9, 100})...), health.Healthy, "likely"},
		"a point that may be a batch":         {health.Higher, append(slices.Clone(learned), 40), health.Healthy, "likely"},
		"a rise by less than 5 %":             {health.Higher, append(slices.Clone(learned), 96, 96, 100.5), health.Healthy, "likely"},
		"a divergence at its threshold":       {health.Higher, sequence(segment{40, 0}, segment{155, 100}, segment{5, 85}), health.Diverging, "possible"},
		"a divergence at twice that":          {health.Higher, sequence(segment{40, 0}, segment{155, 100}, segment{5, 70}), health.Diverging, "likely"},
		"a divergence of which 60 % are left": {health.Higher, sequence(segment{40, 0}, segment{155, 100}, segment{6, 75}, segment{1, 85}), health.Diverging, "possible"},
		"15 % of nearly nothing":              {health.Lower, sequence(segment{3, 10}, segment{40, 1}, segment{2, 1.15}, segment{10, 1}), health.Healthy, "likely"},
	} {
		t.Run(name, func(t *testing.T) {
			found := examine(test.values, test.direction)
			require.Equal(t, []health.Kind{test.kind}, kinds(found))
			require.Equal(t, test.certainty, found[0].Certainty)
		})
	}
}

// TestExamine_OverfittingByHand has the fewest points: four evaluations, of which the first, at step 40, is the best, and ten of training, of which the
// median of the first five is 1.8. Without training until then, only twice the threshold counts: 2 × 5 %.
func TestExamine_OverfittingByHand(t *testing.T) {
	training := points([]float64{2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1})
	for name, test := range map[string]struct {
		validation []float64
		training   []health.Point
		quality    []float64 // an accuracy
		found      string
	}{
		"worse than the first":                    {[]float64{1, 1.06, 1.06, 1.06}, training, nil, "Validation was best at step 40 with 1, and the newest three, 3 evaluations later, are 1.06 at best, while training improved from 1.8 to 1.3."},
		"by less than 5 %":                        {[]float64{1, 1.04, 1.04, 1.04}, training, nil, ""},
		"for two evaluations":                     {[]float64{1.1, 1, 1.06, 1.06}, training, nil, ""},
		"without training until then":             {[]float64{1, 1.06, 1.06, 1.06}, nil, nil, ""},
		"without it, by twice as much":            {[]float64{1, 1.12, 1.12, 1.12}, nil, nil, "are 1.12 at best; no training metric of it is known."},
		"while training got worse":                {[]float64{1, 1.06, 1.06, 1.06}, points([]float64{1, 1, 1, 1, 1, 2, 2, 2, 2, 2}), nil, ""},
		"while the model makes fewer errors":      {[]float64{1, 1.06, 1.06, 1.06}, training, []float64{0.8, 0.81, 0.82, 0.82}, ""},
		"while an accuracy falls":                 {[]float64{1, 1, 1, 1}, training, []float64{0.9, 0.6, 0.6, 0.6}, ""},
		"while the model makes as many of them":   {[]float64{1, 1.06, 1.06, 1.06}, training, []float64{0.8, 0.8, 0.81, 0.8}, "while training improved"},
		"not a number in between":                 {[]float64{1, math.NaN(), 1.06, 1.06, 1.06}, training, nil, "3 evaluations later"},
		"by as much as evaluations differ anyway": {[]float64{1.2, 1.1, 1.2, 1.1, 1.2, 1, 1.1, 1.2, 1.1}, training, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			from := func(values []float64) []health.Point { return points(append(make([]float64, 4), values...))[4:] }
			run := health.History{Curves: []health.Curve{{Metric: "valid_loss", Direction: health.Lower, Points: from(test.validation)}}}
			if test.training != nil {
				run.Curves = append(run.Curves, health.Curve{Metric: "train_loss", Direction: health.Lower, Points: test.training})
			}
			if test.quality != nil {
				run.Curves = append(run.Curves, health.Curve{Metric: "valid_accuracy", Direction: health.Higher, Points: from(test.quality)})
			}
			found := run.Examine(begin).Findings
			at := slices.IndexFunc(found, func(f health.Finding) bool { return f.Kind == health.Overfitting })
			require.Equal(t, test.found != "", at >= 0, "%v", found)
			if at >= 0 {
				require.Contains(t, found[at].Evidence, test.found)
			}
		})
	}
}

// TestHistory_LateReport has an evaluation of step 50 that is reported beside later steps: the run did not begin again there.
func TestHistory_LateReport(t *testing.T) {
	steps := points(decay(1, 30))
	late := health.Point{At: steps[19].At.Add(time.Second), Step: 50}
	run := health.History{
		Curves:   []health.Curve{{Metric: "loss", Direction: health.Lower, Points: steps}},
		Progress: health.Progress{Points: slices.Insert(slices.Clone(steps), 20, late), Total: math.NaN()}, Running: true,
	}
	require.Equal(t, "Nothing was found in 30 points: loss.", run.Examine(steps[29].At).Findings[0].Evidence)
}

func TestRun_Overfitting(t *testing.T) {
	falls := decay(5, 150)
	rising := func(since int) float64 { return 1 + 0.02*float64(since) }
	for name, test := range map[string]struct {
		training []float64
		factor   func(since int) float64
		want     bool
	}{
		"validation rises":          {falls, rising, true},
		"validation falls":          {falls, func(int) float64 { return 1 }, false},
		"validation is higher once": {falls, func(since int) float64 { return map[bool]float64{true: 1.3, false: 1}[since == 5] }, false},
		"validation rose just now": {falls, func(since int) float64 {
			return []float64{1, 0.9, 0.9, 1.3, 1.3}[max(since-13, 0)]
		}, false},
		"training rises as well": {changed(falls, 60, rising), rising, false},
	} {
		t.Run(name, func(t *testing.T) {
			training := points(test.training)
			var validation []health.Point
			for i := 4; i < len(training); i += 5 {
				p := training[i]
				p.At = training[len(training)-1].At // checkpoints may be reported all at once
				p.Value *= 1.05 * test.factor(max(0, i/5-12))
				validation = append(validation, p)
			}
			run := health.History{Curves: []health.Curve{
				{Metric: "train_loss", Direction: health.Lower, Points: training},
				{Metric: "valid_loss", Direction: health.Lower, Points: validation},
			}}
			result := run.Examine(begin.Add(3 * time.Hour))
			found := slices.IndexFunc(result.Findings, func(f health.Finding) bool { return f.Kind == health.Overfitting })
			require.Equal(t, test.want, found >= 0, "%+v", result.Findings)
			if test.want {
				require.Contains(t, result.Findings[found].Evidence, "best at step 640 with 1.195, and the newest three, 17 evaluations later, are 1.404 at best, while", "50 steps apart, until step 1490")
			}
		})
	}
}

func TestDirectionOf_Names(t *testing.T) {
	for metric, want := range map[string]health.Direction{
		"train_loss": health.Lower, "eval/perplexity": health.Lower, "training_loss": health.Lower, "wer": health.Lower,
		"train_mean_token_accuracy": health.Higher, "reward": health.Higher, "eval_f1": health.Higher,
		"error_rate": health.Lower, "word_error_rate": health.Lower, "train_loss_step": health.Lower, "train_loss_epoch": health.Lower,
		"total_loss": health.Lower, "win_rate": health.Higher, "epoch_accuracy": health.Higher,
		"training_step": health.UnknownDirection, "training_error_total": health.UnknownDirection, "reward_std": health.UnknownDirection,
		"training_epoch": health.UnknownDirection, "sampling_rate": health.UnknownDirection,
		"learning_rate": health.UnknownDirection, "loss_scale": health.UnknownDirection, "grad_norm": health.UnknownDirection, "up": health.UnknownDirection,
	} {
		require.Equal(t, want, health.DirectionOf(metric), metric)
	}
}

func TestHistory_Stalled(t *testing.T) {
	reports := progress(50, func(int) float64 { return 10 }) // 100 s from one to the next, with pauses of 3 minutes
	last := reports[49].At
	for name, test := range map[string]struct {
		points []health.Point
		silent time.Duration
		want   bool
	}{
		"a checkpoint":                 {reports, 5 * time.Minute, false},
		"less than 15 minutes":         {reports, 14 * time.Minute, false},
		"15 minutes":                   {reports, 15 * time.Minute, true},
		"three points":                 {reports[47:], 16 * time.Hour, true},
		"too few points to tell":       {reports[48:], 16 * time.Hour, false},
		"no point":                     {nil, time.Hour, false},
		"six times what is usual":      {sparse(reports), 80 * time.Minute, true},
		"less than six times that":     {sparse(reports), 79 * time.Minute, false},
		"after a pause of 30 minutes":  {paused(reports), 40 * time.Minute, false},
		"longer than after that pause": {paused(reports), 50 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			at := last
			if n := len(test.points); n > 0 {
				at = test.points[n-1].At
			}
			run := health.History{Progress: health.Progress{Points: test.points, Total: math.NaN()}, Running: true}
			require.Equal(t, test.want, run.Examine(at.Add(test.silent)).Findings[0].Kind == health.Stalled)
		})
	}
}

// paused has a pause of half an hour before the last 20 reports.
func paused(reports []health.Point) []health.Point {
	later := slices.Clone(reports)
	for i := len(later) - 20; i < len(later); i++ {
		later[i].At = later[i].At.Add(30 * time.Minute)
	}
	return later
}

// sparse has every eighth report.
func sparse(reports []health.Point) []health.Point {
	var some []health.Point
	for i := 0; i < len(reports); i += 8 {
		some = append(some, reports[i])
	}
	return some
}

// TestHistory_Late has 500 of 1,000 steps of a minute, so the earliest finish is 15 % of half of the time left, and a second, before 1,000 minutes:
// 962:29. That is later than an estimate of 874 minutes by more than a tenth of it, 962 - 874 > 87.4, and not than one of 875: 962.48 - 875 < 87.5.
func TestHistory_Late(t *testing.T) {
	var half []health.Point
	for step := 0; step <= 500; step += 10 {
		half = append(half, health.Point{At: begin.Add(time.Duration(step) * time.Minute), Step: float64(step)})
	}
	for name, test := range map[string]struct {
		points        []health.Point
		estimate, now time.Duration // in minutes
		want          bool
	}{
		"in time":                              {half, 1000, 500, false},
		"perhaps later":                        {half, 970, 500, false},
		"later in any case, by half a tenth":   {half, 920, 500, false},
		"later in any case, by nearly a tenth": {half, 875, 500, false},
		"later in any case, by a tenth":        {half, 874, 500, true},
		"unknown":                              {nil, 600, 60, false},
		"the estimate passed":                  {nil, 600, 660, true},
		"the estimate passed just now":         {nil, 600, 659, false},
		"a short run's estimate passed":        {nil, 60, 75, true},
		"a short run's passed just now":        {nil, 60, 74, false},
	} {
		t.Run(name, func(t *testing.T) {
			run := health.History{
				Progress: health.Progress{Points: test.points, Total: 1000}, Running: true, Start: begin, Estimate: begin.Add(test.estimate * time.Minute),
			}
			require.Equal(t, test.want, run.Examine(begin.Add(test.now * time.Minute)).Findings[0].Kind == health.Late)
		})
	}
}

// FuzzExamine checks that no curve makes it panic, and that there is an answer to each.
func FuzzExamine(f *testing.F) {
	f.Add(uint64(1), 30)
	f.Fuzz(func(t *testing.T, seed uint64, count int) {
		chance := rand.New(rand.NewPCG(seed, 2))
		values := make([]float64, max(0, min(count, 500)))
		for i := range values {
			values[i] = []float64{chance.NormFloat64(), math.NaN(), math.Inf(1), 0, 1e300, -1e-300, 1}[chance.IntN(7)]
		}
		for _, direction := range []health.Direction{health.Lower, health.Higher, health.UnknownDirection} {
			require.NotEmpty(t, examine(values, direction))
		}
	})
}

// TestHistory_Vanished has a metric that was reported every ten steps, and is missed once the run is at the thirtieth step after it.
func TestHistory_Vanished(t *testing.T) {
	steps := points(decay(1, 53))
	gone := health.Curve{Metric: "loss", Direction: health.Lower, Points: steps[:50]}
	for reports, found := range map[int]bool{52: false, 53: true} {
		run := health.History{Curves: []health.Curve{gone}, Progress: health.Progress{Points: steps[:reports], Total: math.NaN()}, Running: true}
		result := run.Examine(begin.Add(time.Hour))
		require.Equal(t, found, result.Findings[0].Kind == health.NotFinite, "%d reports", reports)
	}
}

func TestHistory_VanishedSteps(t *testing.T) {
	for name, test := range map[string]struct {
		steps    []float64
		newest   float64
		vanished bool
	}{
		"every 100, and then none for 300":       {[]float64{100, 200, 300, 400}, 700, true},
		"every 100, and two are missing":         {[]float64{100, 200, 300, 400}, 690, false},
		"twice as far apart each time":           {[]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}, 2047, false},
		"twice as far apart, and then none":      {[]float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}, 2560, true},
		"two reports, of which nothing is usual": {[]float64{100, 200}, 5000, false},
		"three reports":                          {[]float64{100, 200, 300}, 600, true},
		"three reports of one step":              {[]float64{100, 100, 100}, 100, false},
		"the run's step is not known":            {[]float64{100, 200, 300}, math.NaN(), false},
	} {
		t.Run(name, func(t *testing.T) {
			var all []health.Point
			for i, step := range append(test.steps, test.newest-2, test.newest-1, test.newest) {
				all = append(all, health.Point{At: begin.Add(time.Duration(i) * time.Minute), Step: step, Value: 1})
			}
			run := health.History{
				Curves:   []health.Curve{{Metric: "loss", Direction: health.Lower, Points: all[:len(test.steps)]}},
				Progress: health.Progress{Points: all, Total: math.NaN()},
			}
			require.Equal(t, test.vanished, run.Examine(begin).Findings[0].Kind == health.NotFinite)
		})
	}
}

// TestExamine_Rounded has losses in two digits that stay where they are, which differ by the last digit now and then.
func TestExamine_Rounded(t *testing.T) {
	for seed := range uint64(50) {
		chance := rand.New(rand.NewPCG(seed, 9))
		values := make([]float64, 200)
		for i := range values {
			values[i] = math.Round(100*(0.3+0.004*chance.NormFloat64())) / 100
		}
		require.NotContains(t, kinds(examine(values, health.Lower)), health.Diverging, "seed %d", seed)
	}
}

// TestExamine_JumpThatStays has a loss that falls by 40 %, with noise of 1 %, and then is half as high again: it stays found.
func TestExamine_JumpThatStays(t *testing.T) {
	for stays := 5; stays <= 25; stays++ {
		found := 0
		for seed := range uint64(100) {
			chance := rand.New(rand.NewPCG(seed, 9))
			values := make([]float64, 60)
			for i := range values {
				values[i] = 2 * math.Exp(-0.5*float64(i)/60+0.01*chance.NormFloat64())
			}
			values = changed(values, 60-stays, func(int) float64 { return 1.5 })
			if slices.Contains(kinds(examine(values, health.Lower)), health.Diverging) {
				found++
			}
		}
		require.GreaterOrEqual(t, found, 97, "after %d", stays)
	}
}
