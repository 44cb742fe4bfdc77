package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/training/findings"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

const (
	// trainingSeeds is how many runs of each kind there are.
	trainingSeeds = 1000
	// curvePoints is how many points a curve of the gateway has, and evaluationEvery after how many there is a validation.
	curvePoints, evaluationEvery = 150, 5
	// loss that is half above its lowest is what the rule looked for that training health replaces.
	formerRule = 1.5
	// formerPending is how long that had to be the case. The rules of training health fire at once.
	formerPending = 2 * time.Minute
	// aheadOfFormer is how much earlier a divergence is to be found than by it.
	aheadOfFormer = 5 * time.Minute
)

// The kinds of runs beside the pathologies of losses.
const (
	isHealthy scenario.Pathology = ""
	hangs     scenario.Pathology = "hangs"
)

// wanted is what is to be found about each kind of run, and nothing else that is urgent.
var wanted = []struct {
	goesWrong scenario.Pathology
	kind      findings.Kind
}{
	{isHealthy, findings.Healthy}, {scenario.TurnsNaN, findings.NotFinite}, {scenario.Diverges, findings.Diverging}, {hangs, findings.Stalled},
	{scenario.Overfits, findings.Overfitting}, {scenario.Flattens, findings.Plateau}, {scenario.Spiked, findings.Spike},
}

// urgent are the kinds that alert rules are about.
var urgent = []findings.Kind{findings.NotFinite, findings.Diverging, findings.Stalled}

// watched is what was found about a run from its start to its end, evaluated at each of its points.
type watched struct {
	first  map[findings.Kind]time.Time // when a kind was found first
	before map[findings.Kind]bool      // found before anything went wrong
	wrong  time.Time
	former time.Time // when the former rule found something, or zero
	ended  time.Time
}

// trainingInsight compares what is found about training runs with the truth.
func trainingInsight(ctx context.Context, _ options, r *report.Report) error {
	for _, want := range wanted {
		all := make([]watched, trainingSeeds)
		err := eachSeed(ctx, trainingSeeds, func(_ context.Context, seed int) error {
			all[seed] = watch(trainingRun(uint64(seed), want.goesWrong))
			return nil
		})
		if err != nil {
			return err
		}
		reportWatched(r.Group("training: %d runs, %s", trainingSeeds, cmp.Or(string(want.goesWrong), "nothing goes wrong")), want.kind, all)
	}
	return reportETA(ctx, r.Group("training: ETA at a quarter of %d healthy runs", trainingSeeds))
}

// trainingRun is a run that goes wrong, if it does, after 30 % to 70 % of its steps.
func trainingRun(seed uint64, goesWrong scenario.Pathology) scenario.Job {
	created := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	after := 0.3 + 0.4*scenario.Unit(scenario.Mix(seed, 71))
	if goesWrong != hangs {
		return scenario.TrainingJob(seed, created, goesWrong, after)
	}
	j := scenario.TrainingJob(seed, created, isHealthy, after)
	if at, ok := j.TimeOf(int(after * float64(j.Steps))); ok {
		j.Hang(at)
		j.Pathology, j.WrongFrom = hangs, j.Step(at)
	}
	return j
}

// curves are what the gateway reports of a run from its start to its end.
type curves struct {
	job                *scenario.Job
	loss, valid, steps []findings.Point
}

func curvesOf(j *scenario.Job) curves {
	c := curves{job: j}
	for i := 1; i <= curvePoints; i++ {
		step := max(j.Steps*i/curvePoints, 1)
		reached, ok := j.TimeOf(step)
		if !ok {
			break
		}
		p := findings.Point{At: time.UnixMilli(reached), Step: float64(step)}
		c.steps = append(c.steps, p)
		if p.Value = j.Loss(step); !math.IsNaN(p.Value) { // JSON has no NaN
			c.loss = append(c.loss, p)
		}
		if p.Value = j.ValidLoss(step); i%evaluationEvery == 0 && !math.IsNaN(p.Value) {
			c.valid = append(c.valid, p)
		}
	}
	return c
}

// at is a run as the gateway reports it at a time.
func (c curves) at(at time.Time) findings.Run {
	until := func(points []findings.Point) []findings.Point {
		return points[:sort.Search(len(points), func(i int) bool { return points[i].At.After(at) })]
	}
	return findings.Run{
		Running: at.UnixMilli() < c.job.Finished, Start: time.UnixMilli(c.job.Started),
		Progress: findings.Progress{Points: until(c.steps), Total: float64(c.job.Steps)},
		Curves: []findings.Curve{
			{Metric: "train_loss", Direction: findings.Lower, Points: until(c.loss)},
			{Metric: "valid_loss", Direction: findings.Lower, Points: until(c.valid)},
		},
	}
}

// watch evaluates a run every minute in which a point came, and every tenth besides, in which it may hang.
func watch(j scenario.Job) watched {
	w := watched{first: map[findings.Kind]time.Time{}, before: map[findings.Kind]bool{}, ended: time.UnixMilli(j.Finished)}
	if at, ok := j.TimeOf(j.WrongFrom); ok && j.Pathology != isHealthy {
		w.wrong = time.UnixMilli(at)
	}
	reported := curvesOf(&j)
	points, silent := 0, 0
	lowest := math.Inf(1)
	for at := time.UnixMilli(j.Started).Truncate(time.Minute); at.Before(w.ended); at = at.Add(time.Minute) {
		run := reported.at(at)
		if silent++; len(run.Progress.Points) == points && silent%10 != 0 {
			continue
		}
		points = len(run.Progress.Points)
		for _, p := range run.Curves[0].Points {
			lowest = min(lowest, p.Value)
		}
		if n := len(run.Curves[0].Points); n > 0 && w.former.IsZero() && run.Curves[0].Points[n-1].Value > formerRule*lowest {
			w.former = at
		}
		for _, f := range run.Examine(at).Findings {
			if !f.Active() && f.Kind != findings.Spike {
				continue
			}
			if w.wrong.IsZero() || at.Before(w.wrong) {
				w.before[f.Kind] = true
			} else if _, found := w.first[f.Kind]; !found {
				w.first[f.Kind] = at
			}
		}
	}
	return w
}

// reportWatched adds how often and how early runs were found to be what they are.
func reportWatched(group report.Group, want findings.Kind, all []watched) {
	share := func(what string, has func(watched) bool, goal report.Goal) {
		count := 0
		for _, w := range all {
			if has(w) {
				count++
			}
		}
		group.Figure(what, report.Figure{Value: float64(count) / float64(len(all)), Unit: report.Share}, goal)
	}
	most := report.NoMore(report.Figure{Value: 0.01, Unit: report.Share})
	if want == findings.Healthy {
		share("runs with a false alarm", func(w watched) bool {
			return slices.ContainsFunc(urgent, func(kind findings.Kind) bool { return w.before[kind] })
		}, most)
		// Spikes are left out: healthy runs have some.
		for _, kind := range slices.DeleteFunc(slices.Clone(findings.Kinds), func(kind findings.Kind) bool { return kind == findings.Spike }) {
			share("runs with a false "+string(kind), func(w watched) bool { return w.before[kind] }, report.Goal{})
		}
		share("false alarms of a loss half above its lowest", func(w watched) bool { return !w.former.IsZero() }, report.Goal{})
		return
	}
	found := func(w watched) bool { _, ok := w.first[want]; return ok }
	share(fmt.Sprintf("found (%s)", want), found, report.Goal{})
	share("found something else that is urgent", func(w watched) bool {
		return slices.ContainsFunc(urgent, func(kind findings.Kind) bool { _, ok := w.first[kind]; return ok && kind != want })
	}, report.Goal{})
	var delays, leads []float64
	ahead := 0
	for _, w := range all {
		at, ok := w.first[want]
		if !ok {
			continue
		}
		delays = append(delays, at.Sub(w.wrong).Minutes())
		former := w.ended
		if !w.former.IsZero() {
			former = w.former.Add(formerPending)
		}
		if want == findings.Diverging && former.After(w.wrong) {
			leads = append(leads, former.Sub(at).Minutes())
			if former.Sub(at) >= aheadOfFormer {
				ahead++
			}
		}
	}
	minutes := func(what string, values []float64, share float64) {
		if len(values) > 0 {
			slices.Sort(values)
			group.Figure(what, report.Took(time.Duration(values[int(share*float64(len(values)-1))]*float64(time.Minute))), report.Goal{})
		}
	}
	minutes("found after, median", delays, 0.5)
	minutes("found after, 95 %", delays, 0.95)
	if want == findings.Diverging {
		minutes("ahead of a loss half above its lowest, median", leads, 0.5)
		minutes("ahead of it, 5 %", leads, 0.05)
		group.Figure("ahead of it by 5 minutes", report.Figure{Value: float64(ahead) / float64(len(leads)), Unit: report.Share}, report.Goal{})
	}
}

// reportETA compares ETAs at a quarter of the way with when the runs finish. What runs take after their last step is known from
// others, as it is where some have finished.
func reportETA(ctx context.Context, group report.Group) error {
	var mu sync.Mutex
	var wrongs []float64
	inside := 0
	var endings []time.Duration
	for seed := range 20 {
		j := trainingRun(uint64(trainingSeeds+seed), isHealthy)
		if last, ok := j.TimeOf(j.Steps); ok {
			endings = append(endings, time.Duration(j.Finished-last)*time.Millisecond)
		}
	}
	err := eachSeed(ctx, trainingSeeds, func(_ context.Context, seed int) error {
		j := trainingRun(uint64(seed), isHealthy)
		quarter, _ := j.TimeOf(j.Steps / 4)
		run := curvesOf(&j).at(time.UnixMilli(quarter))
		run.Progress.Ending = findings.EndingOf(endings)
		eta, ok := findings.EstimateFinish(run.Progress)
		finish := time.UnixMilli(j.Finished)
		mu.Lock()
		defer mu.Unlock()
		if !ok {
			wrongs = append(wrongs, 1)
			return nil
		}
		wrongs = append(wrongs, math.Abs(float64(eta.At.Sub(finish)))/float64(j.Finished-quarter)/float64(time.Millisecond))
		if !finish.Before(eta.Low) && !finish.After(eta.High) {
			inside++
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(wrongs)
	at := func(share float64) report.Figure {
		return report.Figure{Value: wrongs[int(share*float64(len(wrongs)-1))], Unit: report.Share}
	}
	group.Figure("error, of the time left, median", at(0.5), report.Goal{})
	group.Figure("error, 95 %", at(0.95), report.NoMore(report.Figure{Value: 0.1, Unit: report.Share}))
	within := 0
	for _, wrong := range wrongs {
		if wrong <= 0.1 {
			within++
		}
	}
	group.Figure("within 10 %", report.Figure{Value: float64(within) / float64(len(wrongs)), Unit: report.Share}, report.Goal{})
	group.Figure("finish is in the interval, of 90 %", report.Figure{Value: float64(inside) / float64(len(wrongs)), Unit: report.Share}, report.Goal{})
	return nil
}
