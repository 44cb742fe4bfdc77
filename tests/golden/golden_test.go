package golden_test

import (
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/golden"
)

func TestFineTuning(t *testing.T) {
	run(t, "gateway", []golden.Case{
		{Query: "jobs-table"},
		{Query: "jobs-table", Alert: true},
		{Query: "jobs-table", Expression: true},
		{Query: "jobs-filtered"},
		{Query: "jobs-none"},
		{Query: "jobs-none", Expression: true},
		{Query: "jobs-by-id"},
		{Query: "jobs-results"},
		{Query: "jobs-results", Expression: true},
		{Query: "jobs-timeline"},
		{Query: "jobs-timeline", Expression: true},
		{Query: "jobs-count"},
		{Query: "jobs-count", Expression: true},
		{Query: "jobs-count-by-job"},
		{Query: "jobs-overdue"},
		{Query: "jobs-overdue", Alert: true},
		{Query: "checkpoints"},
		{Query: "checkpoints", Expression: true},
		{Query: "curves"},
		{Query: "curves", Expression: true},
		{Query: "curves-by-step"},
		{Query: "curves-by-step", Expression: true},
		{Query: "events"},
		{Query: "events", Expression: true},
		{Query: "events-of-level"},
		{Query: "files"},
		{Query: "files", Expression: true},
		{Query: "files-of-purpose"},
		{Query: "annotations"},
		{Query: "annotations", Expression: true},
		{Query: "annotations-points"},
		{Query: "annotations-regions"},
	})
}

// Where nothing is found, frames have their types, and tables, logs and annotations their fields, for SQL expressions.
func TestFineTuning_Nothing(t *testing.T) {
	run(t, "gateway", []golden.Case{
		{Query: "nothing-jobs"},
		{Query: "nothing-results"},
		{Query: "nothing-timeline"},
		{Query: "nothing-count"},
		{Query: "nothing-count-by-job"},
		{Query: "nothing-checkpoints"},
		{Query: "nothing-curves"},
		{Query: "nothing-curves-by-step"},
		{Query: "nothing-curves-of-no-metric"},
		{Query: "nothing-events"},
		{Query: "nothing-files"},
		{Query: "nothing-annotations"},
	})
}

func TestMainAPI(t *testing.T) {
	run(t, "main-api", []golden.Case{
		{Query: "capacities"},
		{Query: "capacities", Alert: true},
		{Query: "capacities", Expression: true},
		{Query: "capacities-number"},
		{Query: "capacities-number", Expression: true},
		{Query: "list"},
		{Query: "list", Alert: true},
		{Query: "list", Expression: true},
		{Query: "list-columns"},
		{Query: "list-columns", Alert: true},
		{Query: "list-columns", Expression: true},
		{Query: "list-pages"},
		{Query: "list-root"},
		{Query: "list-over-time"},
		{Query: "list-over-time", Expression: true},
		{Query: "list-filter"},
		{Query: "list-counted"},
		{Query: "list-jsonpath"},
		{Query: "list-not-found"},
	})
}

func TestRuns(t *testing.T) {
	run(t, "runs", []golden.Case{
		{Query: "runs-table"},
		{Query: "runs-table", Expression: true},
		{Query: "runs-number"},
		{Query: "runs-number", Alert: true},
		{Query: "runs-number", Expression: true},
		{Query: "runs-comparison"},
		{Query: "runs-comparison", Expression: true},
		{Query: "runs-annotations"},
		{Query: "runs-annotations", Expression: true},
		{Query: "health-table"},
		{Query: "health-table", Expression: true},
		{Query: "health-eta"},
		{Query: "health-eta", Expression: true},
		{Query: "health-number"},
		{Query: "health-number", Alert: true},
		{Query: "health-number", Expression: true},
		{Query: "health-annotations"},
		{Query: "health-annotations", Expression: true},
	})
}

func TestMetrics(t *testing.T) {
	run(t, "metrics", []golden.Case{
		{Query: "metrics-range"},
		{Query: "metrics-range", Alert: true},
		{Query: "metrics-range", Expression: true},
		{Query: "metrics-range-legend"},
		{Query: "metrics-range-packed"},
		{Query: "metrics-range-packed", Alert: true},
		{Query: "metrics-range-notices"},
		{Query: "metrics-range-moved"},
		{Query: "metrics-range-moved-packed"},
		{Query: "metrics-range-table"},
		{Query: "metrics-range-table", Expression: true},
		{Query: "metrics-range-heatmap"},
		{Query: "metrics-instant"},
		{Query: "metrics-instant", Alert: true},
		{Query: "metrics-instant", Expression: true},
		{Query: "metrics-instant-table"},
		{Query: "metrics-instant-table", Expression: true},
		{Query: "metrics-range-and-instant"},
		{Query: "metrics-scalar"},
		{Query: "metrics-scalar", Alert: true},
		{Query: "metrics-scalar", Expression: true},
		{Query: "metrics-string"},
		{Query: "metrics-range-vector"},
		{Query: "metrics-range-vector-table"},
		{Query: "metrics-histogram"},
		{Query: "metrics-histogram", Alert: true},
		{Query: "metrics-histogram-packed"},
		{Query: "metrics-histogram-table"},
		{Query: "metrics-histogram-heatmap"},
		{Query: "metrics-histogram-instant"},
		{Query: "metrics-nothing"},
		{Query: "metrics-nothing", Alert: true},
		{Query: "metrics-nothing", Expression: true},
		{Query: "metrics-nothing-packed"},
		{Query: "metrics-nothing-instant"},
		{Query: "metrics-nothing-instant", Alert: true},
		{Query: "metrics-nothing-table"},
		{Query: "metrics-nothing-heatmap"},
		{Query: "metrics-rejected"},
		{Query: "metrics-malformed"},
	})
}

func run(t *testing.T, responses string, cases []golden.Case) {
	t.Helper()
	for _, c := range cases {
		c.Responses = responses
		t.Run(c.Name(), func(t *testing.T) { golden.Run(t, "testdata", c) })
	}
}
