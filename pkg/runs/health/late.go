package health

import (
	"fmt"
	"math"
	"time"
)

// lateShare is by which share of a run's planned length it is late at least. It is a choice of what is worth an alert, not measured.
const lateShare = 0.1

// startShare is at which share of its steps the pace of a run says at the earliest that it will be late: compilation and cold caches took up to a
// tenth of the steps of made runs, of which 60 of 400 were once late without it, though they finished by their estimate.
const startShare = 0.1

// lateAtLeast is how late a short run is at least, longer than the longest pause of 116 public runs: nine minutes.
const lateAtLeast = 15 * time.Minute

// lateFor finds that a run will finish after its estimate by more than a tenth of its planned length: even the earlier end of
// the interval of its ETA does. An estimate that passed as long ago is missed, whatever the ETA, which may be nil.
func lateFor(eta *ETA, estimate, start, now time.Time) *Finding {
	tolerance := max(time.Duration(lateShare*float64(estimate.Sub(start))), lateAtLeast)
	f := &Finding{Kind: Late, Since: Point{At: estimate, Step: math.NaN()}}
	switch {
	case now.Sub(estimate) >= tolerance:
		f.Certainty = certain
		f.Evidence = fmt.Sprintf("It was to finish %s ago.", duration(now.Sub(estimate)))
		if eta != nil && eta.At.After(now) {
			f.Evidence += fmt.Sprintf(" By its steps it takes another %s.", duration(eta.At.Sub(now)))
		}
	case eta != nil && eta.Low.Sub(estimate) > tolerance:
		f.Since.At, f.Certainty = now, certaintyOf(float64(eta.Low.Sub(estimate)), float64(tolerance))
		f.Evidence = fmt.Sprintf("By its steps it finishes %s after its estimate, and no earlier than %s after it.",
			duration(eta.At.Sub(estimate)), duration(eta.Low.Sub(estimate)))
		if eta.Slower > 0 {
			f.Evidence += fmt.Sprintf(" Steps take %s longer than before.", percent(eta.Slower))
		}
	default:
		return nil
	}
	return f
}
