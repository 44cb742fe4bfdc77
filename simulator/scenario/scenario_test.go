package scenario

import (
	"reflect"
	"runtime"
	"testing"
	"time"
	"weak"
)

var now = time.Date(2026, 5, 20, 15, 4, 5, 0, time.UTC)

const hour = int64(time.Hour / time.Millisecond)

func small(at time.Time) *Scenario { return New(Config{Nodes: 8, GPUsPerNode: 8, Now: at}) }

func TestNew_Reproducible(t *testing.T) {
	early, late := small(now), small(now.Add(100*24*time.Hour))
	from, to := now.Add(70*24*time.Hour).UnixMilli(), now.Add(90*24*time.Hour).UnixMilli()
	if a, b := early.Jobs(from, to), late.Jobs(from, to); len(a) < 30 || !reflect.DeepEqual(a, b) {
		t.Errorf("a scenario written ahead has %d jobs, one written later %d, or they differ", len(a), len(b))
	}
	for at := from; at < to; at += hour {
		for pool := Pretraining; pool < NodePools; pool++ {
			if a, b := early.Reader(pool, at).At(at), late.Reader(pool, at).At(at); a != b {
				t.Fatalf("pool %s at %d: %+v and %+v", pool, at, a, b)
			}
		}
	}
}

// Scenarios in use are shared, and others take no memory.
func TestNew_Shared(t *testing.T) {
	first := small(now)
	if small(now) != first {
		t.Error("the same scenario was made twice")
	}
	unused := weak.Make(small(now.Add(200 * 24 * time.Hour)))
	runtime.GC()
	if unused.Value() != nil {
		t.Error("a scenario is kept that nobody uses")
	}
	runtime.KeepAlive(first)
}

func TestJobs_OneAtATimeOnANodePool(t *testing.T) {
	s := small(now)
	ends := map[NodePool]int64{}
	outcomes := map[Outcome]int{}
	for _, j := range s.Jobs(now.Add(-35*24*time.Hour).UnixMilli(), now.UnixMilli()) {
		if j.Created < ends[j.NodePool] {
			t.Errorf("%s is created before its predecessor has finished", j.ID)
		}
		ends[j.NodePool] = j.Finished
		outcomes[j.Outcome]++
		at := j.Created
		for _, p := range j.Phases {
			if p.Start != at || p.End < p.Start {
				t.Errorf("%s: phase %s begins at %d, want %d, and ends at %d", j.ID, p.Kind, p.Start, at, p.End)
			}
			at = p.End
		}
		if at != j.Finished {
			t.Errorf("%s: the last phase ends at %d, the job at %d", j.ID, at, j.Finished)
		}
		if (j.Outcome == Failed) != (j.Failure != "") {
			t.Errorf("%s is %s for the reason %q", j.ID, j.Outcome, j.Failure)
		}
	}
	for _, o := range []Outcome{Succeeded, Failed, Cancelled} {
		if outcomes[o] == 0 {
			t.Errorf("no job %s in 35 days: %v", o, outcomes)
		}
	}
}

func TestJob_LossAndLearningRate(t *testing.T) {
	for _, j := range small(now).Jobs(now.Add(-7*24*time.Hour).UnixMilli(), now.UnixMilli()) {
		if first, last := j.Loss(0), j.Loss(j.Steps); last > 0.6*first && j.Failure != FailureDiverged {
			t.Errorf("%s: loss only falls from %g to %g", j.ID, first, last)
		}
		if rate := j.LearningRateAt(j.Steps); rate > 0.11*j.LearningRate || rate <= 0 {
			t.Errorf("%s: the learning rate ends at %g of %g", j.ID, rate, j.LearningRate)
		}
		if j.Outcome == Succeeded && j.Step(j.Finished) != j.Steps {
			t.Errorf("%s succeeded after %d of %d steps", j.ID, j.Step(j.Finished), j.Steps)
		}
		if j.Step(j.Started) != 0 {
			t.Errorf("%s has made %d steps before it began", j.ID, j.Step(j.Started))
		}
	}
}

func TestNodeFailures_Monthly(t *testing.T) {
	for weeks := range 6 {
		at := now.AddDate(0, 0, 7*weeks+weeks)
		s := small(at)
		incidents := s.NodeFailures(at.Add(-30*24*time.Hour).UnixMilli(), at.UnixMilli())
		if n := len(incidents); n < 1 || n > 2 {
			t.Fatalf("%d incidents in the 30 days before %s", n, at)
		}
		if incidents[0].GPU == s.Straggler() {
			t.Error("the straggler is also the GPU that fails")
		}
	}
}

func TestReader_AccumulatedLoad(t *testing.T) {
	s := small(now)
	to := now.UnixMilli()
	for pool := Pretraining; pool < NodePools; pool++ {
		r := s.Reader(pool, to)
		sum := 0.0
		for at := to - 24*hour; at < to; at += 10e3 {
			sum += 10 * r.At(at).Compute
		}
		end, begin := r.Until(to), r.Until(to-24*hour)
		if got := end.Compute - begin.Compute; got < sum-60 || got > sum+60 {
			t.Errorf("pool %s: %g compute seconds accumulated, %g counted", pool, got, sum)
		}
	}
}

func TestQueue_AccountsForEveryNode(t *testing.T) {
	s := small(now)
	longest, shortest := 0, 1000
	for at := now.Add(-7 * 24 * time.Hour).UnixMilli(); at < now.UnixMilli(); at += 10 * 60e3 {
		q := s.Queue(at)
		if n := q.Allocated + q.Mixed + q.Idle + q.Down + q.Drained; n != 7 {
			t.Fatalf("%d nodes at %d: %+v", n, at, q)
		}
		waiting := q.Pending[0] + q.Pending[1] + q.Pending[2]
		longest, shortest = max(longest, waiting), min(shortest, waiting)
	}
	if longest < 20 || shortest > 3 {
		t.Errorf("the queue has between %d and %d jobs: no waves", shortest, longest)
	}
}
