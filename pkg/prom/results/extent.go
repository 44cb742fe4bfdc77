package results

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
)

// extent is the cached part of a query's time range: a matrix of the steps from start to end, and up to which step it is final.
type extent struct {
	*series.Matrix
	start, end int64
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
	// unaligned reports that a response for it had steps that an engine with alignment would have moved.
	unaligned bool
	// infos are the info annotations of the responses that its steps were from, in alphabetical order.
	infos []string
	size  int
}

func (e *extent) covers(start, end int64) bool { return e.start <= start && end <= e.end }

// mergeExtent makes the next extent from the reused steps of the cached one, and the parts of a plan that were fetched. It
// returns false if a response can't be cached or merged.
func (c *Cache) mergeExtent(cached *extent, reuse stepRange, r request, parts []part, asOf int64) (*extent, bool) {
	// The platform has no samples after its own clock yet, so steps there are not final even if the local clock is ahead.
	platformTime, unaligned := asOf, false
	var fetched []*series.Matrix
	for _, p := range parts {
		if reason := unmergeable(p.response, p.Query); reason != "" {
			countUncached(kindRange, reason)
			return nil, false
		}
		unaligned = c.learnAlignment(p.Query, p.response) || unaligned
		platformTime = min(platformTime, dateOf(p.response, asOf))
		fetched = append(fetched, p.response.Matrix)
	}
	next := &extent{start: parts[0].Start, end: max(reuse.end, parts[len(parts)-1].End), asOf: asOf, until: c.reusedUntil(asOf), unaligned: unaligned}
	next.span, next.spanUsed = spanOf(cached, next.end-r.Start, asOf)
	next.final = r.Start + floor(platformTime-c.RecentWindow.Milliseconds()-r.Start, r.Step)
	if reuse.empty() {
		next.Matrix = series.Merge(fetched...)
	} else {
		next.final = max(next.final, reuse.end)
		reused := stepRange{trimmed(reuse, next.end-next.span-c.slack(r.Step)), reuse.end}
		next.start = min(next.start, reused.start)
		next.until, next.unaligned = cached.until, unaligned || cached.unaligned
		next.infos = cached.infos
		before, _ := slices.BinarySearchFunc(parts, reused.end, func(p part, end int64) int { return cmp.Compare(p.Start, end) })
		next.Matrix = series.Merge(slices.Insert(fetched, before, cached.Slice(reused.start, reused.end))...)
	}
	next.final = min(next.final, next.end)
	for _, p := range parts {
		next.infos = promql.Union(next.infos, p.response.Infos)
	}
	if len(next.infos) > maxInfos {
		countUncached(kindRange, manyInfos)
		return nil, false
	}
	next.size = next.Bytes() + len(strings.Join(next.infos, "")) + 16*len(next.infos) + 128
	return next, true
}

// dateOf is the time of the platform's clock, but no later than asOf, which is when the request was sent by the local clock.
func dateOf(r *promql.Result, asOf int64) int64 {
	if r.Date == 0 {
		return asOf
	}
	return min(asOf, r.Date)
}

// uniteResponses makes one response of those to all parts of a range, with the warnings and infos of all. It returns false if
// they can't be merged. Its error is that of [promql.Join].
func (c *Cache) uniteResponses(parts []part) (*promql.Result, bool, error) {
	if len(parts) == 1 {
		return parts[0].response, true, nil
	}
	responses := make([]*promql.Result, len(parts))
	for i, p := range parts {
		if !isMatrix(p.response, p.Query) || !infosMerge(p.response.Infos) {
			return nil, false, nil
		}
		responses[i] = p.response
	}
	united, err := promql.Join(c.Limits, responses...)
	return united, true, err
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
