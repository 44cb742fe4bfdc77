package runs

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// attribution is how the GPUs of a run are known.
type attribution string

const (
	// byLabels is a selector with labels of the run.
	byLabels attribution = "labels"
	// bySelector is the same selector for all runs.
	bySelector attribution = "selector"
	// byTime is all GPUs that reported while the run lasted.
	byTime attribution = "time"
)

// gpus is where the GPUs of a run are.
type gpus struct {
	// selector are label matchers without braces. Empty selects all GPUs.
	selector    string
	attribution attribution
}

// runLabel is a label of the run in a selector, with the operator of the matcher before it.
var runLabel = regexp.MustCompile(`(=~|!~|!=|=)?(\s*["']?)\$(?:\{(\w+)\}|(\w+))`)

// attribute finds where the GPUs of runs are, and says how they are known.
func (q *parsedQuery) attribute(runs []*Run) {
	text := strings.TrimSpace(q.Selector)
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}"))
	byMissing := map[string][]string{}
	for _, run := range runs {
		run.gpus = gpus{text, bySelector}
		if text == "" {
			run.attribution = byTime
			continue
		}
		expanded, used, missing := expand(text, run.Labels)
		switch {
		case missing != "":
			byMissing[missing] = append(byMissing[missing], run.Name)
			run.gpus = gpus{"", byTime}
		case used:
			run.gpus = gpus{expanded, byLabels}
		}
	}
	for _, label := range slices.Sorted(maps.Keys(byMissing)) {
		q.notices.Warn("GPUs: there is no label %s of %s. Their numbers are about all GPUs that reported meanwhile.", label, query.List(byMissing[label]))
	}
}

// explainAttribution says which runs have numbers of all GPUs.
func (q *parsedQuery) explainAttribution(runs []*Run) {
	if strings.TrimSpace(q.Selector) == "" && len(runs) > 0 {
		q.notices.Info(`No GPUs are selected, so the numbers are about all GPUs that reported meanwhile. Select a run's GPUs by its labels, for example nodepool_name="$node_pool".`)
	}
}

// expand replaces labels of the run. missing is the first label that the run does not have.
func expand(selector string, labels map[string]string) (expanded string, used bool, missing string) {
	expanded = runLabel.ReplaceAllStringFunc(selector, func(found string) string {
		parts := runLabel.FindStringSubmatch(found)
		name := parts[3] + parts[4]
		value, ok := labels[name]
		if !ok {
			if missing == "" {
				missing = name
			}
			return found
		}
		used = true
		if strings.HasSuffix(parts[1], "~") {
			value = regexp.QuoteMeta(value)
		}
		return parts[1] + parts[2] + escape(value)
	})
	return expanded, used, missing
}

// escape is a value within the quotes of PromQL.
func escape(value string) string {
	quoted := strconv.Quote(value)
	return quoted[1 : len(quoted)-1]
}

// matchers are labels as matchers of PromQL.
func matchers(labels map[string]string) string {
	parts := make([]string, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, name+"="+strconv.Quote(labels[name]))
	}
	return strings.Join(parts, ", ")
}

// macro is a macro of expressions about a run.
var macro = regexp.MustCompile(`\$(?:\{(selector|run|duration)\}|(selector|run|duration)\b)`)

// expression replaces $selector, $run and $duration in PromQL. A run that has no series of its own has those of its GPUs.
func (r *Run) expression(expr string) string {
	values := map[string]string{
		"selector": r.selector, "run": matchers(r.own), "duration": fmt.Sprintf("%ds", int64(r.length().Seconds())),
	}
	if r.own == nil {
		values["run"] = r.selector
	}
	return macro.ReplaceAllStringFunc(expr, func(found string) string {
		parts := macro.FindStringSubmatch(found)
		return values[parts[1]+parts[2]]
	})
}
