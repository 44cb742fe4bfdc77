package scenario

import (
	"slices"
	"time"
)

// forever is how long a job stays paused for good.
const forever = 365 * 24 * time.Hour

// PausedSince returns the job as it is if it is paused for good at t.
func (j Job) PausedSince(t int64) Job {
	j.Finished = t + forever.Milliseconds()
	j.Planned = j.Finished
	j.interrupt(Paused, t, j.Finished)
	return j
}

// interrupt replaces what a job does in [from, to) by something else; the job ends when it would have.
func (j *Job) interrupt(by PhaseKind, from, to int64) {
	from, to = max(from, j.Started), min(to, j.Finished)
	if from >= to {
		return
	}
	var phases []Phase
	for _, p := range j.Phases {
		if p.Start < from {
			phases = append(phases, Phase{p.Kind, p.Start, min(p.End, from)})
		}
	}
	phases = append(phases, Phase{by, from, to})
	for _, p := range j.Phases {
		if p.End > to {
			phases = append(phases, Phase{p.Kind, max(p.Start, to), p.End})
		}
	}
	j.Phases = phases
}

// change makes a new plan that covers t, and publishes it.
func (s *Scenario) change(t int64, how func(next *plan)) {
	s.until(t)
	s.write.Lock()
	defer s.write.Unlock()
	next := *s.plan.Load()
	how(&next)
	next.slow(s.slowdowns)
	s.plan.Store(&next)
}

// find returns the job with an id that was created before t.
func (p *plan) find(id string, t int64) (Job, bool) {
	is := func(j Job) bool { return j.ID == id && j.Created <= t }
	for _, jobs := range append([][]Job{p.changed}, p.jobs[:]...) {
		if i := slices.IndexFunc(jobs, is); i >= 0 {
			return jobs[i], true
		}
	}
	return Job{}, false
}

// detach puts a job that has been changed in the place of the former one, among those that incidents change.
func (p *plan) detach(j Job) {
	same := func(other Job) bool { return other.ID == j.ID }
	p.changed = append(slices.DeleteFunc(slices.Clone(p.changed), same), j)
	if slices.ContainsFunc(p.jobs[j.NodePool], same) {
		p.jobs[j.NodePool] = slices.DeleteFunc(slices.Clone(p.jobs[j.NodePool]), same)
	}
}

// repaint makes the load of a job's pool in [from, to) that of the job.
func (p *plan) repaint(j *Job, from, to int64) {
	if from >= to {
		return
	}
	old := p.timelines[j.NodePool]
	reader := Reader{tl: old}
	tl := old.before(from).add(from, idle)
	for _, part := range j.Phases {
		if part.End > from && part.Start < to {
			tl = tl.add(max(part.Start, from), j.load(part.Kind))
		}
	}
	if j.Finished > from && j.Finished < to {
		tl = tl.add(j.Finished, idle)
	}
	tl = tl.add(to, reader.At(to))
	for _, s := range old {
		if s.start > to {
			tl = tl.add(s.start, s.load)
		}
	}
	p.timelines[j.NodePool] = tl
}
