package jobs

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// newestFirst sorts jobs by creation, then id. Jobs without a time are last.
func newestFirst(jobs []Job) {
	slices.SortStableFunc(jobs, func(a, b Job) int {
		return cmp.Or(compareTimes(b.Created, a.Created), strings.Compare(a.ID, b.ID))
	})
}

// byTime sorts samples by time, then step.
func byTime(a, b Sample) int { return cmp.Or(compareTimes(a.At, b.At), compareNumbers(a.Step, b.Step)) }

// compareTimes sorts nil first.
func compareTimes(a, b *time.Time) int { return compareValues(a, b, time.Time.Compare) }

// compareNumbers sorts nil first.
func compareNumbers(a, b *float64) int { return compareValues(a, b, cmp.Compare[float64]) }

func compareValues[T any](a, b *T, compare func(a, b T) int) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return compare(*a, *b)
}
