package health

import (
	"fmt"
)

// notFinite finds newest values that are NaN or infinite. Ones that are followed by finite values are harmless: mixed-precision training skips
// steps whose gradients overflow (Micikevicius et al., arXiv 1710.03740, section 3.2).
func notFinite(points []Point) *Finding {
	first := len(points)
	for first > 0 && !isFinite(points[first-1].Value) {
		first--
	}
	if first == len(points) {
		return nil
	}
	newest := "value is"
	if count := len(points) - first; count > 1 {
		newest = fmt.Sprintf("%d values are", count)
	}
	return &Finding{
		Kind: NotFinite, Since: points[first], Certainty: certain,
		Evidence: fmt.Sprintf("The newest %s not a number or infinite%s.", newest, where(points[first])),
	}
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
		Kind: NotFinite, Since: last, Certainty: likely,
		Evidence: fmt.Sprintf("It is not reported any more after step %g, though the run is at step %g: probably it is not a number, which JSON can't have.",
			last.Step, newest.Step),
	}
}
