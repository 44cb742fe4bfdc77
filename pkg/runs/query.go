package runs

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// metricsClient evaluates PromQL. *prom.Client implements it.
type metricsClient interface {
	Evaluate(ctx context.Context, q promql.Query) (*promql.Result, error)
	Step(timeRange time.Duration, points int64) time.Duration
	Interpolate(expr string, timeRange, step time.Duration) string
	Oldest(now time.Time) time.Time
}

// jobsClient reads fine-tuning jobs. *jobs.Client implements it.
type jobsClient interface {
	Runs(ctx context.Context, f jobs.RunFilters, notices *query.Notices) ([]jobs.Run, error)
}

// Client queries runs. It is safe for concurrent use.
type Client struct {
	Metrics metricsClient
	// MetricsErr is why metrics can't be queried, or nil. JobsErr is why jobs can't.
	MetricsErr error
	Jobs       jobsClient
	JobsErr    error
	Prices     Prices
	// PricesErr is why the prices can't be used, or nil. There is no cost then.
	PricesErr error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// question is what queries of one type ask about runs, with their options as they are saved. Nobody changes it after check.
type question interface {
	// shared are the options that all types have.
	shared() *options
	// check checks the options, and sets what they mean. With numeric set, the result has to be numbers.
	check(numeric bool) error
	// needs are how many runs it is about at most, and which details of jobs it needs.
	needs() jobs.RunFilters
	frames(ctx context.Context, t *task, runs []run) (data.Frames, error)
}

// questions are the query types of this package.
var questions = map[string]func() question{
	"runs":           func() question { return &report{} },
	comparisonType:   func() question { return &comparison{} },
	"runAnnotations": func() question { return &annotations{} },
	"trainingHealth": func() question { return &examination{} },
}

// QueryTypes are the query types of this package, sorted.
func QueryTypes() []string { return slices.Sorted(maps.Keys(questions)) }

// options are those of all query types.
type options struct {
	Source sourceModel `json:"source"`
	// Selector are the label matchers of a run's GPUs, in which $label is the value of the run's label.
	Selector string `json:"selector"`
	// Runs are the ids of runs.
	Runs     query.Choices `json:"runs"`
	Baseline string        `json:"baseline"`
	prom.Filters
	// source is that of Source, unless the query has another.
	source source
}

func (o *options) shared() *options { return o }

// request is a parsed query with its time range. Nobody changes it.
type request struct {
	options
	// gpus is the option Selector.
	gpus      selector
	from, to  time.Time
	maxPoints int64
	// now is the present for the whole result.
	now      time.Time
	alerting bool
	// needs are those of the question.
	needs jobs.RunFilters
}

// end is the end of the range, or now if that is earlier.
func (q *request) end() time.Time { return query.Earlier(q.now, q.to) }

// task is a request under way, with what is learned.
type task struct {
	*Client
	request
	notices query.Notices
	// chosen are the runs that the query is about, and baseline is the one that others are compared with.
	chosen, baseline choice
}

// resolution is the scrape interval.
func (t *task) resolution() time.Duration { return t.Metrics.Step(0, 1) }

// QueryData runs a saved query of one of [QueryTypes]. There is at least one frame, and the first has the notices. It sends no more requests than
// [transport.Left].
//
// Errors are *query.Error or *transport.Error, or MetricsErr or JobsErr.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	ask, ok := questions[saved.QueryType]
	if !ok {
		return nil, query.UnknownType(saved.QueryType)
	}
	q := ask()
	parsed, err := c.parse(ctx, q, saved, alerting)
	if err != nil {
		return nil, err
	}
	t := &task{Client: c, request: parsed, chosen: newChoice(parsed.chosenIDs()...), baseline: newChoice(parsed.Baseline)}
	var runs []run
	if !t.notices.Blank("Runs", t.Runs) {
		found, err := t.source(t, ctx)
		if err == nil && alerting {
			err = t.notices.Incomplete() // before more is requested
		}
		if err != nil {
			return nil, err
		}
		t.explainUnknown()
		runs = t.distinguish(found)
	}
	frames, err := q.frames(ctx, t, runs)
	if err != nil {
		return nil, err
	}
	return query.Finish(ctx, frames, saved.RefID, alerting, t.notices)
}

// parse parses a query, and what the query types have in common.
func (c *Client) parse(ctx context.Context, q question, saved backend.DataQuery, alerting bool) (request, error) {
	r := request{from: saved.TimeRange.From.UTC(), to: saved.TimeRange.To.UTC(), maxPoints: saved.MaxDataPoints, now: time.Now(), alerting: alerting}
	if c.Now != nil {
		r.now = c.Now()
	}
	if alerting && r.to.Before(r.now) {
		r.now = r.to // rules are evaluated at the end of their range, also those of the past
	}
	if err := json.Unmarshal(saved.JSON, q); err != nil {
		return r, query.Unreadable(err)
	}
	if err := q.check(query.IsNumeric(ctx, alerting)); err != nil {
		return r, err
	}
	r.options = *q.shared()
	r.needs = q.needs()
	for field, text := range map[string]string{"GPUs": r.Selector, "Series": r.Source.Expr, "Baseline": r.Baseline} {
		if err := checkText(field, text); err != nil {
			return r, err
		}
	}
	var err error
	if r.source == nil {
		if r.source, err = r.Source.find(); err != nil {
			return r, err
		}
	}
	r.gpus, err = parseSelector(r.Selector)
	return r, err
}

// maxText bounds an expression or a selector as it is written, in bytes.
const maxText = 8 << 10

func checkText(field, text string) error {
	return query.AtMost(field, "it has %d bytes", len(text), maxText)
}

// bounds of the runs of one query.
const (
	// maxTableRuns bounds the runs of a table.
	maxTableRuns = 200
	// defaultMaxRuns bounds the runs of a comparison, unless the query has another bound, up to maxTableRuns.
	defaultMaxRuns = 20
	// maxParallel bounds the queries that are evaluated at the same time.
	maxParallel = 8
)

// mostRuns is how many runs the option maxRuns allows.
func mostRuns(saved query.Number) int {
	if saved >= 1 {
		return int(min(saved, maxTableRuns))
	}
	return defaultMaxRuns
}
