package tuning

import (
	"cmp"
	"slices"
	"time"
)

// The bounds of what is drawn automatically, so that the series of a panel stay the first thing seen. Grafana paints a region
// over the height of the panel, with one tint on top of the other where regions overlap, and each point as a dashed line.
const (
	// maxRegions is how many jobs are regions at most.
	maxRegions = 6
	// maxRegionsAtOnce is how many regions overlap at most.
	maxRegionsAtOnce = 2
	// maxJobMarks is how many points of jobs are drawn before they are thinned.
	maxJobMarks = 60
	// maxCheckpointMarks is the same of checkpoints, of all jobs.
	maxCheckpointMarks = 24
	// jobMarkSpaces and checkpointSpaces are how many points fit into the range where they are thinned: one in each part of it.
	jobMarkSpaces    = 60
	checkpointSpaces = 48
)

// crowded tells whether the jobs, all of which reach into the range, would hide what is under them if they were regions.
func (q *query) crowded(jobs []Job) bool {
	type edge struct {
		at    time.Time
		delta int
	}
	var edges []edge
	for _, job := range jobs {
		if lived, isKnown := q.lifeOf(job); isKnown && lived.end.After(lived.start) {
			edges = append(edges, edge{lived.start, 1}, edge{lived.end, -1})
		}
	}
	if len(edges) > 2*maxRegions {
		return true
	}
	// A job that ends when the next begins does not overlap it.
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.delta, b.delta)) })
	atOnce := 0
	for _, e := range edges {
		if atOnce += e.delta; atOnce > maxRegionsAtOnce {
			return true
		}
	}
	return false
}

// thinned leaves out what would cover a panel. The annotations come in the order of their ranks, newest first; the totals
// are how many of jobs and of checkpoints there are.
func (q *query) thinned(all []annotation, ofJobs, ofCheckpoints int) []annotation {
	split := slices.IndexFunc(all, func(a annotation) bool { return a.rank == rankCheckpoint })
	if split < 0 {
		split = len(all)
	}
	jobs, checkpoints := all[:split], all[split:]
	if ofJobs > maxJobMarks {
		jobs = q.spaced(jobs, jobMarkSpaces)
		q.notices.warn("Only %d of %d starts, ends and status changes of jobs are drawn: every failure, and others as far as there is space. Choose statuses, models or jobs, a shorter range, or marks instead of automatic.", len(jobs), ofJobs)
	}
	if ofCheckpoints > maxCheckpointMarks {
		checkpoints = q.spaced(ofNewestJob(checkpoints), checkpointSpaces)
		q.notices.info("Only %d of %d checkpoints are drawn, of one job. Choose one job or a shorter range to see others.", len(checkpoints), ofCheckpoints)
	}
	return slices.Concat(jobs, checkpoints)
}

// ofNewestJob are the checkpoints of the job that has the newest.
func ofNewestJob(newestFirst []annotation) []annotation {
	return slices.DeleteFunc(slices.Clone(newestFirst), func(a annotation) bool { return a.jobID != newestFirst[0].jobID })
}

// spaced keeps the first annotation in each of so many parts of the range, and every failure. The parts don't move with the
// range, so that a refresh draws the same.
func (q *query) spaced(all []annotation, spaces int64) []annotation {
	size := max(1, q.to.Sub(q.from).Milliseconds()/spaces)
	taken := map[int64]bool{}
	var kept []annotation
	for _, a := range all {
		if part := a.time.UnixMilli() / size; a.rank == rankFailure || !taken[part] {
			taken[part] = true
			kept = append(kept, a)
		}
	}
	return kept
}
