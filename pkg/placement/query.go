package placement

import (
	"cmp"
	"context"
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
	Metrics    metricsClient
	MetricsErr error
	Lists      listsClient
	ListsErr   error
	// Interval is the scrape interval of GPU metrics; a minute if it is shorter.
	Interval time.Duration
	// Now is the clock.
	Now func() time.Time
}

// metricsClient evaluates PromQL at a time. Errors are *transport.Error.
type metricsClient interface {
	Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error)
}

// listsClient reads lists of the main API. Errors are *query.Error or *transport.Error.
type listsClient interface {
	Items(ctx context.Context, path string) (*mainapi.Items, error)
}

// The formats of a result.
const (
	// formatTable is a row for each place, the best first.
	formatTable = "table"
	// formatNumber is the number of GPUs of each place.
	formatNumber = "number"
	// formatAnswer is a sentence.
	formatAnswer = "answer"
	// formatNodes is a row for each idle node of the project.
	formatNodes = "nodes"
)

// maxGPUs bounds the GPUs wanted.
const maxGPUs = 100_000

// options are those of a query.
type options struct {
	// GPUs is how many are wanted in one place.
	GPUs      query.Number  `json:"gpus"`
	Types     query.Choices `json:"types"`
	Locations query.Choices `json:"locations"`
	Format    string        `json:"format"`
}

// parsed returns valid options. Where the result doesn't depend on the number of GPUs, it is 1 if there is none.
func (o options) parsed(alerting bool) (options, error) {
	o.Format = cmp.Or(o.Format, formatTable)
	if err := query.OneOf("Format", o.Format, formatTable, formatNumber, formatAnswer, formatNodes); err != nil {
		return o, err
	}
	if alerting {
		o.Format = formatNumber
	}
	if o.GPUs == 0 && (o.Format == formatNumber || o.Format == formatNodes) {
		o.GPUs = 1
	}
	if wanted := float64(o.GPUs); wanted < 1 || wanted > maxGPUs || wanted != math.Trunc(wanted) {
		return o, &query.Error{Field: "GPUs wanted", Message: "write a whole number from 1 to 100,000, such as 64."}
	}
	return o, nil
}

// request is a query. Notices about the result are added to its notices.
type request struct {
	options
	wanted float64
	// at is when own nodes are idle: the end of the time range, or now if that is later.
	at      time.Time
	notices query.Notices
}

// chooses reports whether one of the names is chosen: a GPU type, a machine type or a model.
func (q *request) chooses(names ...string) bool { return slices.ContainsFunc(names, q.Types.Has) }

// QueryData runs a saved query. There is at least one frame, and the first has the notices. With alerting set, for alert rules
// and server-side expressions, nothing may be left out, and for the former a table becomes numbers.
//
// A service without settings is left out, with a notice. If one fails, its error is that of the query, unless the result is
// right without it: places of the other service in a table, or a place that has room.
//
// Errors are *query.Error or *transport.Error, or MetricsErr or ListsErr.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	o, err := query.Parse[options](saved)
	if err == nil {
		o, err = o.parsed(query.IsNumeric(ctx, alerting))
	}
	if err != nil {
		return nil, err
	}
	q := &request{options: o, wanted: float64(o.GPUs), at: c.Now()}
	if end := saved.TimeRange.To; !end.IsZero() && end.Before(q.at.Add(-time.Minute)) {
		q.at = end
		if c.Lists != nil && c.Metrics != nil && o.Format != formatNodes {
			q.notices.Info("Own nodes are those at the end of the time range, capacities and quotas those of now.")
		}
	}
	frames, err := c.run(ctx, q)
	if err != nil {
		return nil, err
	}
	return query.Finish(ctx, frames, saved.RefID, alerting, q.notices)
}

func (c *Client) run(ctx context.Context, q *request) (data.Frames, error) {
	k := &knowledge{}
	isBlank := q.notices.Blank("GPU types", q.Types) || q.notices.Blank("Locations", q.Locations)
	if !isBlank {
		var err error
		if k, err = c.read(ctx, q); err != nil {
			return nil, err
		}
	}
	if q.Format == formatNodes {
		return data.Frames{nodeTable(k.chosenPools(q), k.typeOf)}, k.nodesErr
	}
	places := k.places(q)
	switch q.Format {
	case formatNumber:
		return k.numbers(places, q)
	case formatAnswer:
		return k.answer(places, q)
	}
	if len(places) == 0 && !isBlank {
		q.notices.Info("None of the chosen GPU types is offered or owned at the chosen locations.")
		return data.Frames{table(nil)}, k.failure()
	}
	k.explainFailures(q)
	return data.Frames{table(places)}, nil
}
