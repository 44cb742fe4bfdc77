package tuning

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	queries "github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// queryModel is a query as it is saved. Which options count depends on its type.
type queryModel struct {
	QueryType string          `json:"queryType"`
	Statuses  queries.Choices `json:"statuses"`
	Models    queries.Choices `json:"models"`
	JobIDs    queries.Choices `json:"jobIds"`
	Show      queries.Choices `json:"show"`
	Metrics   queries.Choices `json:"metrics"`
	Levels    queries.Choices `json:"levels"`
	Purposes  queries.Choices `json:"purposes"`
	// OnlyInRange leaves out jobs that did not live within the time range; nil means true.
	OnlyInRange *bool  `json:"onlyInRange"`
	Format      string `json:"format"`
	XAxis       string `json:"xAxis"`
	// Draw is how annotations draw jobs.
	Draw string `json:"draw"`
}

// query is a query with its time range, and the notices of its result.
type query struct {
	queryModel
	from, to time.Time
	// now is the present for the whole result.
	now     time.Time
	notices notices
	// knownModels are the models of all jobs that were read, whatever their status, sorted.
	knownModels []string
}

// end is the end of the range, or now if that is earlier.
func (q *query) end() time.Time {
	if q.now.Before(q.to) {
		return q.now
	}
	return q.to
}

func (q *query) contains(at time.Time) bool { return !at.Before(q.from) && !at.After(q.to) }

func (q *query) onlyInRange() bool { return q.OnlyInRange == nil || *q.OnlyInRange }

// isNumeric reports whether the result is numbers for alert rules, which would be wrong if jobs were missing.
func (q *query) isNumeric() bool {
	return q.Format == formatCount || q.Format == formatCountByJob || q.Format == formatOverdue
}

// handler runs queries of one type.
type handler struct {
	run func(*Client, context.Context, *query) (data.Frames, error)
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
	q := &query{from: saved.TimeRange.From, to: saved.TimeRange.To, now: c.Now()}
	if len(saved.JSON) > maxQueryBytes {
		return nil, &queries.Error{Field: "Query", Message: "it is larger than 1 MB. Choose fewer values."}
	}
	if err := json.Unmarshal(saved.JSON, &q.queryModel); err != nil {
		return nil, queries.Unreadable(err)
	}
	if err := q.checkLimits(); err != nil {
		return nil, err
	}
	h, ok := handlers[queryType]
	if !ok {
		return nil, queries.UnknownType(queryType)
	}
	if q.to.Before(q.from) {
		return nil, &queries.Error{Field: "Time range", Message: "it ends before it starts."}
	}
	if alerting && !q.isNumeric() {
		q.Format = formatCount
	}
	frames, err := h.run(c, ctx, q)
	if err != nil {
		return nil, err
	}
	if h.isTable {
		queries.DropEmptyFields(frames)
	}
	return queries.Finish(frames, saved.RefID, q.notices), nil
}

// maxQueryBytes bounds a saved query.
const maxQueryBytes = 1 << 20

// checkLimits is an error if an option has too many values, or too long ones.
func (q *query) checkLimits() error {
	for _, option := range []struct {
		field string
		queries.Choices
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
