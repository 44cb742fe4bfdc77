package results

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/util/annotations"
)

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
