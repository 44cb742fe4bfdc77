package health

import (
	"fmt"
	"math"
)

// notFinite finds values that are NaN or infinite. It still is the case if the newest value is one; otherwise the finding ended
// with the next finite value. Mixed-precision training skips steps whose gradients overflow, so single ones are harmless
// (Micikevicius et al., arXiv 1710.03740, section 3.2). Of several stretches it is the newest.
func notFinite(points []Point) *Finding {
	last := len(points) - 1
	for last >= 0 && isFinite(points[last].Value) {
		last--
	}
	if last < 0 {
		return nil
	}
	first := last
	for first > 0 && !isFinite(points[first-1].Value) {
		first--
	}
	f := &Finding{Kind: NotFinite, Since: points[first], Value: math.NaN(), Certainty: certain}
	count := last - first + 1
	if last == len(points)-1 {
		f.Evidence = fmt.Sprintf("The newest %s not a number or infinite%s.", plural(count, "value is", "values are"), where(points[first]))
		return f
	}
	f.Until = &points[last+1]
	f.Value = points[len(points)-1].Value
	f.Evidence = fmt.Sprintf("%s not a number or infinite%s; then values were finite again.", plural(count, "value was", "values were"), where(points[first]))
	return f
}

func plural(count int, one, more string) string {
	if count == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", count, more)
}

// vanishedReports is how many times the longest distance of its steps so far a metric is behind the run's others: one report may be lost,
// one late, and evaluations at steps of 1, 2, 4, 8 are twice as far apart each time.
const vanishedReports = 3

// vanished finds that a metric is no longer reported while the run makes steps, and others are: JSON has no NaN, so gateways leave out or refuse
// to write what is not a number. One of them alone may be reported more often from now on. It is nil for fewer than three points, of which
// nothing is usual, and without steps.
func (h History) vanished(c Curve) *Finding {
	steps, n := h.Progress.Points, len(c.Points)
	if len(steps) < vanishedReports || n < 3 || steps[len(steps)-vanishedReports].Step <= c.Points[n-1].Step {
		return nil
	}
	longest := 0.0
	for i := 1; i < n; i++ {
		longest = max(longest, c.Points[i].Step-c.Points[i-1].Step)
	}
	last, newest := c.Points[n-1], steps[len(steps)-1]
	if longest == 0 || !(newest.Step-last.Step >= vanishedReports*longest) { // steps may be NaN
		return nil
	}
	return &Finding{
		Kind: NotFinite, Since: last, Value: math.NaN(), Certainty: likely,
		Evidence: fmt.Sprintf("It is not reported any more after step %g, though the run is at step %g: probably it is not a number, which JSON can't have.",
			last.Step, newest.Step),
	}
}
