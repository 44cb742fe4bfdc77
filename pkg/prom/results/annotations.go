package results

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/util/annotations"
)

// info is an info annotation of the query engine, and the steps from the first to the last response that has it.
type info struct {
	text  string
	steps stepRange
}

// maxInfos bounds the infos of an extent. Prometheus returns at most ten with a response.
const maxInfos = 16

// mergeable are the infos whose texts depend on nothing but the name or type of a metric. Others contain times and counts, or
// the number of infos that are omitted.
var mergeable = []string{annotations.PossibleNonCounterInfo.Error(), annotations.PossibleNonCounterLabelInfo.Error()}

// infosMerge reports whether the infos of a response can be merged with those of other ranges.
func infosMerge(infos []string) bool {
	return !slices.ContainsFunc(infos, func(text string) bool {
		return !slices.ContainsFunc(mergeable, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
	})
}

// mergeInfos adds the infos of a response to a range. Each text is in the list once, in the order of arrival.
func mergeInfos(infos []info, texts []string, of stepRange) []info {
	for _, text := range texts {
		if i := slices.IndexFunc(infos, func(other info) bool { return other.text == text }); i >= 0 {
			known := &infos[i].steps
			known.start, known.end = min(known.start, of.start), max(known.end, of.end)
		} else {
			infos = append(infos, info{text, of})
		}
	}
	return infos
}

// infosOf copies the infos of an extent that apply to some of the given steps.
func (e *extent) infosOf(steps stepRange) []info {
	var found []info
	for _, i := range e.infos {
		if part := i.steps.within(steps); !part.empty() {
			found = append(found, info{i.text, part})
		}
	}
	return found
}

func textsOf(infos []info) []string {
	var texts []string
	for _, i := range infos {
		texts = append(texts, i.text)
	}
	return texts
}

// infoBytes is the memory of infos.
func infoBytes(infos []info) int {
	sum := 0
	for _, i := range infos {
		sum += 32 + len(i.text)
	}
	return sum
}
