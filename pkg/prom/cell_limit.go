package prom

import (
	"fmt"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// maxCells bounds the cells of a table or heatmap. A table has a row for each sample and a column for each label name of all
// series, so it can be many times as large as the result that it is made of.
const maxCells = 2_000_000

// checkCells returns a *query.Error if a result has too many cells in the format of the query.
func (q *parsedQuery) checkCells(result *promjson.Result) error {
	series, rows := result.Size()
	cells := 0
	switch q.Format {
	case formatTable:
		cells = rows * (len(labelNames(result)) + 2)
	case formatHeatmap:
		cells = series * min(rows, q.maxPointsOfSeries())
	}
	if cells > maxCells {
		return &query.Error{Field: "Format", Message: fmt.Sprintf("as a %s the result has up to %d cells, and the limit is %d. Query fewer series, or use the format time series.", q.Format, cells, maxCells)}
	}
	return nil
}
