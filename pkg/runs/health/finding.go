package health

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Kind is what was found.
type Kind string

// The kinds of findings.
const (
	NotFinite   Kind = "notFinite"
	Diverging   Kind = "diverging"
	Stalled     Kind = "stalled"
	Late        Kind = "late"
	Overfitting Kind = "overfitting"
	TooFew      Kind = "tooFewPoints"
	Healthy     Kind = "healthy"
)

// Kinds are the kinds that say that something is wrong, the most urgent first.
var Kinds = []Kind{NotFinite, Diverging, Stalled, Late, Overfitting}

// How sure a finding is: a fact, far beyond the threshold, and just beyond it.
const (
	certain  = "certain"
	likely   = "likely"
	possible = "possible"
)

// Finding is one thing that was found about a run.
type Finding struct {
	Kind Kind
	// Metric is that of the curve which the finding is about, and Direction is that of the metric. They are empty if it is about the run.
	Metric    string
	Direction Direction
	// Since is the first point that shows it; its time is zero and its step NaN if they are unknown, or if nothing is wrong.
	Since Point
	// Evidence says in a sentence why.
	Evidence string
	// Certainty is certain, likely or possible.
	Certainty string
}

// IsWrong reports whether something is wrong.
func (f Finding) IsWrong() bool { return f.Kind != Healthy && f.Kind != TooFew }

// certaintyOf says how far beyond a threshold a measure is.
func certaintyOf(measure, threshold float64) string {
	if measure >= 2*threshold {
		return likely
	}
	return possible
}

// number writes a value with four digits.
func number(value float64) string { return strconv.FormatFloat(value, 'g', 4, 64) }

// where says where a point is: by its step, or else by nothing.
func where(p Point) string {
	if math.IsNaN(p.Step) {
		return ""
	}
	return " at step " + strconv.FormatFloat(p.Step, 'f', -1, 64)
}

func percent(share float64) string { return fmt.Sprintf("%.2g %%", 100*share) }

// duration writes a duration with its two largest units: 2 h 5 min.
func duration(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	case d < 48*time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	d = d.Round(time.Hour)
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}
