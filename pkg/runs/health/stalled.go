package health

import (
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// stallFactor is how many times the usual time between steps, as they are reported, a run is silent. Of 116 public runs, 114 never were for
	// longer than five times.
	stallFactor = 6
	// stallPause is how many times its longest pause so far, such as that for a checkpoint: pauses of one kind differ by less.
	stallPause = 1.5
	// minStall is longer than checkpoints and evaluations take: nine minutes at the longest in 116 public runs.
	minStall = 15 * time.Minute
	// maxPauseShare bounds what an earlier pause counts, as a multiple of the other thresholds: one long one must not hide the next.
	maxPauseShare = 3
)

// stalledAt finds that no step was reported for longer than six times the usual time between two, one and a half times the
// longest pause so far, and a quarter of an hour, since the newest step or sign of life. A run that begins again may take as long to its next
// step as to its first. The caller knows that it goes on and is not paused. It is nil for fewer than three points, of which nothing is usual.
func (h History) stalledAt(now time.Time) *Finding {
	points := h.Progress.Points
	gaps := gapsOf(points)
	if len(gaps) < 2 {
		return nil
	}
	usual := Median(gaps)
	threshold := max(stallFactor*usual, minStall.Seconds())
	last := points[len(points)-1]
	longest := slices.Max(gaps)
	if h.SignOfLife.After(last.At) {
		last.At = h.SignOfLife
		longest = max(longest, h.Startup.Seconds())
	}
	threshold = max(threshold, min(stallPause*longest, maxPauseShare*threshold))
	silent := now.Sub(last.At).Seconds()
	if silent < threshold {
		return nil
	}
	step := "change of the value"
	if !math.IsNaN(last.Step) {
		step = fmt.Sprintf("step after %g", last.Step)
	}
	return &Finding{
		Kind: Stalled, Since: last, Certainty: certaintyOf(silent, threshold),
		Evidence: fmt.Sprintf("No %s for %s; %s is usual, and %s was the longest so far.", step,
			duration(seconds(silent)), duration(seconds(usual)), duration(seconds(longest))),
	}
}

// gapsOf are the seconds from each report to the next.
func gapsOf(points []Point) (gaps []float64) {
	for i := 1; i < len(points); i++ {
		if gap := points[i].At.Sub(points[i-1].At).Seconds(); gap > 0 {
			gaps = append(gaps, gap)
		}
	}
	return gaps
}

// UsualGap is the usual time from a report to the next, or zero if there are no two.
func UsualGap(points []Point) time.Duration {
	gaps := gapsOf(points)
	if len(gaps) == 0 {
		return 0
	}
	return seconds(Median(gaps))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
