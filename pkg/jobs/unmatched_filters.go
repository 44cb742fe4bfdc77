package jobs

import (
	"maps"
	"slices"
	"strings"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// explainUnmatched adds a notice about statuses and models of the query that no job has, if the result is empty because of
// them, to distinguish a misspelling from a lack of jobs. Usual statuses are not misspelled.
func (q request) explainUnmatched(s selection, jobs, chosen []Job) {
	if len(jobs) == 0 || len(chosen) > 0 {
		return
	}
	isUsual := func(status string) bool { _, usual := colors[strings.ToLower(status)]; return usual }
	q.explainValues("status", slices.DeleteFunc(slices.Clone(s.Statuses.Values), isUsual), countBy(jobs, func(j Job) string { return j.Status }))
	q.explainValues("model", s.Models.Values, countBy(jobs, func(j Job) string { return j.Model }))
}

// explainValues adds a notice about the values of an option that no job has.
func (q request) explainValues(noun string, wanted []string, have map[string]int) {
	existing := map[string]string{}
	for value := range have {
		existing[strings.ToLower(value)] = value
	}
	unmatched := slices.DeleteFunc(slices.Clone(wanted), func(value string) bool { return existing[strings.ToLower(value)] != "" })
	if len(unmatched) > 0 && len(existing) > 0 {
		q.notices.Warn("No job has the %s %s. Jobs have: %s.", noun, query.List(unmatched), query.List(slices.Sorted(maps.Values(existing))))
	}
}
