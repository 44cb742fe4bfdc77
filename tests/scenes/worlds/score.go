package worlds

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql"
)

// Score compares causes with the truth, in GPU-minutes.
type Score struct {
	Minutes, Wrong int
	// Confused counts by the true cause and the one that was found.
	Confused map[[2]int]int
}

// Evaluate compares the truth of every second minute from a warm-up of an hour on with the code of each GPU at its end, by an expression for them.
func (t *Truth) Evaluate(ctx context.Context, expr string) (*Score, error) {
	samples, causes := t.Samples()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e9, Timeout: time.Hour, LookbackDelta: 5 * time.Minute, EnableNegativeOffset: true})
	first, last := Start.Add(time.Hour), Start.Add(time.Duration(t.Hours)*time.Hour)
	const step = 2 * time.Minute
	query, err := engine.NewRangeQuery(ctx, samples, nil, expr, first, last, step)
	if err != nil {
		return nil, err
	}
	defer query.Close()
	matrix, err := query.Exec(ctx).Matrix()
	if err != nil {
		return nil, err
	}
	codes := map[string]map[int64]int{}
	for _, one := range matrix {
		name := one.Metric.Get("cluster_id") + "/" + one.Metric.Get("node") + "/" + one.Metric.Get("gpu")
		if codes[name] == nil {
			codes[name] = map[int64]int{}
		}
		for _, p := range one.Floats {
			codes[name][p.T] = int(p.F)
		}
	}
	if extra := len(codes) - len(causes); extra > 0 {
		return nil, fmt.Errorf("%d GPUs that do not exist", extra)
	}
	s := &Score{Confused: map[[2]int]int{}}
	for name, minutes := range causes {
		for at := first; !at.After(last); at = at.Add(step) {
			s.count(int(minutes[int(at.Sub(Start)/time.Minute)-1]), codes[name][at.UnixMilli()])
		}
	}
	return s, nil
}

func (s *Score) count(truth, found int) {
	s.Minutes++
	s.Confused[[2]int{truth, found}]++
	if truth != found {
		s.Wrong++
	}
}

// Add adds another score.
func (s *Score) Add(other *Score) {
	s.Minutes += other.Minutes
	s.Wrong += other.Wrong
	for pair, n := range other.Confused {
		s.Confused[pair] += n
	}
}

// WrongShare is the share of minutes with another cause than the true one.
func (s *Score) WrongShare() float64 { return float64(s.Wrong) / float64(s.Minutes) }

// Net is the share of time that is at another cause in sum: errors of both directions cancel.
func (s *Score) Net() float64 {
	difference := map[int]int{}
	for pair, n := range s.Confused {
		difference[pair[0]] -= n
		difference[pair[1]] += n
	}
	sum := 0
	for _, n := range difference {
		sum += max(n, -n)
	}
	return float64(sum) / 2 / float64(s.Minutes)
}

// Of is the precision and the recall of a cause, 1 where there is none.
func (s *Score) Of(cause int) (precision, recall float64) {
	var right, found, truth float64
	for pair, n := range s.Confused {
		if pair[0] == cause {
			truth += float64(n)
		}
		if pair[1] == cause {
			found += float64(n)
		}
		if pair[0] == cause && pair[1] == cause {
			right += float64(n)
		}
	}
	if found == 0 || truth == 0 {
		return 1, 1
	}
	return right / found, right / truth
}

func (s *Score) String() string {
	var b strings.Builder
	fp, fr := s.Of(int(Faulted))
	tp, tr := s.Of(int(Throttled))
	fmt.Fprintf(&b, "%d GPU-minutes: wrong %.1f %%, net %.1f %%, faulted %.1f, %.1f %%, throttled %.1f, %.1f %%;", s.Minutes,
		100*s.WrongShare(), 100*s.Net(), 100*fp, 100*fr, 100*tp, 100*tr)
	for truth := 0; truth <= int(NotMeasured); truth += 10 {
		for found := 0; found <= int(NotMeasured); found += 10 {
			if n := s.Confused[[2]int{truth, found}]; truth != found && float64(n) > 0.001*float64(s.Minutes) {
				fmt.Fprintf(&b, " %d as %d %.2f %%", truth, found, 100*float64(n)/float64(s.Minutes))
			}
		}
	}
	return b.String()
}
