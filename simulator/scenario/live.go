package scenario

import "time"

// forever is how long a job stays paused for good.
const forever = 365 * 24 * time.Hour

// PausedSince returns the job as it is if it is paused for good at t.
func (j Job) PausedSince(t int64) Job {
	j.Finished = t + forever.Milliseconds()
	j.Planned = j.Finished
	j.stay(Paused, t)
	return j
}

// stay makes the job do one thing from a time to its end.
func (j *Job) stay(in PhaseKind, from int64) {
	end := j.Finished
	j.cut(from)
	j.Finished = end
	j.Phases = append(j.Phases, Phase{in, from, end})
}
