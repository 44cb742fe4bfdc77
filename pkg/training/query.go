package training

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/training/findings"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/tuning"
)

// QueryType is the query type of this package.
const QueryType = "trainingHealth"

// Client queries how training runs fare. It is safe for concurrent use.
type Client struct {
	Metrics *promclient.Client
	// MetricsErr is why metrics can't be queried, or nil. JobsErr is why jobs can't.
	MetricsErr error
	Jobs       *tuning.Client
	JobsErr    error
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// The formats.
const (
	formatTable       = "table"
	formatETA         = "eta"
	formatNumber      = "number"
	formatAnnotations = "annotations"
)

// queryModel is a query as it is saved. With Expr it is about the series of that, otherwise about fine-tuning jobs.
type queryModel struct {
	JobIDs   query.Choices `json:"jobIds"`
	Statuses query.Choices `json:"statuses"`
	Models   query.Choices `json:"models"`
	Expr     string        `json:"expr"`
	// Metrics are names of training metrics, and without any those of which it is known which values are better.
	Metrics query.Choices `json:"metrics"`
	// Findings are kinds of findings, and eta, for numbers and annotations.
	Findings query.Choices `json:"findings"`
	Format   string        `json:"format"`
}

// parsedQuery is a query with its time range, and the notices of its result.
type parsedQuery struct {
	queryModel
	from, to time.Time
	// end is the end of the range, or now if that is earlier: the time at which runs are looked at.
	end      time.Time
	notices  query.Notices
	alerting bool
}

// run is a training run, and what was found about it.
type run struct {
	name, status string
	labels       data.Labels
	// estimate is when it is to finish, as the gateway says, or zero.
	estimate time.Time
	// running reports that the run goes on at the end of the range.
	running bool
	findings.Run
	findings.Result
}

const (
	// maxText bounds an expression, in bytes.
	maxText = 8 << 10
	// maxName bounds a name in a message, and an expression as the name of a metric, in characters.
	maxName = 60
)

// QueryData runs a saved query. There is at least one frame, and the first has the notices. For alert rules and server-side
// expressions the format is always number.
//
// Errors are *query.Error or *transport.Error, or MetricsErr or JobsErr.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	q, err := c.parseQuery(saved, alerting)
	if err != nil {
		return nil, err
	}
	runs, err := c.find(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, r := range runs {
		r.Result = r.Examine(q.end)
	}
	urgentFirst(runs)
	var frames data.Frames
	switch q.Format {
	case formatNumber:
		frames = q.numbers(runs)
	case formatAnnotations:
		frames = q.annotations(runs)
	case formatETA:
		frames = data.Frames{q.etaTable(runs)}
		query.DropEmptyFields(frames)
	default:
		frames = data.Frames{table(runs)}
		query.DropEmptyFields(frames)
	}
	return query.Finish(frames, saved.RefID, q.notices), nil
}

// find finds runs with their curves, newest first.
func (c *Client) find(ctx context.Context, q *parsedQuery) ([]*run, error) {
	switch {
	case q.Expr == "" && c.JobsErr != nil:
		return nil, c.JobsErr
	case q.Expr == "":
		return c.jobRuns(ctx, q)
	case c.MetricsErr != nil:
		return nil, c.MetricsErr
	}
	return c.seriesRuns(ctx, q)
}

func (c *Client) parseQuery(saved backend.DataQuery, alerting bool) (*parsedQuery, error) {
	q := &parsedQuery{from: saved.TimeRange.From.UTC(), to: saved.TimeRange.To.UTC(), alerting: alerting}
	if err := json.Unmarshal(saved.JSON, &q.queryModel); err != nil {
		return nil, query.Unreadable(err)
	}
	if q.to.Before(q.from) {
		return nil, &query.Error{Field: "Time range", Message: "it ends before it starts."}
	}
	now := time.Now()
	if c.Now != nil {
		now = c.Now()
	}
	q.end = query.Earlier(now.UTC(), q.to)
	q.Expr = strings.TrimSpace(q.Expr)
	if len(q.Expr) > maxText {
		return nil, &query.Error{Field: "PromQL", Message: fmt.Sprintf("it has %d bytes, and the limit is %d.", len(q.Expr), maxText)}
	}
	switch q.Format {
	case "", formatTable, formatETA, formatNumber, formatAnnotations:
	default:
		return nil, &query.Error{Field: "Format", Message: fmt.Sprintf("%q is not known. Use table, eta, number or annotations.", q.Format)}
	}
	if alerting {
		q.Format = formatNumber
	}
	for field, choices := range map[string]*query.Choices{
		"Jobs": &q.JobIDs, "Status": &q.Statuses, "Model": &q.Models, "Metric": &q.Metrics, "Findings": &q.Findings,
	} {
		if err := choices.Check(field); err != nil {
			return nil, err
		}
		if choices.Blank {
			q.notices.Warn(query.BlankNotice, field)
		}
	}
	return q, q.checkFindings()
}

// eta is the finding that stands for the time until a run finishes.
const eta = "eta"

func (q *parsedQuery) checkFindings() error {
	known := []string{eta}
	for _, kind := range findings.Kinds {
		known = append(known, string(kind))
	}
	allowed := query.NewChoices(known)
	for _, given := range q.Findings.Values {
		if !allowed.Has(given) {
			return &query.Error{Field: "Findings", Message: fmt.Sprintf("%q is not known. Use %s.", query.Cut(given, maxName), strings.Join(known, ", "))}
		}
	}
	return nil
}
