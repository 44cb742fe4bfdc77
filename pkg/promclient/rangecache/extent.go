package rangecache

// extent is the cached part of a query's time range: a matrix, and up to which step it is final.
type extent struct {
	*matrix
	// final is the last step that no late sample changes, in milliseconds.
	final int64
	// asOf is when the steps after final were fetched, and the first steps, whose samples are deleted first.
	asOf int64
	// span is the longest range that was queried up to the end of the extent, and spanUsed is when it was queried last. Steps
	// before it are trimmed, so that an extent that moves with the time does not grow. A shorter range trims an extent only
	// after a while, so that dashboards with different ranges don't trim and fetch the same steps in turns.
	span, spanUsed int64
	// generation identifies an extent among those of the same query.
	generation uint64
	// infos are the info annotations of the responses that the steps are from.
	infos []info
	size  int
}

func (e *extent) bytes() int { return e.size }

func (e *extent) covers(start, end int64) bool { return e.start <= start && end <= e.end }

// mergeExtent makes the next extent from the cached one, which may be nil, and the responses to a plan. It returns false if
// a response can't be cached or merged.
func (c *Cache) mergeExtent(cached *extent, plan fetchPlan, r rangeRequest, responses []*Response, asOf int64) (*extent, bool) {
	parts, ok := c.matricesOf(plan, r, responses)
	if !ok {
		return nil, false
	}
	// The platform has no samples after its own clock yet, so steps there are not final even if the local clock is ahead.
	platformTime := asOf
	for _, response := range responses {
		platformTime = min(platformTime, response.date(asOf))
	}
	next := &extent{asOf: asOf, generation: c.generation.Add(1)}
	end := max(plan.reuse.end, plan.fetch[len(plan.fetch)-1].end)
	next.span, next.spanUsed = spanOf(cached, end-r.start, asOf)
	next.final = r.start + floor(platformTime-c.RecentWindow.Milliseconds()-r.start, r.step)
	if plan.reuse.empty() {
		next.matrix = parts[0]
	} else {
		next.final = max(next.final, plan.reuse.end)
		reused := stepRange{trimmed(plan.reuse, end-next.span-c.slack(r.step)), plan.reuse.end}
		next.infos = cached.infosOf(reused)
		next.matrix = mergeMatrices(inOrder(cached.slice(reused.start, reused.end), parts)...)
	}
	next.final = min(next.final, end)
	for i, part := range plan.fetch {
		next.infos = mergeInfos(next.infos, responses[i].Infos, part.end)
	}
	if len(next.infos) > maxInfos {
		return nil, false
	}
	next.size = next.matrix.bytes() + infoBytes(next.infos) + 128
	return next, true
}

// matricesOf are the responses to a plan as matrices, one for each of its ranges.
func (c *Cache) matricesOf(plan fetchPlan, r rangeRequest, responses []*Response) ([]*matrix, bool) {
	var parts []*matrix
	for i, part := range plan.fetch {
		if !complete(responses[i].Result) || !infosMerge(responses[i].Infos) {
			return nil, false
		}
		m, ok := matrixOf(responses[i].Result, part.start, part.end, r.step)
		if !ok {
			return nil, false
		}
		c.learnAlignment(m)
		parts = append(parts, m)
	}
	return parts, true
}

// spanOf is the span of an extent after a query of a given span: the longer one, unless it has not been queried for a while.
func spanOf(cached *extent, span, now int64) (result, used int64) {
	const spanTTL = 30 * 60 * 1000
	if cached != nil && cached.span > span && now-cached.spanUsed < spanTTL && now >= cached.spanUsed {
		return cached.span, cached.spanUsed
	}
	return span, now
}

// trimmed is the first of the reused steps that the next extent keeps: none before oldest, but at least one step.
func trimmed(reuse stepRange, oldest int64) int64 { return min(max(reuse.start, oldest), reuse.end) }

// slack is how many milliseconds an extent has besides its span, for clients whose clocks are behind.
func (c *Cache) slack(step int64) int64 { return ceil(c.RecentWindow.Milliseconds(), step) + step }

// inOrder sorts fetched parts before or after the cached one.
func inOrder(cached *matrix, parts []*matrix) []*matrix {
	all := []*matrix{cached}
	for _, part := range parts {
		if part.end < cached.start {
			all = append([]*matrix{part}, all...)
		} else {
			all = append(all, part)
		}
	}
	return all
}
