package rangecache

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/util/annotations"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
)

// info is an info annotation of the query engine, and the last step, of those cached, of a response that has it.
type info struct {
	text string
	last int64
}

// maxInfos is how many different ones a window has at most. Prometheus sends no more than ten with a response.
const maxInfos = 16

// mergeable are the infos whose texts don't depend on the range: those on a metric's name or type. Others name times and
// numbers, or count further infos.
var mergeable = []string{annotations.PossibleNonCounterInfo.Error(), annotations.PossibleNonCounterLabelInfo.Error()}

// complete reports whether a response is free of errors and warnings. Others are not cached: a warning may say that
// something is missing.
func complete(r *promjson.Result) bool {
	return r.ErrorType == "" && r.Error == "" && len(r.Warnings) == 0
}

// infosMerge reports whether a response's infos can be united with those of other ranges.
func infosMerge(infos []string) bool {
	return !slices.ContainsFunc(infos, func(text string) bool {
		return !slices.ContainsFunc(mergeable, func(known string) bool { return strings.HasPrefix(text, known) })
	})
}

// mergeInfos adds the infos of a response that ends at a step, each text once, in the order in which they came.
func mergeInfos(infos []info, texts []string, last int64) []info {
	for _, text := range texts {
		if i := slices.IndexFunc(infos, func(known info) bool { return known.text == text }); i >= 0 {
			infos[i].last = max(infos[i].last, last)
		} else {
			infos = append(infos, info{text, last})
		}
	}
	return infos
}

// infosOn are copies of the infos of the responses that a part of the window is from.
func (w *window) infosOn(part segment) []info {
	var found []info
	for _, i := range w.infos {
		if i.last >= part.from {
			found = append(found, info{i.text, min(i.last, part.to)})
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

// infoBytes is the memory that infos take.
func infoBytes(infos []info) int {
	sum := 0
	for _, i := range infos {
		sum += 24 + len(i.text)
	}
	return sum
}
