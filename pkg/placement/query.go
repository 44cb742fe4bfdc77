package placement

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/mainapi"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// QueryType is the query type of this package.
const QueryType = "placement"

// Client finds places for GPUs. It is safe for concurrent use.
type Client struct {
	// Metrics and Lists are nil if they can't be queried; MetricsErr and ListsErr are why.
	Metrics    Metrics
	MetricsErr error
	Lists      Lists
	ListsErr   error
	// Interval is the scrape interval of GPU metrics; a minute if it is shorter.
	Interval time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Metrics evaluates PromQL at a time. Errors are *transport.Error.
type Metrics interface {
	Instant(ctx context.Context, expr string, at time.Time) (*promql.Result, error)
}

// Lists reads lists of the main API. Errors are *query.Error or *transport.Error.
type Lists interface {
	Items(ctx context.Context, path string) (*mainapi.Items, error)
}

// The formats of a result.
const (
	// formatTable is a row for each option, the best first.
	formatTable = "table"
	// formatNumber is the number of GPUs of each option, formatTotal that of each type in all places together.
	formatNumber, formatTotal = "number", "total"
	// formatAnswer is a sentence.
	formatAnswer = "answer"
	// formatNodes is a row for each idle node of the project.
	formatNodes = "nodes"
)

// The bounds of a query.
const (
	maxGPUs = 100_000
	// maxChosen bounds the types, and the locations.
	maxChosen = 200
)

type queryModel struct {
	GPUs      *query.Number `json:"gpus"`
	Types     query.Choices `json:"types"`
	Locations query.Choices `json:"locations"`
	Format    string        `json:"format"`
}

// choice are the GPU types and locations of a query.
type choice struct{ types, locations query.Choices }

// gpu reports whether one of the names is chosen: a GPU type, a machine type or a model.
func (c *choice) gpu(names ...string) bool { return slices.ContainsFunc(names, c.types.Has) }

// parsedQuery is a query with the notices of its result.
type parsedQuery struct {
	choice
	// wanted is the number of GPUs; 1 if the query has none.
	wanted  float64
	format  string
	now     time.Time
	notices query.Notices
}

// isNumeric reports whether alert rules evaluate the result, so that it must not be about a part of the places only.
func (q *parsedQuery) isNumeric() bool { return q.format == formatNumber || q.format == formatTotal }

// needsGPUs reports whether the result depends on the number of GPUs.
func (q *parsedQuery) needsGPUs() bool { return !q.isNumeric() && q.format != formatNodes }

// QueryData runs a saved query. There is at least one frame, and the first has the notices. With alerting set, for alert rules
// and server-side expressions, a table becomes numbers.
//
// A service without settings is left out, with a notice. If one fails, its error is that of the query, unless the result is
// right without it: options of the other service in a table, or a place that has room.
//
// Errors are *query.Error or *transport.Error, or MetricsErr or ListsErr.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	q, err := c.parse(saved, alerting)
	if err != nil {
		return nil, err
	}
	frames, err := c.run(ctx, q)
	if err != nil {
		return nil, err
	}
	return query.Finish(frames, saved.RefID, alerting, q.notices)
}

func (c *Client) run(ctx context.Context, q *parsedQuery) (data.Frames, error) {
	for _, option := range []struct {
		field string
		query.Choices
	}{{"GPU types", q.types}, {"Locations", q.locations}} {
		if option.Blank {
			q.notices.Warn(query.BlankNotice, option.field)
			return nil, nil
		}
	}
	known, err := c.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	options := known.options(q)
	switch q.format {
	case formatNumber:
		return numberFrames(options, q), known.failure()
	case formatTotal:
		return known.totalFrames(options), known.failure()
	case formatAnswer:
		return known.answerFrames(options, q)
	case formatNodes:
		return data.Frames{nodeTable(known.chosenPools(q), known.typeOf)}, known.nodesErr
	}
	if len(options) == 0 {
		q.notices.Info("None of the chosen GPU types is offered or owned at the chosen locations.")
		return nil, known.failure()
	}
	known.explainFailures(q)
	return data.Frames{table(options)}, nil
}

func (c *Client) parse(saved backend.DataQuery, alerting bool) (*parsedQuery, error) {
	var m queryModel
	if err := json.Unmarshal(saved.JSON, &m); err != nil {
		return nil, query.Unreadable(err)
	}
	q := &parsedQuery{choice: choice{types: m.Types, locations: m.Locations}, wanted: 1, format: m.Format, now: time.Now()}
	if c.Now != nil {
		q.now = c.Now()
	}
	switch q.format {
	case "":
		q.format = formatTable
	case formatTable, formatNumber, formatTotal, formatAnswer, formatNodes:
	case "hours":
		return nil, &query.Error{Field: "Format", Message: "hours is no longer there. Use nodes for the nodes that are idle now, or record their number with a recording rule."}
	default:
		return nil, &query.Error{Field: "Format", Message: fmt.Sprintf("%q is not known. Use table, number, total, answer or nodes.", q.format)}
	}
	if alerting && !q.isNumeric() {
		q.format = formatNumber
	}
	for _, option := range []struct {
		field string
		query.Choices
	}{{"GPU types", q.types}, {"Locations", q.locations}} {
		if len(option.Values) > maxChosen {
			return nil, &query.Error{Field: option.field, Message: fmt.Sprintf("there are %d, and the limit is %d.", len(option.Values), maxChosen)}
		}
		if err := option.Check(option.field); err != nil {
			return nil, err
		}
	}
	if m.GPUs != nil && float64(*m.GPUs) != 0 || q.needsGPUs() {
		if m.GPUs != nil {
			q.wanted = float64(*m.GPUs)
		}
		if m.GPUs == nil || q.wanted < 1 || q.wanted > maxGPUs || q.wanted != math.Trunc(q.wanted) {
			return nil, &query.Error{Field: "GPUs wanted", Message: "write a whole number from 1 to 100,000, such as 64."}
		}
	}
	return q, nil
}
