package platform

import (
	"context"
	"fmt"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// The bounds of a query and of its result. docs/limits.md has the same numbers.
const (
	// maxPathBytes bounds a path, maxTextBytes a JSONPath, a title, a unit or a type.
	maxPathBytes, maxTextBytes = 2000, 500
	// maxParams and maxParamBytes bound the parameters of a request. Many servers reject longer URLs.
	maxParams, maxParamBytes = 50, 8000
	// maxNames bounds the products, and the locations, of a query for capacities.
	maxNames   = 200
	maxColumns = 50
	// maxItems bounds the items of a list.
	maxItems = 100_000
	// maxValues bounds the values, cells included, that the columns of a list read, in addition to a quarter of the bytes of
	// the response. The root has the same bound.
	maxValues = 1_000_000
	// maxSeries bounds the series of a list over time.
	maxSeries = 1000
	// maxCellText bounds the text of the cells, in bytes, in addition to the bytes of the response.
	maxCellText = 8 << 20
)

// tooLong completes a sentence: "it is 600 bytes long, and the limit is 500."
func tooLong(what string, length, most int) string {
	return fmt.Sprintf("%s %d bytes long, and the limit is %d.", what, length, most)
}

// tooMany is a *query.Error for more than the allowed number of entries, or nil.
func tooMany(field string, count, most int) error {
	if count <= most {
		return nil
	}
	return &query.Error{Field: field, Message: fmt.Sprintf("there are %d, and the limit is %d.", count, most)}
}

// checkLength is a *query.Error for a text that is too long, or nil.
func checkLength(field, what, text string, most int) error {
	if len(text) <= most {
		return nil
	}
	return &query.Error{Field: field, Message: tooLong(what, len(text), most)}
}

// budget bounds the work of making frames, and ends it with its request.
type budget struct {
	ctx context.Context
	// field names the part of the query that causes the work.
	field string
	// values is the number of values that may still be read, text the number of bytes that the cells may still have.
	values, text int
	// untilCheck is the number of values until the next check of the context.
	untilCheck int
}

const checkEvery = 1000

// newBudget is the budget for one field of a query, over a response of that many bytes.
func newBudget(ctx context.Context, field string, responseBytes int) *budget {
	return &budget{ctx: ctx, field: field, values: maxValues + responseBytes/4, text: maxCellText + responseBytes}
}

// spend counts values that were read. Its error is the context's, or a *query.Error.
func (b *budget) spend(values int) error {
	b.values -= values
	if b.untilCheck -= values; b.untilCheck <= 0 {
		b.untilCheck = checkEvery
		if err := b.ctx.Err(); err != nil {
			return err
		}
	}
	if b.values < 0 {
		return &query.Error{Field: b.field, Message: "more values have to be read than this data source allows. " +
			"Read fewer pages, choose fewer columns, or write selectors and filters without wildcards and with fewer comparisons."}
	}
	return nil
}

// write counts the text of a cell. Its error is a *query.Error.
func (b *budget) write(text string) error {
	if b.text -= len(text); b.text < 0 {
		return &query.Error{Field: b.field, Message: fmt.Sprintf("the cells have over %d MB of text more than the platform sent. "+
			"Choose members that are single values, and each once.", maxCellText>>20)}
	}
	return nil
}
