package scenario

import (
	"errors"
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

func TestAnAddedJobTakesTheNodesOfALane(t *testing.T) {
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

func TestAJobThatMakesRoomIsPausedMeanwhile(t *testing.T) {
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

func TestJobsCanBePausedResumedAndCancelled(t *testing.T) {
	s, at := small(now), now.UnixMilli()
	j := s.Add(demoJob(at))
	if _, err := s.Pause(j.ID, at+1000); !errors.Is(err, ErrWaiting) {
		t.Errorf("pausing a job that hasn't started: %v", err)
	}
	if _, err := s.Resume(j.ID, j.Started+1000); !errors.Is(err, ErrRunning) {
		t.Errorf("resuming a job that isn't paused: %v", err)
	}
	paused, err := s.Pause(j.ID, j.Started+10e3)
	if p, _ := paused.Phase(j.Finished + hour); err != nil || p.Kind != Paused {
		t.Fatalf("paused: %v, %+v", err, paused)
	}
	if _, err := s.Pause(j.ID, j.Started+20e3); !errors.Is(err, ErrPaused) {
		t.Errorf("pausing a paused job: %v", err)
	}
	if load := s.Reader(j.NodePool, at).At(j.Started + 10e3 + Lead.Milliseconds()); load.Compute > 0 && len(s.Jobs(at, at)) == 0 {
		t.Errorf("a paused job works: %+v", load)
	}
	resumed, err := s.Resume(j.ID, j.Started+40e3)
	if err != nil || resumed.Finished != j.Finished+30e3 {
		t.Fatalf("resumed: %v, ends at %d, planned was %d", err, resumed.Finished, j.Finished)
	}
	if got := resumed.Step(resumed.Finished); got != j.Steps {
		t.Errorf("%d steps after a pause, want %d", got, j.Steps)
	}
	cancelled, err := s.Cancel(j.ID, j.Started+50e3)
	if err != nil || cancelled.Outcome != Cancelled || cancelled.Finished != j.Started+50e3 {
		t.Fatalf("cancelled: %v, %+v", err, cancelled)
	}
	if _, err := s.Cancel(j.ID, j.Started+60e3); !errors.Is(err, ErrFinished) {
		t.Errorf("canceling a cancelled job: %v", err)
	}
	if _, err := s.Cancel("ftjob-nothing", at); !errors.Is(err, ErrNoJob) {
		t.Errorf("canceling nothing: %v", err)
	}
}

func TestCountersNeverFallWhateverIsDoneToJobs(t *testing.T) {
	s, at := small(now), now.UnixMilli()
	last := [Serving]float64{}
	var id string
	for i := range 160 {
		switch i % 40 {
		case 5:
			id = s.Add(demoJob(at)).ID
		case 17:
			_, _ = s.Pause(id, at)
		case 23:
			_, _ = s.Resume(id, at)
		case 30:
			_, _ = s.Cancel(id, at)
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

func TestAJobThatDivergesEndsWithoutALoss(t *testing.T) {
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
