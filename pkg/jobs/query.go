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

// request is what queries of all types have. Nobody changes it; notices about the result are added to its notices.
type request struct {
	from, to time.Time
	// now is the present for the whole result, and started the time at which the query began, which bounds its wait for details.
	now, started time.Time
	// complete is set if a partial result would be wrong, because it is a number, or an alert rule or an expression evaluates it.
	complete bool
	notices  *query.Notices
}

// end is the end of the range, or now if that is earlier.
func (q request) end() time.Time { return query.Earlier(q.now, q.to) }

func (q request) contains(at time.Time) bool { return !at.Before(q.from) && !at.After(q.to) }

// options are those of one type of queries. Nobody changes them after parsed.
type options[O any] interface {
	// parsed returns valid options, with their defaults. With alerting set they are for an alert rule. Its error is a *query.Error.
	parsed(alerting bool) (O, error)
	// choices are the options that choose values, by their labels in the editor.
	choices() map[string]query.Choices
	// jobs selects the jobs that the query is about.
	jobs() (selection, scope)
}

// selection selects jobs, in queries of every type but files.
type selection struct {
	Statuses query.Choices `json:"statuses"`
	Models   query.Choices `json:"models"`
	JobIDs   query.Choices `json:"jobIds"`
}

func (s selection) choices() map[string]query.Choices {
	return map[string]query.Choices{"Job": s.JobIDs, "Status": s.Statuses, "Model": s.Models}
}

// hasStatus reports whether a job has one of the statuses, in the word of its gateway or in the usual one.
func (s selection) hasStatus(j Job) bool {
	return s.Statuses.Has(j.Status) || s.Statuses.Has(gateway.Usual(j.Status))
}

// jobs are those that overlap the range, unless they are chosen by id.
func (s selection) jobs() (selection, scope) {
	if len(s.JobIDs.Values) > 0 {
		return s, anyTime
	}
	return s, overlapping
}

// scope says which of the selected jobs a query is about.
type scope int

const (
	// noJobs is for queries that are not about jobs.
	noJobs scope = iota
	anyTime
	// overlapping is for jobs that overlap the range.
	overlapping
	// counted is for jobs of any time, of which none may be missing.
	counted
)

// isJobID is false for ids that servers between here and the gateway make another path of: they decode escaped slashes and dots.
func isJobID(id string) bool { return id != "." && id != ".." && !strings.Contains(id, "/") }

// check is an error if there are too many values, or one that can't be used. isBlank reports that an option includes nothing.
func (q request) check(choices map[string]query.Choices) (isBlank bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(choices)) {
		chosen := choices[name]
		if err := chosen.Check(name); err != nil {
			return false, err
		}
		isBlank = q.notices.Blank(name, chosen) || isBlank
	}
	for _, id := range choices["Job"].Values {
		if !isJobID(id) {
			return false, &query.Error{Field: "Job", Message: fmt.Sprintf("%q is not the id of a job.", id)}
		}
	}
	return isBlank, nil
}

// parsed are parsed options, and how frames are made of the jobs that they select.
type parsed struct {
	choices map[string]query.Choices
	jobs    selection
	of      scope
	frames  func(*Client, context.Context, request, selected) (data.Frames, error)
}

// handle makes the parser of a query type of the function that makes its frames.
func handle[O options[O]](frames func(*Client, context.Context, request, O, selected) (data.Frames, error)) func(backend.DataQuery, bool) (parsed, error) {
	return func(saved backend.DataQuery, alerting bool) (parsed, error) {
		o, err := query.Parse[O](saved)
		if err == nil {
			o, err = o.parsed(alerting)
		}
		if err != nil {
			return parsed{}, err
		}
		jobs, of := o.jobs()
		return parsed{o.choices(), jobs, of, func(c *Client, ctx context.Context, q request, s selected) (data.Frames, error) {
			return frames(c, ctx, q, o, s)
		}}, nil
	}
}

// handlers are the query types of this package.
var handlers = map[string]func(saved backend.DataQuery, alerting bool) (parsed, error){
	"fineTuningJobs":        handle((*Client).queryJobs),
	"fineTuningCheckpoints": handle((*Client).queryCheckpoints),
	"fineTuningCurves":      handle((*Client).queryCurves),
	"fineTuningEvents":      handle((*Client).queryEvents),
	"trainingFiles":         handle((*Client).queryFiles),
	"fineTuningAnnotations": handle((*Client).queryAnnotations),
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
	parse, ok := handlers[saved.QueryType]
	if !ok {
		return nil, query.UnknownType(saved.QueryType)
	}
	p, err := parse(saved, query.IsNumeric(ctx, alerting))
	if err != nil {
		return nil, err
	}
	q := request{
		from: saved.TimeRange.From, to: saved.TimeRange.To, now: c.Now(), started: time.Now(),
		complete: alerting || p.of == counted, notices: &query.Notices{},
	}
	isBlank, err := q.check(p.choices)
	if err != nil {
		return nil, err
	}
	var jobs selected
	if !isBlank && p.of != noJobs {
		if jobs, err = c.selectJobs(ctx, q, p.jobs, p.of); err != nil {
			return nil, err
		}
	}
	frames, err := p.frames(c, ctx, q, jobs)
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

// selectJobs reads jobs: the list, and those that are chosen by id and not in it.
func (c *Client) selectJobs(ctx context.Context, q request, s selection, of scope) (selected, error) {
	list, err := c.ListJobs(ctx)
	var all []Job
	if s.JobIDs.All() {
		all, err = itemsOf(q, list, " Choose jobs by id to see others."), c.jobListError(err)
	} else {
		all, err = c.jobsByID(ctx, q, s.JobIDs.Values, list.Items, err)
	}
	if err != nil {
		return selected{}, err
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(j Job) bool { return !s.hasStatus(j) || !s.Models.Has(j.Model) })
	q.explainUnmatched(s, all, chosen)
	newestFirst(chosen)
	if of == overlapping {
		chosen = q.inRange(chosen)
	}
	return selected{chosen, all}, nil
}
