package scenario

import (
	"math"
	"testing"
	"time"
)

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
