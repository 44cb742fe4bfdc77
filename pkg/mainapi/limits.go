package mainapi

import (
	"fmt"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// The bounds of a query and of its result. docs/reference/limits.md has the same numbers.
const (
	// maxPathBytes bounds a path, maxTextBytes a selector, a title, a unit or a type.
	maxPathBytes = 2000
	maxTextBytes = 500
	// maxNames bounds the names of a selector: each is read in the object that the one before it names.
	maxNames = 20
	// maxParams and maxParamBytes bound the parameters of a request. Many servers reject longer URLs.
	maxParams     = 50
	maxParamBytes = 8000
	maxColumns    = 50
	// maxMembers bounds the members from which columns are chosen if the query chooses none.
	maxMembers = 10_000
	// maxItems bounds the items of a list, and maxListBytes their JSON.
	maxItems     = 100_000
	maxListBytes = 64 << 20
	// maxValues bounds the cells of a list, in addition to a quarter of its bytes.
	maxValues = 1_000_000
	// maxLabels bounds the labels of all numbers of a list together.
	maxLabels = 100_000
	// maxSeries bounds the series of a list over time.
	maxSeries = 1000
	// maxCellText bounds the JSON of the cells, in bytes, in addition to that of the list.
	maxCellText = 8 << 20
)

// checkCells is a *query.Error for a table that is too large, or nil.
func (l *list) checkCells(columns int) error {
	if len(l.all)*columns <= maxValues+l.bytes/4 {
		return nil
	}
	return &query.Error{Field: "Columns", Message: fmt.Sprintf("%d items with %d columns are too many. Read fewer pages, or choose fewer columns.", len(l.all), columns)}
}
