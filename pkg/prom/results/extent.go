package results

import (
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// extent is the cached part of a query's time range: a matrix, and up to which step it is final.
type extent struct {
	*series.Matrix
	// final is the last step that no late sample changes, in milliseconds.
	final int64
	// asOf is when the steps after final were fetched, and the first steps, whose samples are deleted first.
	asOf int64
	// until is when the oldest of its steps is not reused any more.
	until int64
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

func (e *extent) expires() int64 { return e.until }

func (e *extent) covers(start, end int64) bool { return e.Start <= start && end <= e.End }

// mergeExtent makes the next extent from the reused steps of the cached one, and the parts of a plan that were fetched. It
// returns false if a response can't be cached or merged.
func (c *Cache) mergeExtent(cached *extent, reuse stepRange, r rangeRequest, parts []part, asOf int64) (*extent, bool) {
	for _, p := range parts {
		if reason := unmergeable(p.response.Result); reason != "" {
			countUncached(kindRange, reason)
			return nil, false
		}
	}
	fetched, ok := c.matricesOf(parts)
	if !ok {
		return nil, false
	}
	// The platform has no samples after its own clock yet, so steps there are not final even if the local clock is ahead.
	platformTime := asOf
	for _, p := range parts {
		platformTime = min(platformTime, p.response.date(asOf))
	}
	next := &extent{asOf: asOf, until: c.reusedUntil(asOf), generation: c.generation.Add(1)}
	end := max(reuse.end, parts[len(parts)-1].end)
	next.span, next.spanUsed = spanOf(cached, end-r.start, asOf)
	next.final = r.start + floor(platformTime-c.RecentWindow.Milliseconds()-r.start, r.step)
	if reuse.empty() {
		next.Matrix = series.Merge(fetched...)
	} else {
		next.final = max(next.final, reuse.end)
		reused := stepRange{trimmed(reuse, end-next.span-c.slack(r.step)), reuse.end}
		next.until = cached.until
		next.infos = cached.infosOf(reused)
		next.Matrix = series.Merge(inOrder(cached.Slice(reused.start, reused.end), fetched)...)
	}
	next.final = min(next.final, end)
	for _, p := range parts {
		next.infos = mergeInfos(next.infos, p.response.Infos, p.stepRange)
	}
	if len(next.infos) > maxInfos {
		return nil, false
	}
	next.size = next.Matrix.Bytes() + infoBytes(next.infos) + 128
	return next, true
}

// matricesOf are the responses to parts as matrices. It returns false if one can't be merged with others.
func (c *Cache) matricesOf(parts []part) ([]*series.Matrix, bool) {
	var all []*series.Matrix
	for _, p := range parts {
		m := p.response.Matrix
		if m == nil || !m.Sorted || !infosMerge(p.response.Infos) {
			return nil, false
		}
		c.learnAlignment(m)
		all = append(all, m)
	}
	return all, true
}

// uniteResponses makes one response of those to all parts of a range, with the warnings and infos of all. It returns false if
// they can't be merged.
func (c *Cache) uniteResponses(parts []part) (*Response, bool) {
	if len(parts) == 1 {
		return parts[0].response, true
	}
	fetched, ok := c.matricesOf(parts)
	if !ok {
		return nil, false
	}
	result := &promjson.Result{Type: promjson.Matrix, Matrix: series.Merge(fetched...)}
	for _, p := range parts {
		result.Warnings = append(result.Warnings, p.response.Warnings...)
		result.Infos = append(result.Infos, p.response.Infos...)
	}
	for _, texts := range []*[]string{&result.Warnings, &result.Infos} {
		slices.Sort(*texts)
		*texts = slices.Compact(*texts)
	}
	return &Response{Result: result}, true
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

// inOrder inserts the cached matrix between the fetched ones before and after it, which are in ascending order.
func inOrder(cached *series.Matrix, fetched []*series.Matrix) []*series.Matrix {
	after := slices.IndexFunc(fetched, func(m *series.Matrix) bool { return m.Start > cached.End })
	if after < 0 {
		after = len(fetched)
	}
	return slices.Insert(fetched, after, cached)
}
