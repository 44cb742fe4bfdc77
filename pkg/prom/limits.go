package prom

import (
	"fmt"
	"net/http"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// maxNames bounds a list of names or values: some 40 MB.
const maxNames = 500_000

// limitsOf are the limits of a response.
func (e *endpoint) limitsOf(q promql.Query) promql.Limits {
	if q.Unlimited {
		return promql.Limits{}
	}
	limits := e.Limits
	limits.Total = q.Part
	return limits
}

// tooLarge is the error of a result over a limit. It names the limit and what to change.
func tooLarge(e *promql.LimitError) *transport.Error {
	message := "The result has more than %d points, which is the limit. Use a longer step, a shorter range or fewer series, " +
		"with topk() or sum by (…) for example; or raise Points per response in the data source's settings, section Advanced."
	if e.OfSeries {
		message = "The result has more than %d series, which is the limit. Query fewer, with more labels in the selector, topk() or sum by (…) " +
			"for example; or raise Series per response in the data source's settings, section Advanced."
	}
	return &transport.Error{Kind: transport.ErrTooLarge, Status: http.StatusBadRequest, Message: fmt.Sprintf(message, e.Limit)}
}

// tooLong is the error of a list over its limit.
func tooLong(e *promql.LimitError) *transport.Error {
	return &transport.Error{Kind: transport.ErrTooLarge, Status: http.StatusBadRequest, Message: fmt.Sprintf(
		"The list has more than %d entries, which is the limit. List fewer, with a selector or the parameter limit.", e.Limit)}
}
