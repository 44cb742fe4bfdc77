package golden_test

import (
	"testing"

	"github.com/gpucloud/gpucloud-platform-datasource/tests/golden"
)

func TestFineTuning(t *testing.T) {
	run(t, "gateway", []golden.Case{
		{Query: "jobs-table"},
		{Query: "jobs-table", Alert: true},
		{Query: "jobs-filtered"},
		{Query: "jobs-by-id"},
		{Query: "jobs-results"},
		{Query: "jobs-timeline"},
		{Query: "jobs-count"},
		{Query: "jobs-count-by-job"},
		{Query: "jobs-overdue"},
		{Query: "jobs-overdue", Alert: true},
		{Query: "checkpoints"},
		{Query: "curves"},
		{Query: "curves-by-step"},
		{Query: "events"},
		{Query: "events-of-level"},
		{Query: "files"},
		{Query: "files-of-purpose"},
		{Query: "annotations"},
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
		{Query: "capacities-number"},
		{Query: "list"},
		{Query: "list", Alert: true},
		{Query: "list-columns"},
		{Query: "list-columns", Alert: true},
		{Query: "list-pages"},
		{Query: "list-root"},
		{Query: "list-over-time"},
		{Query: "list-filter"},
		{Query: "list-counted"},
		{Query: "list-jsonpath"},
		{Query: "list-not-found"},
	})
}

func TestRuns(t *testing.T) {
	run(t, "runs", []golden.Case{
		{Query: "runs-table"},
		{Query: "runs-number"},
		{Query: "runs-number", Alert: true},
		{Query: "runs-comparison"},
		{Query: "runs-annotations"},
		{Query: "health-table"},
		{Query: "health-eta"},
		{Query: "health-number"},
		{Query: "health-number", Alert: true},
		{Query: "health-annotations"},
	})
}

func TestMetrics(t *testing.T) {
	run(t, "metrics", []golden.Case{
		{Query: "metrics-range"},
		{Query: "metrics-range", Alert: true},
		{Query: "metrics-range-legend"},
		{Query: "metrics-range-packed"},
		{Query: "metrics-range-packed", Alert: true},
		{Query: "metrics-range-notices"},
		{Query: "metrics-range-moved"},
		{Query: "metrics-range-moved-packed"},
		{Query: "metrics-range-table"},
		{Query: "metrics-range-heatmap"},
		{Query: "metrics-instant"},
		{Query: "metrics-instant", Alert: true},
		{Query: "metrics-instant-table"},
		{Query: "metrics-range-and-instant"},
		{Query: "metrics-scalar"},
		{Query: "metrics-scalar", Alert: true},
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
