package tuning

import (
	"context"
	"encoding/json"
	"fmt"
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

// query is a query that is ready to be answered.
type query struct {
	queryModel
	from, to time.Time
	// now is the same for the whole answer.
	now     time.Time
	notices notices
	// seenModels are the models of the jobs that were looked at, whatever their status, sorted.
	seenModels []string
}

// end is up to when the range has been lived: its end, or now.
func (q *query) end() time.Time {
	if q.now.Before(q.to) {
		return q.now
	}
	return q.to
}

func (q *query) holds(at time.Time) bool { return !at.Before(q.from) && !at.After(q.to) }

func (q *query) onlyInRange() bool { return q.OnlyInRange == nil || *q.OnlyInRange }

// exact tells whether the answer is numbers, which are wrong if jobs are missing.
func (q *query) exact() bool {
	return q.Format == formatCount || q.Format == formatCountByJob || q.Format == formatOverdue
}

// handlers answer each query type.
var handlers = map[string]func(*Client, context.Context, *query) (data.Frames, error){
	"fineTuningJobs":        (*Client).queryJobs,
	"fineTuningCheckpoints": (*Client).queryCheckpoints,
	"fineTuningCurves":      (*Client).queryCurves,
	"fineTuningEvents":      (*Client).queryEvents,
	"trainingFiles":         (*Client).queryFiles,
	"fineTuningAnnotations": (*Client).queryAnnotations,
}

// isTable tells whether a query is answered by a table. Other panels than a table look for fields by their names.
func isTable(queryType string) bool {
	return queryType != "fineTuningAnnotations" && queryType != "fineTuningCurves"
}

// QueryTypes are the query types that this package answers.
func QueryTypes() []string {
	types := make([]string, 0, len(handlers))
	for name := range handlers {
		types = append(types, name)
	}
	slices.Sort(types)
	return types
}

// QueryData answers one saved query with frames; there is at least one, and the first carries the notices.
//
// An option that is missing or an empty list means all. An option that is a list of nothing but blanks, as a dashboard
// variable without a value leaves it, means nothing: the answer is empty, and a notice says why.
// With plain set jobs are counted unless the query's format is a number already, because alert rules and server-side
// expressions can't use tables.
// Errors are *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, queryType string, saved backend.DataQuery, plain bool) (data.Frames, error) {
	q := &query{from: saved.TimeRange.From, to: saved.TimeRange.To, now: c.Now()}
	if len(saved.JSON) > maxQueryBytes {
		return nil, &queries.Error{Field: "Query", Message: "it is larger than 1 MB. Choose fewer values."}
	}
	if err := json.Unmarshal(saved.JSON, &q.queryModel); err != nil {
		return nil, queries.Unreadable(err)
	}
	if err := q.bounded(); err != nil {
		return nil, err
	}
	handle, ok := handlers[queryType]
	if !ok {
		return nil, &queries.Error{Field: "Query type", Message: fmt.Sprintf("%q is not known to this version of the plugin.", queryType)}
	}
	if q.to.Before(q.from) {
		return nil, &queries.Error{Field: "Time range", Message: "it ends before it starts."}
	}
	if plain && !q.exact() {
		q.Format = formatCount
	}
	frames, err := handle(c, ctx, q)
	if err != nil {
		return nil, err
	}
	if len(frames) == 0 {
		frames = data.Frames{data.NewFrame("")}
	}
	for _, frame := range frames {
		frame.RefID = saved.RefID
		if frame.Rows() == 0 && isTable(queryType) {
			frame.Fields = nil // or Grafana's table has titles above nothing, and doesn't say what its panel says of no data
		}
	}
	frames[0].AppendNotices(q.notices...)
	return frames, nil
}
