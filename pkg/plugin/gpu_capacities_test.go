package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const sizes = `{"items":[
	{"type":"h100.1x","location":"eu-1","quantity":70},{"type":"h100.8x","location":"eu-1","quantity":8},
	{"type":"h100.1x","location":"us-1","quantity":12},{"type":"h100.8x","location":"us-1","quantity":1},
	{"type":"a100.2x","location":"eu-1","quantity":64},{"type":"cpu-large","location":"eu-1","quantity":900},
	{"type":"a100.2x","location":"us-1"}]}`

func TestGPUCapacities_CountedOncePerLocation(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/capacities": sizes}, nil)
	for name, needed := range map[string]any{"a text, as a variable leaves it": " 64 ", "a number": 64} {
		t.Run(name, func(t *testing.T) {
			table := frames(t, ds, values{"queryType": "capacities", "format": "gpus", "gpusNeeded": needed})[0]
			require.Equal(t, []string{"gpu", "location", "gpus", "machines", "enough"}, fieldNames(table))
			var rows [][]any
			for row := range table.Rows() {
				rows = append(rows, table.RowCopy(row))
			}
			require.Equal(t, [][]any{
				{"a100", "eu-1", 128.0, "64 × a100.2x", "yes"},
				{"h100", "eu-1", 70.0, "70 × h100.1x", "yes"},
				{"h100", "us-1", 12.0, "12 × h100.1x", "no"},
			}, rows)
			require.Equal(t, "Products whose names don't end in a number of GPUs, such as 8x, are left out: 1.", table.Meta.Notices[0].Text)
		})
	}
	table := frames(t, ds, values{"queryType": "capacities", "format": "gpus", "gpusNeeded": ""})[0]
	require.Equal(t, []string{"gpu", "location", "gpus", "machines"}, fieldNames(table), "without a number nothing is enough or too few")
}

func TestGPUCapacities_InvalidNumber(t *testing.T) {
	ds := newMainAPI(t, map[string]string{"/v1/capacities": sizes}, nil)
	for _, needed := range []any{"many", "0", -1, "NaN"} {
		response := runQueries(t, ds, dataQuery(t, "A", values{"queryType": "capacities", "format": "gpus", "gpusNeeded": needed}))["A"]
		require.EqualError(t, response.Error, "GPUs needed: write a number from 1, such as 64.")
	}
}
