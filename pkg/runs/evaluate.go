package runs

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/panics"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/transport"
)

// evidence is what queries said about one run: the results of parts, by model of GPU if the part is. What failed is NaN.
type evidence map[string]map[string]float64

// row is a run with its evidence, and the prices for its cost.
type row struct {
	allocated
	evidence
	prices     Prices
	resolution time.Duration
}

// evaluation is one query about several parts of a run.
type evaluation struct {
	joined
	row    int
	onGrid bool

	result *promql.Result
	err    error
}

// overRequests says why runs are left out.
var overRequests = fmt.Sprintf("a request makes at most %d requests to the platform, which its queries share. Choose fewer runs or measures.", transport.MaxRequests)

// evaluate evaluates parts about runs. If there are too many queries, the baseline and the newest runs are measured.
func (t *task) evaluate(ctx context.Context, runs []allocated, f *fleet, parts []string) ([]row, error) {
	rows := make([]row, len(runs))
	resolution := time.Duration(0)
	if t.Metrics != nil {
		resolution = t.resolution()
	}
	if slices.ContainsFunc(parts, isOfGPUs) {
		if err := t.sizes(ctx, runs, f, slices.Contains(parts, drawnPart)); err != nil {
			return nil, err
		}
	}
	for i, r := range runs {
		rows[i] = row{r, evidence{}, t.Prices, resolution}
	}
	if len(parts) == 0 {
		return rows, nil
	}
	var all []evaluation
	hasArchive, requests := t.Metrics.Oldest(t.now).IsZero(), 0
	for measured, i := range t.baselineFirst(runs) {
		some := t.evaluationsOf(i, &rows[i].allocated, f, parts)
		for _, one := range some {
			if requests++; one.onGrid && hasArchive {
				requests++ // one to each side of the seam
			}
		}
		if requests > transport.Left(ctx) {
			if err := t.cut("Only %d of %d runs are measured: %s", measured, len(rows), overRequests); err != nil {
				return nil, err
			}
			break
		}
		all = append(all, some...)
	}
	if err := t.send(ctx, rows, all); err != nil {
		return nil, err
	}
	t.read(rows, all)
	return rows, nil
}

// evaluationsOf are the queries about a run, each within the bounds of a query.
func (t *task) evaluationsOf(i int, r *allocated, f *fleet, wanted []string) []evaluation {
	if r.window.isEmpty() {
		return nil
	}
	var all []evaluation
	losses, err := t.lossSelector(r)
	if err != nil {
		all = append(all, evaluation{joined: joined{names: lossMeasures}, row: i, err: err})
	}
	for _, about := range (partsOf{r, f, losses, t.resolution(), t.now}).all() {
		about.parts = slices.DeleteFunc(slices.Clone(about.parts), func(p part) bool { return !slices.Contains(wanted, p.name) })
		for _, one := range about.join() {
			var err error
			if len(one.expr) > maxGenerated {
				err = tooLong("Measures", r, len(one.expr))
			}
			all = append(all, evaluation{joined: one, row: i, onGrid: about.onGrid, err: err})
		}
	}
	return all
}

// send sends queries, several at a time. It fails if all of them fail, or if one fails in an alert rule. What else fails is left out
// of the rows.
func (t *task) send(ctx context.Context, rows []row, all []evaluation) error {
	group, _ := panics.NewGroup(ctx)
	group.SetLimit(maxParallel)
	for i := range all {
		one := &all[i]
		if one.err != nil {
			continue
		}
		group.Go(func() error {
			one.err = panics.Err
			r, q := &rows[one.row], promql.New(one.expr)
			if q = q.At(r.window.end); one.onGrid {
				grid := r.gridOf(r.resolution)
				q = q.Over(grid.start(), grid.end(), grid.step)
				q.Scope = r.id // of the runs of one node pool
			}
			one.result, one.err = t.Metrics.Evaluate(ctx, q)
			return nil
		})
	}
	_ = group.Wait()
	var first error
	failed := 0
	missing := map[string][]string{}
	for _, one := range all {
		if one.err == nil {
			continue
		}
		failed++
		if first == nil {
			first = one.err
		}
		text := fmt.Sprintf("%s could not be measured. %s", query.Shorten(strings.Join(one.names, ", ")), one.err)
		missing[text] = append(missing[text], rows[one.row].name)
	}
	if first != nil && (failed == len(all) || t.alerting || ctx.Err() != nil) {
		return first
	}
	for _, text := range slices.Sorted(maps.Keys(missing)) {
		t.notices.Warn("%s: %s", query.List(missing[text]), text)
	}
	return nil
}

// read reads the results into the rows.
func (t *task) read(rows []row, all []evaluation) {
	counts := make([]map[int64]float64, len(rows)) // of GPUs, by time
	for _, one := range all {
		to := rows[one.row]
		if one.onGrid {
			to.evidence[gridPart] = map[string]float64{"": to.gridOf(to.resolution).points}
		}
		if one.err != nil {
			for _, name := range one.names {
				to.add(name, "", math.NaN())
			}
			continue
		}
		addWarnings(&t.notices, one.result)
		for _, s := range one.result.Matrix.Series {
			name, model := s.Labels[nameOfPart], s.Labels["modelName"]
			for i, value := range s.Values {
				to.add(name, model, value)
				if one.onGrid {
					to.add(idleLabel+s.Labels[idleLabel], model, value)
					if counts[one.row] == nil {
						counts[one.row] = map[int64]float64{}
					}
					counts[one.row][s.Times[i]] += value
				}
			}
		}
	}
	for i, of := range counts {
		if len(of) > 0 {
			rows[i].add(gpusPart, "", slices.Max(slices.Collect(maps.Values(of))))
		}
	}
}

// add adds a result to those of other pieces of the GPUs.
func (e evidence) add(part, model string, value float64) {
	if e[part] == nil {
		e[part] = map[string]float64{}
	}
	e[part][model] += value
}

// fullCoverage is the share of GPU time that samples cover without a notice: an hour has one missed scrape of each GPU at most.
const fullCoverage = 0.98

// explainCoverage names the runs whose selector matches nothing, those of which samples of GPUs are missing, and those that were paused.
func (t *task) explainCoverage(rows []row) {
	var without, paused []string
	partly := map[string][]string{}
	for _, r := range rows {
		if r.window.isEmpty() || r.attribution == unknown || r.evidence[gridPart] == nil {
			continue
		}
		if r.job != nil && r.worked(r.start, r.end) < fullCoverage*r.length().Seconds() {
			paused = append(paused, r.name)
		}
		covered := r.samples() / (r.get(gridPart) * r.get(gpusPart))
		switch {
		case r.evidence[gpuTimePart] == nil:
			without = append(without, r.name)
		case covered < fullCoverage:
			share := fmt.Sprintf("%d", int(math.Floor(100*covered)))
			partly[share] = append(partly[share], r.name)
		}
	}
	if len(without) > 0 {
		t.notices.Warn("No GPU metrics match the selector during %s.", query.List(without))
	}
	if len(paused) > 0 {
		t.notices.Warn("%s was paused, waited or was tried again meanwhile, and the numbers of its GPUs are of that time, too.", query.List(paused))
	}
	for _, share := range slices.Sorted(maps.Keys(partly)) {
		t.notices.Warn("Samples of GPUs cover %s %% of %s: of its length times the most GPUs that reported at a time. GPU-hours, cost, and the energy of GPUs without a counter are those that were seen.",
			share, query.List(partly[share]))
	}
}

// explainWindows says which runs began before the oldest samples that are stored.
func (t *task) explainWindows(runs []run, oldest time.Time) {
	var partly, wholly []string
	for _, r := range runs {
		switch {
		case r.end.Before(oldest):
			wholly = append(wholly, r.name)
		case r.start.Before(oldest):
			partly = append(partly, r.name)
		}
	}
	days := int(t.now.Sub(oldest).Round(time.Hour).Hours() / 24)
	if len(partly) > 0 {
		t.notices.Warn("The platform stores metrics for %d days. The numbers of %s are about the time since then.", days, query.List(partly))
	}
	if len(wholly) > 0 {
		t.notices.Warn("The platform stores metrics for %d days, and has none of %s.", days, query.List(wholly))
	}
}
