package scenario

import (
	"math"
	"testing"
	"time"
)

func demoJob(created int64) Job {
	return NewJob(Spec{
		Seed: Mix(uint64(created)), Model: "m", Created: created, Length: 90 * time.Second, Checkpoints: 3,
		Epochs: 3, BatchSize: 8, LearningRate: 1e-4,
	})
}

func TestAdd_TakesTheNodesOfAPool(t *testing.T) {
	s, at := small(now), now.UnixMilli()
	before := [Serving]Load{}
	for pool := range before {
		before[pool] = s.Reader(NodePool(pool), at).Until(at + Lead.Milliseconds())
	}
	j := s.Add(demoJob(at))
	if found, ok := s.Job(j.ID, at); !ok || found.NodePool != j.NodePool {
		t.Fatalf("%s isn't found", j.ID)
	}
	for _, p := range j.Phases {
		middle := (p.Start + p.End) / 2
		if got, want := s.Reader(j.NodePool, middle).At(middle), j.load(p.Kind); p.Start >= j.Started && got != want {
			t.Errorf("in %s the load is %+v, want %+v", p.Kind, got, want)
		}
	}
	for pool := range before {
		if after := s.Reader(NodePool(pool), at).Until(at + Lead.Milliseconds()); after != before[pool] {
			t.Errorf("pool %d: what was read already is now %+v, not %+v", pool, after, before[pool])
		}
	}
	week := small(now)
	for pool := Pretraining; pool < NodePools; pool++ {
		if a, b := s.Reader(pool, j.Finished+hour).At(j.Finished+hour), week.Reader(pool, j.Finished+hour).At(j.Finished+hour); a != b {
			t.Errorf("pool %s doesn't go on as scheduled: %+v, %+v", pool, a, b)
		}
	}
}

func TestAdd_PausesTheJobOfThePool(t *testing.T) {
	s, at := New(Config{Nodes: 1, GPUsPerNode: 1, Now: now}), now.UnixMilli()
	for len(s.Jobs(at, at+90e3)) == 0 {
		at += hour
	}
	scheduled := s.Jobs(at, at)[0]
	guest := s.Add(demoJob(at))
	for t0, want := range map[int64]bool{at: false, guest.Started: true, guest.Finished - 1: true, guest.Finished: false} {
		j, ok := s.Job(scheduled.ID, t0)
		if p, _ := j.Phase(t0); !ok || (p.Kind == Paused) != want {
			t.Errorf("at %d its phase is %s", t0-at, p.Kind)
		}
	}
}

func TestAdd_CountersNeverFall(t *testing.T) {
	s, at := small(now), now.UnixMilli()
	last := [Serving]float64{}
	for i := range 160 {
		if i%40 == 5 {
			s.Add(demoJob(at))
		}
		for pool := range last {
			read := s.Reader(NodePool(pool), at).Until(at + Lead.Milliseconds()).Compute
			if read < last[pool] {
				t.Fatalf("pool %d falls from %g to %g", pool, last[pool], read)
			}
			last[pool] = read
		}
		at += 3000
	}
}

func TestNewJob_Diverging(t *testing.T) {
	j := NewJob(Spec{Seed: 3, Created: now.UnixMilli(), Length: time.Hour, Checkpoints: 6, Outcome: Failed, Failure: FailureDiverged})
	end := j.Step(j.Finished)
	if !math.IsNaN(j.Loss(end)) || j.Loss(end*9/10) < 2*j.Loss(end*6/10) || j.Loss(end*6/10) > j.Loss(0) {
		t.Errorf("losses %g, %g, %g, %g", j.Loss(0), j.Loss(end*6/10), j.Loss(end*9/10), j.Loss(end))
	}
	if at, ok := j.TimeOf(end); !ok || j.Step(at) != end {
		t.Errorf("step %d is done at %d, when %d are", end, at, j.Step(at))
	}
	if _, ok := j.TimeOf(j.Steps); ok {
		t.Error("a failed job has done all of its steps")
	}
}
