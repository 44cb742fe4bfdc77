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

func run(t *testing.T, responses string, cases []golden.Case) {
	t.Helper()
	for _, c := range cases {
		c.Responses = responses
		t.Run(c.Name(), func(t *testing.T) { golden.Run(t, "testdata", c) })
	}
}
