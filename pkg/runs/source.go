package runs

import (
	"context"
	"maps"
	"slices"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// source finds at most as many runs as a request is about: the newest, and the baseline besides if the query chooses runs without it. It adds a
// notice if there are more.
type source func(*task, context.Context) ([]run, error)

// sources are the sources by their kinds.
var sources = map[string]source{
	"":           (*task).jobRuns,
	"fineTuning": (*task).jobRuns,
	"series":     (*task).seriesRuns,
	"manual":     (*task).manualRuns,
}

// sourceModel is where runs come from, as it is saved. Which options count depends on the kind.
type sourceModel struct {
	Kind     string        `json:"kind"`
	Statuses query.Choices `json:"statuses"`
	Models   query.Choices `json:"models"`
	JobIDs   query.Choices `json:"jobIds"`
	// Expr is a PromQL selector. Each set of values of the labels By in its result is a run, and a gap longer than MaxGap ends
	// one and begins another.
	Expr   string        `json:"expr"`
	By     query.Choices `json:"by"`
	MaxGap string        `json:"maxGap"`
	Runs   []manualRun   `json:"runs"`
}

// isJobs reports whether runs are fine-tuning jobs.
func (s *sourceModel) isJobs() bool { return s.Kind == "" || s.Kind == "fineTuning" }

// find is the source of the kind, with valid options.
func (s *sourceModel) find() (source, error) {
	if err := query.OneOf("Runs from", s.Kind, slices.Sorted(maps.Keys(sources))...); err != nil {
		return nil, err
	}
	if s.isSeries() {
		return sources[s.Kind], s.checkSeries()
	}
	return sources[s.Kind], s.checkManual()
}

// isSeries reports whether runs are label sets of a selector.
func (s *sourceModel) isSeries() bool { return s.Kind == "series" }
