package tuning

import (
	"cmp"
	"slices"
	"time"
)

// The bounds of the option automatic, so that annotations don't hide the series of a panel. Grafana fills a region over the
// height of the panel, with a darker color where regions overlap, and draws each point as a dashed line.
const (
	// maxRegions bounds the jobs that are drawn as regions.
	maxRegions = 6
	// maxRegionsAtOnce bounds the number of overlapping regions.
	maxRegionsAtOnce = 2
	// maxJobPoints is the number of points of jobs above which the density is limited.
	maxJobPoints = 60
	// maxCheckpointPoints is the same for checkpoints.
	maxCheckpointPoints = 24
	// jobPointSlots and checkpointPointSlots are the numbers of parts of the range, each with one point, to limit the density.
	jobPointSlots        = 60
	checkpointPointSlots = 48
)

// tooManyRegions reports whether the jobs, all of which overlap the range, are too many to be regions.
func (q *query) tooManyRegions(jobs []Job) bool {
	type edge struct {
		at    time.Time
		delta int
	}
	var edges []edge
	for _, job := range jobs {
		if l, isKnown := q.lifetimeOf(job); isKnown && l.end.After(l.start) {
			edges = append(edges, edge{l.start, 1}, edge{l.end, -1})
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

// limitDensity drops annotations if there are too many. They are sorted by rank, newest first. The totals are those of all
// annotations of jobs and of checkpoints.
func (q *query) limitDensity(all []annotation, ofJobs, ofCheckpoints int) []annotation {
	split := slices.IndexFunc(all, func(a annotation) bool { return a.rank == rankCheckpoint })
	if split < 0 {
		split = len(all)
	}
	jobs, checkpoints := all[:split], all[split:]
	if ofJobs > maxJobPoints {
		jobs = q.onePerSlot(jobs, jobPointSlots)
		q.notices.warn("Only %d of %d starts, ends and status changes of jobs are drawn: every failure, and others as far as there is space. Choose statuses, models or jobs, a shorter range, or points instead of automatic.", len(jobs), ofJobs)
	}
	if ofCheckpoints > maxCheckpointPoints {
		checkpoints = q.onePerSlot(ofNewestJob(checkpoints), checkpointPointSlots)
		q.notices.info("Only %d of %d checkpoints are drawn, of one job. Choose one job or a shorter range to see others.", len(checkpoints), ofCheckpoints)
	}
	return slices.Concat(jobs, checkpoints)
}

// ofNewestJob are the checkpoints of the job with the newest checkpoint.
func ofNewestJob(newestFirst []annotation) []annotation {
	return slices.DeleteFunc(slices.Clone(newestFirst), func(a annotation) bool { return a.jobID != newestFirst[0].jobID })
}

// onePerSlot keeps the first annotation in each part of the range, and every failure. The parts are aligned, so that a
// refresh draws the same annotations.
func (q *query) onePerSlot(all []annotation, spaces int64) []annotation {
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
