package rangecache

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/util/annotations"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/metrics/promjson"
)

// remark is something that the query engine said, an info, about some of a window's steps.
type remark struct {
	text string
	// about are the steps of which any may be the cause.
	about segment
	// made are ranges, out of those kept, that the engine remarked it on for certain; the newest last.
	made []segment
}

const (
	// maxRemarks is how many different ones a window has at most. Prometheus sends no more than ten with an answer.
	maxRemarks = 16
	// maxMade is how many ranges are remembered for each, for viewers with ranges of their own.
	maxMade = 4
)

// joinable are the remarks that say the same whatever range they are made on, and are made on a range if and only if they
// are made on a part of it: those on a metric's name or type. Others tell of times and numbers, or of how many there are.
var joinable = []string{annotations.PossibleNonCounterInfo.Error(), annotations.PossibleNonCounterLabelInfo.Error()}

// unreserved reports whether an answer is all that there is to say. Others are not kept.
func unreserved(r *promjson.Result) bool {
	return r.ErrorType == "" && r.Error == "" && len(r.Warnings) == 0
}

// remarksJoin reports whether an answer's remarks can be put together with those on other ranges.
func remarksJoin(infos []string) bool {
	return !slices.ContainsFunc(infos, func(text string) bool {
		return !slices.ContainsFunc(joinable, func(known string) bool { return strings.HasPrefix(text, known) })
	})
}

// intersects reports whether two segments have a step in common.
func (s segment) intersects(other segment) bool { return s.from <= other.to && other.from <= s.to }

// contains reports whether a segment has all steps of another.
func (s segment) contains(other segment) bool { return s.from <= other.from && other.to <= s.to }

// infos are the remarks that the platform would make on a part of the window. They are not known where a remark may be about
// steps outside of the part alone.
func (w *window) infos(part segment) (texts []string, known bool) {
	for _, r := range w.remarks {
		if !part.intersects(r.about) {
			continue
		}
		if !slices.ContainsFunc(r.made, part.contains) {
			return nil, false
		}
		texts = append(texts, r.text)
	}
	return texts, true
}

// remarksOn are those that may be about a part of the window, which is kept while the rest is asked for again.
func (w *window) remarksOn(part segment) []remark {
	var kept []remark
	for _, r := range w.remarks {
		if !part.intersects(r.about) {
			continue
		}
		made := slices.DeleteFunc(slices.Clone(r.made), func(on segment) bool { return !part.contains(on) })
		kept = append(kept, remark{r.text, segment{max(r.about.from, part.from), min(r.about.to, part.to)}, made})
	}
	return kept
}

// remarked adds what was remarked on a range.
func remarked(remarks []remark, on segment, infos []string) []remark {
	for _, text := range infos {
		i := slices.IndexFunc(remarks, func(r remark) bool { return r.text == text })
		if i < 0 {
			remarks = append(remarks, remark{text, on, []segment{on}})
			continue
		}
		r := &remarks[i]
		r.about = segment{min(r.about.from, on.from), max(r.about.to, on.to)}
		r.made = append(r.made, on)
		r.made = r.made[max(0, len(r.made)-maxMade):]
	}
	return remarks
}

// remarkBytes is the memory that remarks take.
func remarkBytes(remarks []remark) int {
	const each = 16 + 16 + 24 + 2*maxMade*16
	sum := 0
	for _, r := range remarks {
		sum += each + len(r.text)
	}
	return sum
}
