package results

import "github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"

// alignedPoints is the number of points from which on VictoriaMetrics moves the ends of a range to multiples of the step,
// unless the request has nocache=1. That parameter also turns off its own cache, and is unknown to other engines.
//
// Source: https://github.com/VictoriaMetrics/VictoriaMetrics/issues/563
const alignedPoints = 50

// wouldBeAligned reports whether such an engine moves a range: its steps are many, and no multiples of the step. Time zones
// cause that, where the step is longer than the minutes of the offset.
func wouldBeAligned(start, step int64, points int) bool {
	return start%step != 0 && points >= alignedPoints
}

// mayBeAligned reports whether the platform may return other steps than those of a request. Such a request must fetch the
// whole range: responses to shorter parts of it have the steps of the request.
func (c *Cache) mayBeAligned(r rangeRequest) bool {
	return wouldBeAligned(r.start, r.step, int((r.end-r.start)/r.step)+1) && !c.unaligned.Load()
}

// learnAlignment records that the platform does not align ranges, if a response shows that.
func (c *Cache) learnAlignment(response *series.Matrix) {
	if wouldBeAligned(response.Start, response.Step, response.Steps()) && len(response.Series) > 0 {
		c.unaligned.Store(true)
	}
}
