package runs

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// The formats of training health that other queries don't have.
const (
	formatETA         = "eta"
	formatAnnotations = "annotations"
)

// examination is a query of the type trainingHealth: what is wrong with runs, and when they will finish. With Expr it is about the
// series of that, otherwise about fine-tuning jobs.
type examination struct {
	options
	JobIDs   query.Choices `json:"jobIds"`
	Statuses query.Choices `json:"statuses"`
	Models   query.Choices `json:"models"`
	Expr     string        `json:"expr"`
	// Metrics are names of training metrics, and without any those of which it is known which values are better.
	Metrics query.Choices `json:"metrics"`
	// Findings are kinds of findings, and eta, for numbers and annotations.
	Findings query.Choices `json:"findings"`
	Format   string        `json:"format"`

	// most is about how many jobs the query is at most.
	most int
}

const (
	// maxExamined bounds the jobs of one query, each of which takes requests. Alert rules, which need all jobs, have maxTableRuns.
	maxExamined = 50
	// maxExaminedPoints bounds the points of all curves of a query: they take a second of processor time.
	maxExaminedPoints = 400_000
	// eta is the finding that stands for the time until a run finishes.
	eta = "eta"
)

func (q *examination) check(numeric bool) error {
	// The front end leaves a blank of an expression whose variable has no value. Without any, the query is about all jobs.
	if q.Expr != "" && strings.TrimSpace(q.Expr) == "" {
		return &query.Error{Field: "PromQL", Message: "the variable has no value. Choose one, or write the metric itself."}
	}
	q.Expr = strings.TrimSpace(q.Expr)
	q.options = options{Filters: q.Filters, Source: sourceModel{Statuses: q.Statuses, Models: q.Models, JobIDs: q.JobIDs, Expr: q.Expr}}
	if q.Expr != "" {
		q.source = (*task).curveRuns
	}
	q.most = maxExamined
	if numeric {
		q.Format, q.most = formatNumber, maxTableRuns
	}
	known := []string{eta}
	for _, kind := range health.Kinds {
		known = append(known, string(kind))
	}
	allowed := query.NewChoices(known)
	for _, given := range q.Findings.Values {
		if !allowed.Has(given) {
			return query.OneOf("Findings", given, known...)
		}
	}
	return cmp.Or(checkText("PromQL", q.Expr), query.OneOf("Format", q.Format, "", formatTable, formatETA, formatNumber, formatAnnotations))
}

func (q *examination) needs() jobs.RunFilters {
	return jobs.RunFilters{Most: q.most, Samples: true, Steps: true, Metrics: q.Metrics, Complete: q.Format == formatNumber}
}

// examined is a run, and what was found about it.
type examined struct {
	run
	// goesOn reports that the run goes on at the end of the range.
	goesOn bool
	health.Result
}

// frames are what was found about runs, the most urgent first.
func (q *examination) frames(ctx context.Context, t *task, runs []run) (data.Frames, error) {
	t.notices.Blank("Findings", q.Findings)
	if t.notices.Blank("Metric", q.Metrics) {
		runs = nil
	}
	if err := t.boundCurves(runs); err != nil {
		return nil, err
	}
	all := make([]examined, len(runs))
	var known []ending
	if q.estimates(runs) {
		known = t.readEndings(ctx)
	}
	for i, r := range runs {
		if r.job != nil {
			r.history.Progress.Ending = endingOf(known, r.job.Model)
		}
		all[i] = examined{r, r.goesOn(t.end()), r.history.Examine(t.end())}
	}
	urgentFirst(all)
	switch q.Format {
	case formatNumber:
		return q.numbers(t, all), nil
	case formatAnnotations:
		return q.annotations(t, all), nil
	case formatETA:
		if q.Expr != "" && len(runs) > 0 {
			t.notices.Info("PromQL does not say how many steps a run makes, so there is no time at which it finishes.")
		}
		return data.Frames{etaTable(t, all)}, nil
	}
	return data.Frames{findingsTable(all)}, nil
}

// boundCurves leaves out curves beyond maxExaminedPoints, those of the oldest runs.
func (t *task) boundCurves(runs []run) error {
	points, over := 0, 0
	for i := range runs {
		h := &runs[i].history
		h.Curves = slices.DeleteFunc(h.Curves, func(c health.Curve) bool {
			points += len(c.Points)
			if points > maxExaminedPoints {
				over++
			}
			return points > maxExaminedPoints
		})
	}
	if over == 0 {
		return nil
	}
	return t.cut("%s left out, because all have %d points, and the limit is %d. Choose fewer jobs or metrics.", query.Plural(over, "curve"), points, maxExaminedPoints)
}
