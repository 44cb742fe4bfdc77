package promclient

import (
	"fmt"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// Limits bound the answer of one query. A limit of 0 is none.
type Limits struct {
	// Series is how many time series it may have, each of which becomes a frame.
	Series int
	// Points is how many points all of them may have together.
	Points int
}

// maxEach is how many points a series of an instant query may have: that of a range selector, such as up[30d].
const maxEach = 1_000_000

// of one answer, whose series may have so many points each.
func (l Limits) of(each int) promjson.Limits {
	return promjson.Limits{Series: l.Series, Samples: l.Points, Each: each}
}

// each is how many points a series has at most that is asked for: one a step. Some engines move a range's ends to multiples
// of the step.
func (q *Query) each() int { return int(q.End.Sub(q.Start)/q.Step) + 10 }

// tooLarge says what an answer has too much of, and what to do about it.
func tooLarge(e *promjson.LimitError) *transport.Error {
	if !e.TooManySeries() && !e.TooManySamples() {
		return &transport.Error{Kind: transport.ErrTooLarge, Status: http.StatusBadRequest, Message: fmt.Sprintf(
			"A series of the answer has %d points, where no more than %d are expected. Ask for a shorter range.", e.HasEach, e.Each)}
	}
	message := fmt.Sprintf("The answer has %d points, and the limit is %d. Ask for a longer step or a shorter range, or for fewer series, "+
		"with topk() or sum by (…) for example; or raise Points of an answer", e.HasSamples, e.Samples)
	if e.TooManySeries() {
		message = fmt.Sprintf("The answer has %d series, and the limit is %d. Ask for fewer, with more labels in the selector, topk() or sum by (…) "+
			"for example; or raise Series of an answer", e.HasSeries, e.Series)
	}
	return &transport.Error{Kind: transport.ErrTooLarge, Status: http.StatusBadRequest, Message: message + " in the data source's settings, section Advanced."}
}
