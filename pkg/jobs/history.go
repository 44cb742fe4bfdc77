package jobs

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// statusChange is a change of a job's status.
type statusChange struct {
	At     time.Time
	Status string
}

// changes are the status changes of a job, sorted by time: those of its events, and the last one of its record.
func changes(job Job, events []gateway.Event) []statusChange {
	var known []statusChange
	isOfRecord := !job.Finished.IsZero() || job.Status != "" && !job.IsOver() // the end, about which the record has precedence
	for _, e := range slices.SortedStableFunc(slices.Values(events), inOrder) {
		if e.Status == "" || e.Created.IsZero() || !job.Finished.IsZero() && e.Created.After(job.Finished) {
			continue
		}
		// Of other ends only a failure can be of the job: it was tried again after it.
		if isOfRecord && gateway.IsTerminal(e.Status) && e.Status != gateway.StatusFailed {
			continue
		}
		known = append(known, statusChange{e.Created, e.Status})
	}
	for n := len(known); n > 0 && isOfRecord && gateway.IsTerminal(known[n-1].Status); n-- {
		known = known[:n-1]
	}
	if !job.Finished.IsZero() && job.Status != "" {
		known = append(known, statusChange{job.Finished, job.Status})
	}
	return slices.CompactFunc(known, isSame)
}

// isSame reports whether two changes are to one status, by whichever of its words.
func isSame(a, b statusChange) bool { return gateway.Usual(a.Status) == gateway.Usual(b.Status) }

// inOrder compares events by time. Events of the same second have the order of a job's statuses, because times may be in
// seconds and pages in any order.
func inOrder(a, b gateway.Event) int {
	return cmp.Or(a.Created.Compare(b.Created), rank(a)-rank(b))
}

// rank is the position of an event's status in lifecycle: the creation is first, and unknown statuses are last.
func rank(e gateway.Event) int {
	if e.IsCreation {
		return -1
	}
	if i := slices.Index(lifecycle, strings.ToLower(e.Status)); i >= 0 {
		return i
	}
	return len(lifecycle)
}

// lastKnown is the time of the newest event, else of the creation, else zero.
func lastKnown(job Job, events []gateway.Event) time.Time {
	last := job.Created
	for _, e := range events {
		last = query.Later(last, e.Created)
	}
	return last
}

// startTime is the time of the first event with the status running, or zero.
func startTime(events []gateway.Event) (first time.Time) {
	for _, e := range events {
		if e.Status == gateway.StatusRunning && !e.Created.IsZero() && (first.IsZero() || e.Created.Before(first)) {
			first = e.Created
		}
	}
	return first
}

// waits reports whether a job with a status has not started, so that it has no checkpoints and no metrics yet.
func waits(status string) bool {
	switch gateway.Usual(status) {
	case gateway.StatusQueued, gateway.StatusPending, gateway.StatusValidating:
		return true
	}
	return false
}

// neverStarted reports whether a job ended while it waited, for example because its files are not valid: all of its events say so.
func neverStarted(job Job, events []gateway.Event) bool {
	waited := false
	for _, e := range events {
		if !waits(e.Status) && !gateway.IsTerminal(e.Status) {
			return false
		}
		waited = waited || waits(e.Status)
	}
	return waited && job.IsOver()
}

// pauses are when a job that had begun was paused, waited again, or had failed, until it went on, ended, or now. Not every gateway says in the record that
// a job lost its machines, nor in an event that it went on: then it does with its next step.
func pauses(job Job, events []gateway.Event, now time.Time) []Pause {
	changes := changes(job, events)
	var all []Pause
	var since time.Time
	for i, change := range changes {
		isPaused := gateway.Usual(change.Status) == gateway.StatusPaused
		rests := isPaused || waits(change.Status) || gateway.IsTerminal(change.Status) && i < len(changes)-1
		switch {
		case rests && since.IsZero() && (isPaused || i > 0 && changes[i-1].Status == gateway.StatusRunning):
			since = change.At
		case !rests && !since.IsZero():
			all = append(all, Pause{since, change.At})
			since = time.Time{}
		}
	}
	if !since.IsZero() && !job.IsOver() {
		until, saysSo := now, waits(job.Status) || gateway.Usual(job.Status) == gateway.StatusPaused
		for _, e := range events {
			if !saysSo && !math.IsNaN(e.Step) && e.Created.After(since) {
				until = query.Earlier(until, e.Created)
			}
		}
		all = append(all, Pause{since, until})
	}
	return all
}

// Worked is the time from one to another without pauses.
func Worked(from, to time.Time, pauses []Pause) time.Duration {
	worked := to.Sub(from)
	for _, pause := range pauses {
		worked -= max(query.Earlier(to, pause.To).Sub(query.Later(from, pause.From)), 0)
	}
	return worked
}

// endTime is the end of a job: that of its record, else of the event about it, else zero.
func endTime(job Job, events []gateway.Event) (end time.Time) {
	if !job.Finished.IsZero() || !job.IsOver() {
		return job.Finished
	}
	for _, e := range events {
		if gateway.IsTerminal(e.Status) {
			end = query.Later(end, e.Created)
		}
	}
	return end
}
