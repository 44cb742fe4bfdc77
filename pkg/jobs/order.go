package jobs

import (
	"cmp"
	"slices"
	"strings"
)

// newestFirst sorts jobs by creation, then id. Jobs without a time are last.
func newestFirst(jobs []Job) {
	slices.SortStableFunc(jobs, func(a, b Job) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID))
	})
}

// byTime sorts samples by time, then step.
func byTime(a, b Sample) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Step, b.Step)) }
