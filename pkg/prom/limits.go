package prom

import (
	"fmt"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

const (
	// maxPointsOfInstant bounds the points of a series of an instant query: of a range vector such as up[30d].
	maxPointsOfInstant = 1_000_000
	// maxNames bounds a list of names or values: some 40 MB.
	maxNames = 500_000
)

// limitsOf are the limits of a response. A series has a sample at each step, and some more, because some engines move the ends of a
// range to multiples of the step.
func (e *endpoint) limitsOf(q promql.Query) promql.Limits {
	limits := e.Limits
	limits.SamplesPerSeries, limits.Total = maxPointsOfInstant, q.Part
	if q.Unlimited {
		limits.Series, limits.Samples = 0, 0
	} else if q.Step > 0 {
		limits.SamplesPerSeries = q.Steps() + 9
	}
	return limits
}

// tooLarge is the error of a result over a limit. It names the limit and what to change.
func tooLarge(e *promql.LimitError) *transport.Error {
	if !e.TooManySeries() && (e.Samples == 0 || e.SampleCount <= e.Samples) {
		return &transport.Error{Kind: transport.ErrTooLarge, Status: http.StatusBadRequest, Message: fmt.Sprintf(
			"A series of the result has %d points, where no more than %d are expected. Use a shorter range.", e.LongestSeries, e.SamplesPerSeries)}
	}
	atLeast := ""
	if e.Total != nil { // the other parts of the range were canceled
		atLeast = "at least "
	}
	message := fmt.Sprintf("The result has %s%d points, and the limit is %d. Use a longer step, a shorter range or fewer series, "+
		"with topk() or sum by (…) for example; or raise Points per response", atLeast, e.SampleCount, e.Samples)
	if e.TooManySeries() {
		message = fmt.Sprintf("The result has %s%d series, and the limit is %d. Query fewer, with more labels in the selector, topk() or sum by (…) "+
			"for example; or raise Series per response", atLeast, e.SeriesCount, e.Series)
	}
	return &transport.Error{Kind: transport.ErrTooLarge, Status: http.StatusBadRequest, Message: message + " in the data source's settings, section Advanced."}
}

// tooLong is the error of a list over its limit.
func tooLong(e *promql.LimitError) *transport.Error {
	return &transport.Error{Kind: transport.ErrTooLarge, Status: http.StatusBadRequest, Message: fmt.Sprintf(
		"The list has %d entries, and the limit is %d. List fewer, with a selector or the parameter limit.", e.SeriesCount, e.Series)}
}
