package platform

import (
	"context"
	"fmt"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// What a query may hold, and what may be made of it. docs/limits.md has the same numbers.
const (
	// mostPathBytes is the length of a path, mostTextBytes that of a JSONPath, a title, a unit and their like.
	mostPathBytes, mostTextBytes = 2000, 500
	// mostParams and mostParamBytes bound the parameters of a request; longer addresses are refused by many servers.
	mostParams, mostParamBytes = 50, 8000
	// mostNames is how many products or locations capacities are asked for.
	mostNames   = 200
	mostColumns = 50
	// mostItems is how many items of a list are shown.
	mostItems = 100_000
	// mostValues is how many values the columns of a list look at, its cells among them, beside a quarter of the bytes that
	// the platform sent. A root has as many.
	mostValues = 1_000_000
	// mostSeries is how many series a list over time makes.
	mostSeries = 1000
	// mostTextOfCells is how many bytes the columns' text has beyond that of the answer.
	mostTextOfCells = 8 << 20
)

// tooLong reads as the rest of a sentence: "it is 600 bytes long, and the limit is 500."
func tooLong(what string, length, most int) string {
	return fmt.Sprintf("%s %d bytes long, and the limit is %d.", what, length, most)
}

// tooMany is nil, or a *query.Error for more entries than there may be.
func tooMany(field string, count, most int) error {
	if count <= most {
		return nil
	}
	return &query.Error{Field: field, Message: fmt.Sprintf("there are %d, and the limit is %d.", count, most)}
}

// checkLength is nil, or a *query.Error for a text that is too long.
func checkLength(field, what, text string, most int) error {
	if len(text) <= most {
		return nil
	}
	return &query.Error{Field: field, Message: tooLong(what, len(text), most)}
}

// budget bounds the work of making frames of what is in the memory already, and ends it with its request.
type budget struct {
	ctx context.Context
	// field names the part of the query that the work is for.
	field string
	// values is how many more may be looked at, text how many more bytes the cells may have.
	values, text int
	// untilCheck is after how many values the context is looked at again.
	untilCheck int
}

const checkEvery = 1000

// newBudget is for the columns of an answer of so many bytes, or for another field of a query over it.
func newBudget(ctx context.Context, field string, answerBytes int) *budget {
	return &budget{ctx: ctx, field: field, values: mostValues + answerBytes/4, text: mostTextOfCells + answerBytes}
}

// spend counts values that were looked at. Its error is the context's, or a *query.Error.
func (b *budget) spend(values int) error {
	b.values -= values
	if b.untilCheck -= values; b.untilCheck <= 0 {
		b.untilCheck = checkEvery
		if err := b.ctx.Err(); err != nil {
			return err
		}
	}
	if b.values < 0 {
		return &query.Error{Field: b.field, Message: "more values than the limit of this data source have to be looked at. " +
			"Read fewer pages, choose fewer columns, or write selectors and filters without wildcards and with fewer comparisons."}
	}
	return nil
}

// write counts the text of a cell. Its error is a *query.Error.
func (b *budget) write(text string) error {
	if b.text -= len(text); b.text < 0 {
		return &query.Error{Field: b.field, Message: fmt.Sprintf("the cells have over %d MB of text more than the platform sent. "+
			"Choose members that are single values, and each once.", mostTextOfCells>>20)}
	}
	return nil
}
