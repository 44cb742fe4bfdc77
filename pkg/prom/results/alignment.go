package results

import "github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"

// alignedPoints is the number of points from which on VictoriaMetrics moves the ends of a range to multiples of the step,
// unless the request has nocache=1. That parameter also turns off its own cache, and is unknown to other engines.
//
// Source: https://github.com/VictoriaMetrics/VictoriaMetrics/issues/563
const alignedPoints = 50

// wouldBeAligned reports whether such an engine moves a range: its steps are many, and no multiples of the step. Time zones
// cause that, where the step is longer than the minutes of the offset.
func wouldBeAligned(q promql.Query) bool { return q.Start%q.Step != 0 && q.Steps() >= alignedPoints }

// mayBeAligned reports whether the platform may return other steps than those of a request. Such a request must fetch the
// whole range: responses to shorter parts of it have the steps of the request.
//
// A cached extent that the platform did not align is reused for as long as it lasts: a response on other steps does not merge into it.
func (c *Cache) mayBeAligned(cached *extent, r request) bool {
	if !wouldBeAligned(r.Query) || cached != nil && cached.unaligned {
		return false
	}
	unaligned, _ := c.unaligned.Get(c.Now())
	return !unaligned
}

// learnAlignment records and reports that the platform does not align ranges, if the response to a query, which is on its steps, shows
// that.
func (c *Cache) learnAlignment(q promql.Query, response *promql.Result) bool {
	if !wouldBeAligned(q) || len(response.Matrix.Series) == 0 {
		return false
	}
	c.unaligned.Set(true, c.Now())
	return true
}
