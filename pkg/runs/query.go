package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

// Metrics evaluates PromQL. *promclient.Client implements it.
type Metrics interface {
	Range(ctx context.Context, expr string, start, end time.Time, step time.Duration, scope string) (*promjson.Result, error)
	Instant(ctx context.Context, expr string, at time.Time) (*promjson.Result, error)
	Step(timeRange time.Duration, points int64) time.Duration
	Interpolate(expr string, timeRange, step time.Duration) string
	Oldest(now time.Time) time.Time
}

// Jobs reads fine-tuning jobs. *tuning.Client implements it.
type Jobs interface {
	Runs(ctx context.Context, f tuning.RunFilters) ([]tuning.Run, []data.Notice, error)
}

// Client queries runs. It is safe for concurrent use.
type Client struct {
	Metrics Metrics
	// MetricsErr is why metrics can't be queried, or nil. JobsErr is why jobs can't.
	MetricsErr error
	Jobs       Jobs
	JobsErr    error
	Prices     Prices
	// PricesErr is why the prices can't be used, or nil. There is no cost then.
	PricesErr error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// queryModel is a query as it is saved. Which options count depends on its type.
type queryModel struct {
	Source sourceModel `json:"source"`
	// Selector are the label matchers of a run's GPUs, in which $label is the value of the run's label.
	Selector string `json:"selector"`
	// Runs are the ids of runs.
	Runs query.Choices `json:"runs"`
	// Measures are ids of measures; nil means all, and an empty list none.
	Measures *query.Texts    `json:"measures"`
	Custom   []customMeasure `json:"custom"`
	Baseline string          `json:"baseline"`
	Format   string          `json:"format"`

	Expr       string       `json:"expr"`
	Metric     string       `json:"metric"`
	StepExpr   string       `json:"stepExpr"`
	Axis       string       `json:"axis"`
	Difference bool         `json:"difference"`
	Threshold  query.Number `json:"threshold"`
	MaxRuns    query.Number `json:"maxRuns"`

	Show query.Choices `json:"show"`
}

// parsedQuery is a query with its time range, and the notices of its result.
type parsedQuery struct {
	queryModel
	from, to  time.Time
	maxPoints int64
	// now is the present for the whole result.
	now     time.Time
	notices query.Notices
	// alerting is true for alert rules and server-side expressions, which evaluate numbers.
	alerting bool
}

// end is the end of the range, or now if that is earlier.
func (q *parsedQuery) end() time.Time { return query.Earlier(q.now, q.to) }

// handler runs queries of one type.
type handler struct {
	run func(*Client, context.Context, *parsedQuery) (data.Frames, error)
	// isTable is true if the frames are for tables.
	isTable bool
}

// handlers are the query types of this package.
var handlers = map[string]handler{
	"runs":           {run: (*Client).queryRuns, isTable: true},
	"runComparison":  {run: (*Client).queryComparison},
	"runAnnotations": {run: (*Client).queryAnnotations},
}

// QueryTypes are the query types of this package, sorted.
func QueryTypes() []string { return slices.Sorted(maps.Keys(handlers)) }

// maxText bounds an expression or a selector, in bytes.
const maxText = 8 << 10

// QueryData runs a saved query. There is at least one frame, and the first has the notices.
//
// Errors are *query.Error or *transport.Error, or MetricsErr or JobsErr.
func (c *Client) QueryData(ctx context.Context, queryType string, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	h, ok := handlers[queryType]
	if !ok {
		return nil, query.UnknownType(queryType)
	}
	q, err := c.parseQuery(saved, alerting)
	if err != nil {
		return nil, err
	}
	frames, err := h.run(c, ctx, q)
	if err != nil {
		return nil, err
	}
	if h.isTable {
		query.DropEmptyFields(frames)
	}
	return query.Finish(frames, saved.RefID, q.notices), nil
}

func (c *Client) parseQuery(saved backend.DataQuery, alerting bool) (*parsedQuery, error) {
	q := &parsedQuery{
		from: saved.TimeRange.From.UTC(), to: saved.TimeRange.To.UTC(), maxPoints: saved.MaxDataPoints, now: time.Now(), alerting: alerting,
	}
	if c.Now != nil {
		q.now = c.Now()
	}
	if alerting && q.to.Before(q.now) {
		q.now = q.to // rules are evaluated at the end of their range, also those of the past
	}
	if err := json.Unmarshal(saved.JSON, &q.queryModel); err != nil {
		return nil, query.Unreadable(err)
	}
	if q.to.Before(q.from) {
		return nil, &query.Error{Field: "Time range", Message: "it ends before it starts."}
	}
	for field, text := range map[string]string{
		"PromQL": q.Expr, "Step": q.StepExpr, "GPUs": q.Selector, "Series": q.Source.Expr, "Metric": q.Metric, "Baseline": q.Baseline,
	} {
		if len(text) > maxText {
			return nil, &query.Error{Field: field, Message: fmt.Sprintf("it has %d bytes, and the limit is %d.", len(text), maxText)}
		}
	}
	if err := q.Runs.Check("Runs"); err != nil {
		return nil, err
	}
	return q, nil
}

// bounds of the runs of one query.
const (
	// maxTableRuns bounds the runs of a table.
	maxTableRuns = 200
	// defaultMaxRuns bounds the runs of a comparison, unless the query has another bound, up to maxTableRuns.
	defaultMaxRuns = 20
	// maxParallelRuns bounds the runs that are evaluated at the same time.
	maxParallelRuns = 8
)
