package jobs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gateway"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// request is what queries of all types have. Notices about the result are added to its notices; nobody changes it otherwise.
type request struct {
	saved    backend.DataQuery
	from, to time.Time
	// now is the present for the whole result, and started the time at which the query began, which bounds its wait for details.
	now, started time.Time
	// numeric is set if the result has to be numbers, and complete if a partial one would be wrong, because it is a number, or an alert rule or
	// an expression evaluates it.
	numeric, complete bool
	notices           *query.Notices
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

// hasStatus reports whether a job has one of the statuses, in the word of its gateway or in the usual one.
func (s selection) hasStatus(j Job) bool {
	return s.Statuses.Has(j.Status) || s.Statuses.Has(gateway.Usual(j.Status))
}

// isInRange reports whether the jobs have to overlap the range: those that are chosen by id don't.
func (s selection) isInRange() bool { return len(s.JobIDs.Values) == 0 }

// isJobID is false for ids that servers between here and the gateway make another path of: they decode escaped slashes and dots.
func isJobID(id string) bool { return id != "." && id != ".." && !strings.Contains(id, "/") }

// handlers are the query types of this package.
var handlers = map[string]func(*Client, context.Context, request) (data.Frames, error){
	"fineTuningJobs":        (*Client).queryJobs,
	"fineTuningCheckpoints": (*Client).queryCheckpoints,
	"fineTuningCurves":      (*Client).queryCurves,
	"fineTuningEvents":      (*Client).queryEvents,
	"trainingFiles":         (*Client).queryFiles,
	"fineTuningAnnotations": (*Client).queryAnnotations,
}

// QueryTypes are the query types of this package, sorted.
func QueryTypes() []string { return slices.Sorted(maps.Keys(handlers)) }

// QueryData runs a saved query of one of [QueryTypes]. There is at least one frame, and the first has the notices.
//
// An option that is missing or an empty list means all. An option that has only blanks, from a dashboard variable without a
// value, means none: the result is empty, and a notice says why. With alerting set, for alert rules and server-side
// expressions, nothing may be left out, and for the former it counts jobs unless the query's format is a number already. Errors are
// *query.Error or *transport.Error.
func (c *Client) QueryData(ctx context.Context, saved backend.DataQuery, alerting bool) (data.Frames, error) {
	run, ok := handlers[saved.QueryType]
	if !ok {
		return nil, query.UnknownType(saved.QueryType)
	}
	q := request{
		saved: saved, from: saved.TimeRange.From, to: saved.TimeRange.To, now: c.Now(), started: time.Now(),
		numeric: query.IsNumeric(ctx, alerting), complete: alerting, notices: &query.Notices{},
	}
	frames, err := run(c, ctx, q)
	if err != nil {
		return nil, err
	}
	return query.Finish(ctx, frames, saved.RefID, alerting, *q.notices)
}

// selected are the jobs of a query.
type selected struct {
	// chosen are the selected ones, newest first, and all those that were read, of any status, model and time.
	chosen, all []Job
}

// selectJobs checks the ids, and reads jobs: the list, and those that are chosen by id
// and not in it; if inRange is set, those that overlap the range. There are none if an option includes nothing: isBlank says so of others beside the
// selection.
func (c *Client) selectJobs(ctx context.Context, q request, s selection, inRange, isBlank bool) (selected, error) {
	for _, id := range s.JobIDs.Values {
		if !isJobID(id) {
			return selected{}, &query.Error{Field: "Job", Message: fmt.Sprintf("%q is not the id of a job.", id)}
		}
	}
	isBlank = q.notices.Blank("Job", s.JobIDs) || isBlank
	isBlank = q.notices.Blank("Model", s.Models) || isBlank
	if isBlank = q.notices.Blank("Status", s.Statuses) || isBlank; isBlank {
		return selected{}, nil
	}
	list, err := c.ListJobs(ctx)
	var jobs []Job
	if s.JobIDs.All() {
		jobs, err = itemsOf(q, list, " Choose jobs by id to see others."), c.jobListError(err)
	} else {
		jobs, err = c.jobsByID(ctx, q, s.JobIDs.Values, list.Items, err)
	}
	if err != nil {
		return selected{}, err
	}
	chosen := slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return !s.hasStatus(j) || !s.Models.Has(j.Model) })
	q.explainUnmatched(s, jobs, chosen)
	newestFirst(chosen)
	if inRange {
		chosen = q.inRange(chosen)
	}
	return selected{chosen, jobs}, nil
}
