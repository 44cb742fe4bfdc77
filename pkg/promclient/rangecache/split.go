package rangecache

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

const (
	// maxParts bounds the parts of a range.
	maxParts = 8
	// minWindows is how many times as long as the window of the expression a part is at least, because every part reads the
	// samples of a window before its first step.
	minWindows = 4
	// measuredRange is the length from which on a range is measured by its newest part, if nothing is known of the platform.
	measuredRange = 7 * day
	// unsplitTTL is how long a query is not split after its parts failed or could not be merged.
	unsplitTTL = time.Hour
)

// part is a range, and the response to the request for it. It has none yet, or the request failed.
type part struct {
	stepRange
	// total counts the responses to all parts of a range, because the limits apply to the whole.
	total *promjson.Total
	// slot reports that a slot of the pace is reserved for the request.
	slot     bool
	response *Response
}

// length is the time from the first step to the last.
func (s stepRange) length() time.Duration { return time.Duration(s.end-s.start) * time.Millisecond }

// samplesOf is the time span of the samples that a range needs.
func (r rangeRequest) samplesOf(s stepRange) time.Duration { return s.length() + r.window }

// partsLimit is into how many parts a range may be split.
func (c *Cache) partsLimit(key string, s stepRange, r rangeRequest) int {
	if unsplit, ok := get[unsplit](c, unsplitKey(key)); ok && c.now() < unsplit.until || c.mayBeAligned(r) {
		return 1
	}
	return min(maxParts, int(s.length()/(minWindows*r.window)))
}

// split replaces parts[i] by several if the platform is slow enough. Before anything is known of that, it requests the newest
// part of a long range first, and measures the response.
func (c *Cache) split(ctx context.Context, parts []part, i, limit int, r rangeRequest, request requestPart) ([]part, error) {
	whole := parts[i]
	var measured []part
	if whole.length() >= measuredRange && c.pace.unknown(c.now()) {
		if all := splitRange(whole.stepRange, r.step, maxParts); len(all) > 1 {
			newest := part{stepRange: all[len(all)-1], total: whole.total}
			if err := request(ctx, &newest); err != nil {
				return parts, err
			}
			measured = append(measured, newest)
			whole.end = newest.start - r.step
		}
	}
	n := c.pace.reserve(r.samplesOf(whole.stepRange), limit, c.now())
	if n == 1 {
		return slices.Replace(parts, i, i+1, append([]part{whole}, measured...)...), nil
	}
	var split []part
	for _, s := range splitRange(whole.stepRange, r.step, n) {
		split = append(split, part{stepRange: s, total: whole.total, slot: true})
	}
	c.pace.release(n - len(split))
	splitParts.Add(float64(len(split)))
	return slices.Replace(parts, i, i+1, append(split, measured...)...), nil
}

// splitRange splits a range into at most n parts of about the same length. Each part but the first starts at the first step of
// a day in UTC. Query front-ends split and cache ranges at the same times, and there may be one on the platform.
func splitRange(s stepRange, step int64, n int) []stepRange {
	var parts []stepRange
	start := s.start
	for i := 1; i < n; i++ {
		even := s.start + (s.end-s.start)/int64(n)*int64(i)
		midnight := floor(even+day.Milliseconds()/2, day.Milliseconds())
		next := s.start + ceil(midnight-s.start, step)
		if next > start && next <= s.end {
			parts = append(parts, stepRange{start, next - step})
			start = next
		}
	}
	return append(parts, stepRange{start, s.end})
}

// longest is the index of the longest part without a response, or -1.
func longest(parts []part) int {
	found := -1
	for i, p := range parts {
		if p.response == nil && (found < 0 || p.length() > parts[found].length()) {
			found = i
		}
	}
	return found
}

// failed is the error of the parts of a plan, one of which failed with err. It is nil if the range should be requested whole.
func (c *Cache) failed(ctx context.Context, key string, parts []part, r rangeRequest, asOf int64, err error) error {
	var over *promjson.LimitError
	isOver := errors.As(err, &over)
	if !isOver {
		c.keep(key, parts, r, asOf)
	}
	if ctx.Err() != nil || !slices.ContainsFunc(parts, func(p part) bool { return p.slot }) {
		return err
	}
	c.suspendSplit(key, r)
	if isOver || c.Transient != nil && c.Transient(err) {
		return nil
	}
	return err
}

// suspendSplit stores that a query is not split for a while.
func (c *Cache) suspendSplit(key string, r rangeRequest) {
	c.set(unsplitKey(key), unsplit{c.now() + unsplitTTL.Milliseconds()}, r.clears)
}

// unsplit is an entry for a query that is not split.
type unsplit struct{ until int64 }

func (unsplit) bytes() int { return 8 }

func (u unsplit) expires() int64 { return u.until }

func unsplitKey(key string) string { return "unsplit\x00" + key }
