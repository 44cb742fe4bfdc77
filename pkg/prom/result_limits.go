package prom

import (
	"fmt"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Limits bound the result of one query. 0 is no limit.
type Limits struct {
	// Series is the maximum number of time series, each of which becomes a frame.
	Series int
	// Points is the maximum number of points of all series.
	Points int
}

// maxPointsOfInstant bounds the points of a series of an instant query: of a range vector such as up[30d].
const maxPointsOfInstant = 1_000_000

// decoderLimits are the limits of a response whose series have at most so many points; 0 is no limit.
func (l Limits) decoderLimits(pointsOfSeries int) promjson.Limits {
	return promjson.Limits{Series: l.Series, Samples: l.Points, SamplesPerSeries: pointsOfSeries}
}

// maxPointsOfSeries bounds the points of a series of a range query: one for each step, and some more, because some engines
// move the ends of a range to multiples of the step.
func (q *parsedQuery) maxPointsOfSeries() int { return int(q.End.Sub(q.Start)/q.Step) + 10 }

// tooLarge is the error of a result over a limit. It names the limit and what to change.
func tooLarge(e *promjson.LimitError) *transport.Error {
	if !e.TooManySeries() && !e.TooManySamples() {
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
