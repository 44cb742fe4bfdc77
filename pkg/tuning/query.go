package tuning

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// queryModel is a query as it is saved. Which options count depends on its type.
type queryModel struct {
	QueryType string        `json:"queryType"`
	Statuses  query.Choices `json:"statuses"`
	Models    query.Choices `json:"models"`
	JobIDs    query.Choices `json:"jobIds"`
	Show      query.Choices `json:"show"`
	Metrics   query.Choices `json:"metrics"`
	Levels    query.Choices `json:"levels"`
	Purposes  query.Choices `json:"purposes"`
	// OnlyInRange leaves out jobs that did not live within the time range; nil means true.
	OnlyInRange *bool  `json:"onlyInRange"`
	Format      string `json:"format"`
	XAxis       string `json:"xAxis"`
	// Draw is how annotations draw jobs.
	Draw string `json:"draw"`
}

// parsedQuery is a query with its time range, and the notices of its result.
type parsedQuery struct {
	queryModel
	from, to time.Time
	// now is the present for the whole result.
	now     time.Time
	notices query.Notices
	// alerting is true for alert rules and server-side expressions.
	alerting bool
	// unfiltered keeps samples that no curve has: totals, and values that are not finite.
	unfiltered bool
	// fetching is the time of the first fetch of details, or zero.
	fetching time.Time
	// knownModels are the models of all jobs that were read, of every status, sorted.
	knownModels []string
}

// end is the end of the range, or now if that is earlier.
func (q *parsedQuery) end() time.Time { return query.Earlier(q.now, q.to) }

func (q *parsedQuery) contains(at time.Time) bool { return !at.Before(q.from) && !at.After(q.to) }

func (q *parsedQuery) onlyInRange() bool { return q.OnlyInRange == nil || *q.OnlyInRange }

// isNumeric reports whether the result is numbers for alert rules, which would be wrong if jobs were missing.
func (q *parsedQuery) isNumeric() bool {
	return q.Format == formatCount || q.Format == formatCountByJob || q.Format == formatOverdue
}

// mustBeComplete reports whether a partial result would be wrong, because an alert rule or an expression evaluates it.
func (q *parsedQuery) mustBeComplete() bool { return q.alerting || q.isNumeric() }

// handler runs queries of one type.
type handler struct {
	run func(*Client, context.Context, *parsedQuery) (data.Frames, error)
	// isTable is true if the frames are for tables. Other panels look up fields by name, also where there are no rows.
	isTable bool
}

// handlers are the query types of this package.
var handlers = map[string]handler{
	"fineTuningJobs":        {run: (*Client).queryJobs, isTable: true},
	"fineTuningCheckpoints": {run: (*Client).queryCheckpoints, isTable: true},
	"fineTuningCurves":      {run: (*Client).queryCurves},
	"fineTuningEvents":      {run: (*Client).queryEvents, isTable: true},
	"trainingFiles":         {run: (*Client).queryFiles, isTable: true},
	"fineTuningAnnotations": {run: (*Client).queryAnnotations},
}

// QueryTypes are the query types of this package, sorted.
func QueryTypes() []string { return slices.Sorted(maps.Keys(handlers)) }

// QueryData runs a saved query. There is at least one frame, and the first has the notices.
//
// An option that is missing or an empty list means all. An option that has only blanks, from a dashboard variable without a
// value, means none: the result is empty, and a notice says why. With alerting set, for alert rules and server-side
// expressions, it counts jobs unless the query's format is a number already. Errors are *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, queryType string, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	q := &parsedQuery{from: saved.TimeRange.From, to: saved.TimeRange.To, now: c.Now(), alerting: alerting}
	if err := json.Unmarshal(saved.JSON, &q.queryModel); err != nil {
		return nil, query.Unreadable(err)
	}
	if err := q.checkLimits(); err != nil {
		return nil, err
	}
	h, ok := handlers[queryType]
	if !ok {
		return nil, query.UnknownType(queryType)
	}
	if q.to.Before(q.from) {
		return nil, &query.Error{Field: "Time range", Message: "it ends before it starts."}
	}
	if alerting && !q.isNumeric() {
		q.Format = formatCount
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

// checkLimits is an error if an option has too many values, or too long ones.
func (q *parsedQuery) checkLimits() error {
	for _, option := range []struct {
		field string
		query.Choices
	}{
		{"Job", q.JobIDs}, {"Status", q.Statuses}, {"Model", q.Models}, {"Show", q.Show},
		{"Metric", q.Metrics}, {"Level", q.Levels}, {"Purpose", q.Purposes},
	} {
		if err := option.Check(option.field); err != nil {
			return err
		}
	}
	return nil
}
