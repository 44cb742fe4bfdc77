package metrics

import (
	"fmt"
	"math"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// Run is a training job while it holds the GPUs of its pool, and what is true of it in that time, or in a part of it.
type Run struct {
	ID       string            `json:"id"`       // of the fine-tuning job
	Name     string            `json:"name"`     // of the job: the suffix of its models
	Status   string            `json:"status"`   // running, succeeded, failed or cancelled
	Start    time.Time         `json:"start"`    // the first sample is at or after it
	End      time.Time         `json:"end"`      // now, while it runs
	Labels   map[string]string `json:"labels"`   // of its custom metrics
	Selector string            `json:"selector"` // of its GPUs
	Account

	Checkpoints          int      `json:"checkpoints"`          // written completely
	LongestCheckpointGap float64  `json:"longestCheckpointGap"` // seconds between one checkpoint and the next, 0 if there are no two
	Tokens               int64    `json:"tokens"`
	LastLoss             *float64 `json:"lastLoss"` // null if it is not a number
}

// Runs returns the runs that held GPUs somewhere from a time to another, as they are now, by pool, oldest first.
func (s *Store) Runs(from, to time.Time) []Run {
	runs := []Run{}
	for _, j := range s.labelSets.look(from.UnixMilli(), min(to.UnixMilli(), s.now().UnixMilli())).jobs {
		runs = append(runs, s.run(&j, j.Started, j.Finished))
	}
	return runs
}

// Run returns the part of a run from a time to another, and false if there is no such run.
func (s *Store) Run(id string, from, to time.Time) (Run, bool) {
	j, ok := s.labelSets.scenario.Job(id, s.now().UnixMilli())
	if !ok || j.Started == 0 || j.Started > s.now().UnixMilli() {
		return Run{}, false
	}
	return s.run(&j, max(from.UnixMilli(), j.Started), min(to.UnixMilli(), j.Finished)), true
}

func (s *Store) run(j *scenario.Job, from, to int64) Run {
	now := s.now().UnixMilli()
	to = max(from, min(to, now))
	r := Run{
		ID: j.ID, Name: j.Name, Status: "running", Start: time.UnixMilli(from).UTC(), End: time.UnixMilli(to).UTC(),
		Labels: map[string]string{}, Selector: fmt.Sprintf("nodepool_name=%q", j.NodePool), Account: s.Account(j.NodePool, from, to),
		Tokens: int64(j.Step(to)-j.Step(from)) * j.TokensPerStep(),
	}
	if now >= j.Finished {
		r.Status = string(j.Outcome)
	}
	for i, value := range trainer(j) {
		r.Labels[s.labelSets.trainers.names[i]] = value
	}
	if loss := j.Loss(j.Step(to)); !math.IsNaN(loss) {
		r.LastLoss = &loss
	}
	var last int64
	for _, at := range j.Checkpoints(to) {
		if at < from {
			continue
		}
		if r.Checkpoints++; r.Checkpoints > 1 {
			r.LongestCheckpointGap = max(r.LongestCheckpointGap, float64(at-last)/1000)
		}
		last = at
	}
	return r
}
