package jobs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
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
	// minVisibleJobs is the number of jobs whose checkpoints are read to find the newest.
	minVisibleJobs = 24
)

// tooManyRegions reports whether the jobs, all of which overlap the range, are too many to be regions.
func (q request) tooManyRegions(jobs []Job) bool {
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
// annotations of jobs and of checkpoints, of which there are more if some were not read.
func (q request) limitDensity(all []annotation, ofJobs, ofCheckpoints int, more bool) []annotation {
	split := slices.IndexFunc(all, func(a annotation) bool { return a.rank == rankCheckpoint })
	if split < 0 {
		split = len(all)
	}
	jobs, checkpoints := all[:split], all[split:]
	if ofJobs > maxJobPoints {
		jobs = q.onePerSlot(jobs, jobPointSlots)
		q.notices.Cut("Only %d of %d starts, ends and status changes of jobs are drawn: every failure, and others as far as there is space. Choose statuses, models or jobs, a shorter range, or points instead of automatic.", len(jobs), ofJobs)
	}
	if ofCheckpoints > maxCheckpointPoints {
		checkpoints = q.onePerSlot(ofNewestJob(checkpoints), checkpointPointSlots)
		total := fmt.Sprint(ofCheckpoints)
		if more {
			total = "more than " + total
		}
		q.notices.Info("Only %d of %s checkpoints are drawn, of one job. Choose one job or a shorter range to see others.", len(checkpoints), total)
	}
	return slices.Concat(jobs, checkpoints)
}

// visibleFirst divides jobs by whether their details are needed for what is drawn: the annotations of jobs that the limit of
// density leaves, and the checkpoints of the job with the newest one. Both parts begin with the job that ended last.
func (d *drawing) visibleFirst(jobs []Job) (visible, others []Job) {
	sorted := slices.Clone(jobs)
	slices.SortStableFunc(sorted, func(a, b Job) int { return d.lastDetail(b).Compare(d.lastDetail(a)) })
	drawn := d.drawnJobs(jobs)
	for i, job := range sorted {
		if drawn[job.ID] || i < minVisibleJobs && d.shows(showCheckpoints) {
			visible = append(visible, job)
		} else {
			others = append(others, job)
		}
	}
	return visible, others
}

// lastDetail is the time after which a job has no checkpoints: its end, or that of the range if the end is unknown.
func (q request) lastDetail(job Job) time.Time {
	if job.Finished != nil && job.Finished.Before(q.to) {
		return *job.Finished
	}
	return q.to
}

// drawnJobs are the ids of the jobs whose annotations the limit of density leaves.
func (d *drawing) drawnJobs(jobs []Job) map[string]bool {
	drawn := make(map[string]bool, len(jobs))
	if !d.shows(showJobs) {
		return drawn
	}
	var all []annotation
	for _, job := range jobs {
		some, _ := d.jobAnnotations(job, "", "", d.asPoints)
		all = append(all, some...)
	}
	slices.SortFunc(all, byRank)
	if d.Draw == drawAutomatic && len(all) > maxJobPoints {
		all = d.onePerSlot(all, jobPointSlots)
	}
	for _, one := range all {
		drawn[one.jobID] = true
	}
	return drawn
}

// needsOthers reports whether checkpoints of other jobs than the visible ones may be drawn. They are not if there are too many
// to draw those of more than one job, and if no other job ended after the newest of them.
func (q request) needsOthers(visible gateway.Details[gateway.List[Checkpoint]], others []Job) bool {
	if len(others) == 0 || visible.Pending > 0 || visible.Failed > 0 {
		return false
	}
	total := 0
	var newest time.Time
	for _, found := range visible.ByJob {
		for _, checkpoint := range found.Items {
			if at := checkpoint.Created; at != nil && q.contains(*at) {
				total++
				newest = query.Later(newest, *at)
			}
		}
	}
	return total <= maxCheckpointPoints || q.lastDetail(others[0]).After(newest)
}

// ofNewestJob are the checkpoints of the job with the newest checkpoint.
func ofNewestJob(newestFirst []annotation) []annotation {
	return slices.DeleteFunc(slices.Clone(newestFirst), func(a annotation) bool { return a.jobID != newestFirst[0].jobID })
}

// onePerSlot keeps the first annotation in each part of the range, and every failure. The parts are aligned, so that a
// refresh draws the same annotations.
func (q request) onePerSlot(all []annotation, spaces int64) []annotation {
	size := max(1, q.to.Sub(q.from).Milliseconds()/spaces)
	taken := map[int64]bool{}
	var kept []annotation
	for _, a := range all {
		if part := a.Time.UnixMilli() / size; a.rank == rankFailure || !taken[part] {
			taken[part] = true
			kept = append(kept, a)
		}
	}
	return kept
}
