package promapi

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

// The engine's limits, as Prometheus has them by default.
const (
	maxSamples    = 50_000_000
	queryTimeout  = 2 * time.Minute
	lookbackDelta = 5 * time.Minute
	// evaluationInterval is the step of a subquery that names none.
	evaluationInterval = time.Minute
)

// API serves requests on a store. It is safe for concurrent use.
type API struct {
	store  storage.Queryable
	now    func() time.Time
	engine *promql.Engine
	parser parser.Parser
}

// New makes an API on a store. now is the time of instant queries that name none.
func New(store storage.Queryable, now func() time.Time) *API {
	p := parser.NewParser(parser.Options{})
	return &API{store: store, now: now, parser: p, engine: promql.NewEngine(promql.EngineOpts{
		MaxSamples: maxSamples, Timeout: queryTimeout, LookbackDelta: lookbackDelta, Parser: p,
		EnableAtModifier: true, EnableNegativeOffset: true,
		NoStepSubqueryIntervalFn: func(int64) int64 { return evaluationInterval.Milliseconds() },
	})}
}

// response is a successful response; write writes its data member.
type response struct {
	write    func(*encoder)
	warnings annotations.Annotations
	query    string
	close    func()
}

// Query serves an instant query: query, time.
func (a *API) Query(w http.ResponseWriter, r *http.Request) {
	a.serve(w, r, func(r *http.Request, form url.Values) (*response, error) {
		at, err := optionalTime(form, "time", a.now())
		if err != nil {
			return nil, err
		}
		return a.run(r, form, func(query string) (promql.Query, error) {
			return a.engine.NewInstantQuery(r.Context(), a.store, nil, query, at)
		})
	})
}

// QueryRange serves a range query: query, start, end, step.
func (a *API) QueryRange(w http.ResponseWriter, r *http.Request) {
	a.serve(w, r, func(r *http.Request, form url.Values) (*response, error) {
		span, err := parseRange(form)
		if err != nil {
			return nil, err
		}
		return a.run(r, form, func(query string) (promql.Query, error) {
			return a.engine.NewRangeQuery(r.Context(), a.store, nil, query, span.start, span.end, span.step)
		})
	})
}

// Labels responds with label names: match[], start, end, limit.
func (a *API) Labels(w http.ResponseWriter, r *http.Request) {
	a.list(w, r, func(q storage.Querier, hints *storage.LabelHints, matchers []*labels.Matcher) ([]string, annotations.Annotations, error) {
		return q.LabelNames(r.Context(), hints, matchers...)
	})
}

// LabelValues responds with the values of a label: match[], start, end, limit.
func (a *API) LabelValues(w http.ResponseWriter, r *http.Request, name string) {
	if !model.UTF8Validation.IsValidLabelName(name) {
		writeError(w, badData(errors.New("invalid label name: \""+name+"\"")))
		return
	}
	a.list(w, r, func(q storage.Querier, hints *storage.LabelHints, matchers []*labels.Matcher) ([]string, annotations.Annotations, error) {
		return q.LabelValues(r.Context(), name, hints, matchers...)
	})
}

// serve responds with the result of fn, or with its error.
func (a *API) serve(w http.ResponseWriter, r *http.Request, fn func(*http.Request, url.Values) (*response, error)) {
	form, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		writeError(w, badData(err))
		return
	}
	result, err := fn(r, form)
	if err != nil {
		writeError(w, err)
		return
	}
	defer result.close()
	w.Header().Set("Content-Type", "application/json")
	e := newEncoder(w)
	e.WriteRaw(`{"status":"success","data":`)
	result.write(e)
	warnings, infos := result.warnings.AsStrings(result.query, 10, 10)
	e.list("warnings", warnings)
	e.list("infos", infos)
	e.WriteRaw("}")
	_ = e.Flush() // the client may have gone
}

// run executes a query.
func (a *API) run(r *http.Request, form url.Values, prepare func(query string) (promql.Query, error)) (*response, error) {
	query := form.Get("query")
	prepared, err := prepare(query)
	if err != nil {
		return nil, invalid("query", err)
	}
	result := prepared.Exec(r.Context())
	if result.Err != nil {
		prepared.Close()
		return nil, failed(result.Err)
	}
	return &response{func(e *encoder) { e.value(result.Value) }, result.Warnings, query, prepared.Close}, nil
}

// list responds with the union of the values for each selector.
func (a *API) list(w http.ResponseWriter, r *http.Request, read func(storage.Querier, *storage.LabelHints, []*labels.Matcher) ([]string, annotations.Annotations, error)) {
	a.serve(w, r, func(_ *http.Request, form url.Values) (*response, error) {
		start, err := optionalTime(form, "start", minTime)
		if err != nil {
			return nil, err
		}
		end, err := optionalTime(form, "end", maxTime)
		if err != nil {
			return nil, err
		}
		selectors, err := a.parseSelectors(form)
		if err != nil {
			return nil, err
		}
		q, err := a.store.Querier(start.UnixMilli(), end.UnixMilli())
		if err != nil {
			return nil, failed(err)
		}
		found, warnings := map[string]bool{}, annotations.Annotations{}
		for _, matchers := range selectors {
			values, notes, err := read(q, nil, matchers)
			if err != nil {
				return nil, failed(err)
			}
			warnings.Merge(notes)
			for _, v := range values {
				found[v] = true
			}
		}
		values := slices.Sorted(maps.Keys(found))
		if limit, _ := strconv.Atoi(form.Get("limit")); limit > 0 {
			values = values[:min(limit, len(values))]
		}
		return &response{func(e *encoder) { e.strings(values) }, warnings, "", func() { _ = q.Close() }}, nil
	})
}
