package jobs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// request is what queries of all types have. Nobody changes it; notices about the result are added to its notices.
type request struct {
	from, to time.Time
	// now is the present for the whole result, and started the time at which the query began, which bounds its wait for details.
	now, started time.Time
	// complete is set if a partial result would be wrong, because an alert rule or an expression evaluates it.
	complete bool
	notices  *query.Notices
}

// end is the end of the range, or now if that is earlier.
func (q request) end() time.Time { return query.Earlier(q.now, q.to) }

func (q request) contains(at time.Time) bool { return !at.Before(q.from) && !at.After(q.to) }

// selection selects jobs, in queries of every type but files.
type selection struct {
	Statuses query.Choices `json:"statuses"`
	Models   query.Choices `json:"models"`
	JobIDs   query.Choices `json:"jobIds"`
}

// check is an error if there are too many values, or one that can't be used.
func (s selection) check() error {
	for _, id := range s.JobIDs.Values {
		if !isJobID(id) {
			return &query.Error{Field: "Job", Message: fmt.Sprintf("%q is not the id of a job.", id)}
		}
	}
	return cmp.Or(s.JobIDs.Check("Job"), s.Statuses.Check("Status"), s.Models.Check("Model"))
}

// isJobID is false for ids that servers between here and the gateway make another path of: they decode escaped slashes and dots.
func isJobID(id string) bool { return id != "." && id != ".." && !strings.Contains(id, "/") }

// handler runs queries of one type.
type handler func(*Client, context.Context, request, backend.DataQuery) (data.Frames, error)

// handle makes a handler of a function of parsed options.
func handle[T query.Options[T]](run func(*Client, context.Context, request, T) (data.Frames, error)) handler {
	return func(c *Client, ctx context.Context, q request, saved backend.DataQuery) (data.Frames, error) {
		options, err := query.Parse[T](saved, q.complete)
		if err != nil {
			return nil, err
		}
		return run(c, ctx, q, options)
	}
}

// handlers are the query types of this package.
var handlers = map[string]handler{
	"fineTuningJobs":        handle((*Client).queryJobs),
	"fineTuningCheckpoints": handle((*Client).queryCheckpoints),
	"fineTuningCurves":      handle((*Client).queryCurves),
	"fineTuningEvents":      handle((*Client).queryEvents),
	"trainingFiles":         handle((*Client).queryFiles),
	"fineTuningAnnotations": handle((*Client).queryAnnotations),
}

// QueryTypes are the query types of this package, sorted.
func QueryTypes() []string { return slices.Sorted(maps.Keys(handlers)) }

// QueryData runs a saved query. There is at least one frame, and the first has the notices.
//
// An option that is missing or an empty list means all. An option that has only blanks, from a dashboard variable without a
// value, means none: the result is empty, and a notice says why. With alerting set, for alert rules and server-side
// expressions, it counts jobs unless the query's format is a number already. Errors are *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, queryType string, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	run, ok := handlers[queryType]
	if !ok {
		return nil, query.UnknownType(queryType)
	}
	q := request{
		from: saved.TimeRange.From, to: saved.TimeRange.To, now: c.Now(), started: time.Now(), complete: alerting, notices: &query.Notices{},
	}
	if q.to.Before(q.from) {
		return nil, &query.Error{Field: "Time range", Message: "it ends before it starts."}
	}
	frames, err := run(c, ctx, q, saved)
	if err != nil {
		return nil, err
	}
	return query.Finish(frames, saved.RefID, alerting, *q.notices)
}
