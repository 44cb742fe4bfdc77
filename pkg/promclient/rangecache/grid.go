package rangecache

// movedPoints is from how many points on VictoriaMetrics moves the ends of a range to multiples of the step, unless the
// request has nocache=1, which also keeps it from using its own cache, and which other engines don't know.
//
// Source: https://github.com/VictoriaMetrics/VictoriaMetrics/issues/563
const movedPoints = 50

// offGrid reports whether steps are many, and not on multiples of their distance. Time zones cause that, where the step is
// longer than the offset's parts.
func offGrid(from, step int64, points int) bool { return from%step != 0 && points >= movedPoints }

// mayBeMoved reports whether the platform may answer on other steps than those of a request. It has to be asked for the
// whole range then: answers to parts of it would be on the steps of the request.
func (c *Cache) mayBeMoved(r request) bool {
	return offGrid(r.from, r.step, int((r.to-r.from)/r.step)+1) && !c.exact.Load()
}

// learnGrid notes that the platform does not move ranges if it answered on steps that it would have moved.
func (c *Cache) learnGrid(answered *chunk) {
	if offGrid(answered.from, answered.step, answered.steps()) && len(answered.series) > 0 {
		c.exact.Store(true)
	}
}
