package runs

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/gpulabels"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

const (
	// maxGridPoints is a point a minute for a day.
	maxGridPoints = 1440
	// leastGridPoints are those that a run of many GPUs has at least: where all of its GPUs come and go at once, their time is off by 0.4 % at
	// each end at most.
	leastGridPoints = 120
	// maxGridSamples bounds the points of all GPUs of a run, as far as leastGridPoints allow it: engines hold and compare those in memory for each
	// measure. It is 347 GPUs at each minute of a day.
	maxGridSamples = 500_000
	// joules and millijoules are those of a kilowatt-hour.
	joules      = 3.6e6
	millijoules = 3.6e9
	// busyAbove is the utilization from which on a GPU is not idle, in percent: in two clusters with public samples it is 0 or 97 to
	// 100 in nine of ten (AcmeTrace, NSDI '24).
	busyAbove = 5
)

// stepOf is the distance of the points at which so many GPUs are counted. Counts are independent of the scrape interval and of missed
// scrapes there. A distance that had a divisor in common with an hour would see what happens each hour at the same minutes only.
func stepOf(length, resolution time.Duration, gpus float64) time.Duration {
	points := time.Duration(min(max(maxGridSamples/max(gpus, 1), leastGridPoints), maxGridPoints))
	if length <= points*resolution {
		return resolution
	}
	unit := max((resolution / 6).Truncate(time.Second), time.Second)
	perHour := big.NewInt(max(1, int64(time.Hour/unit)))
	n := int64((length + points*unit - 1) / (points * unit))
	for new(big.Int).GCD(nil, nil, big.NewInt(n), perHour).Int64() != 1 {
		n++
	}
	return time.Duration(n) * unit
}

// part is an expression whose result measures are computed of.
type part struct{ name, expr string }

// group are parts about the GPUs of one selector, whose matchers gpuMatchers stands for in expressions. No text that is quoted has this byte.
type group struct {
	selector string
	parts    []part
	// onGrid is true if they are evaluated at each point of the grid, and else at the end of the run.
	onGrid bool
}

const gpuMatchers = "\x00"

// joined is one query for several parts.
type joined struct {
	expr  string
	names []string
}

// gpuTimePart is the part with the number of GPUs at each point of the grid, and idleLabel is its label that tells idle GPUs, "1", from busy ones and
// those that are not measured. The time of each is evidence of its own, and so are the most GPUs of a point and how many points there are.
const (
	gpuTimePart, idleLabel   = "gpu_time", "idle"
	idlePart, unmeasuredPart = idleLabel + "1", idleLabel + "2"
	gpusPart, gridPart       = "gpus", "grid"
)

// drawnPart is the part with the energy of GPUs that have no counter of it.
const drawnPart = "energy_drawn"

// nameOfPart is the label with the name of the part that a result is of.
const nameOfPart = "measure"

// join makes as few queries of parts as their bound allows.
func (g group) join() []joined {
	const or = " or "
	var all []joined
	matchers := g.selector
	if matchers != "" {
		matchers = ", " + matchers
	}
	for _, p := range g.parts {
		expr := fmt.Sprintf(`label_replace(%s, %q, %q, "", "")`, strings.ReplaceAll(p.expr, gpuMatchers, matchers), nameOfPart, p.name)
		if last := len(all) - 1; last >= 0 && len(all[last].expr)+len(or)+len(expr) <= maxGenerated {
			all[last].expr += or + expr
			all[last].names = append(all[last].names, p.name)
		} else {
			all = append(all, joined{expr, []string{p.name}})
		}
	}
	return all
}

// partsOf makes the expressions about the GPUs of a run, and about its own series.
type partsOf struct {
	*allocated
	fleet *fleet
	// losses selects the losses of a run of series; it is empty for others.
	losses     string
	resolution time.Duration
	now        time.Time
}

// grid are the points at which the GPUs of a run are counted: multiples of the step after the first and up to the last.
type grid struct {
	first, last time.Time
	step        time.Duration
	points      float64
}

// gridOf are those of a run in time. Series of pods and jobs are there while the run is. They are scraped at other seconds than what the times of
// the run are known by, so a scrape interval more is looked at, and all points in it count.
func (r *allocated) gridOf(resolution time.Duration) grid {
	g := grid{r.window.end.Add(-r.window.length()), r.window.end, stepOf(r.window.length(), resolution, r.size), 0}
	g.points = float64(g.end().Sub(g.start())/g.step) + 1
	if r.attribution == byPod || r.attribution == byJob {
		g.points = r.window.length().Seconds() / g.step.Seconds()
		g.first = g.first.Add(-resolution)
	}
	return g
}

func (g grid) start() time.Time { return multiple(g.first, g.step).Add(g.step) }
func (g grid) end() time.Time   { return multiple(g.last, g.step) }

// multiple is the last multiple of a step up to a time, as engines have them: since 1970, where Truncate has year 1.
func multiple(t time.Time, step time.Duration) time.Time {
	return t.Add(-time.Duration(t.UnixNano() % int64(step)))
}

// all are the expressions in groups, each of which is a query if it is not too long: what is counted on the grid, and the rest, for each piece of the
// GPUs, and what is about all GPUs at once. None are about GPUs that are not known.
func (p partsOf) all() []group {
	grid := p.gridOf(p.resolution)
	// A window does not include its start: Prometheus 2 would, and Prometheus 3 and VictoriaMetrics would not.
	open := grid.last.Sub(grid.first).Milliseconds() - 1
	window := fmt.Sprintf("[%dms]", open)
	subquery := fmt.Sprintf("[%dms:%ds]", open, int64(grid.step.Seconds()))
	over := func(function, expr string) string { return function + "(" + expr + subquery + ")" }
	var whole []part
	if p.losses != "" {
		whole = []part{
			// A gauge is 0 until it is set.
			{"best_loss", fmt.Sprintf("(min(min_over_time(%s%s) != 0) or min(%s))", p.losses, window, over("min_over_time", "("+p.losses+" != 0)"))},
			{"last_loss", fmt.Sprintf("avg(last_over_time(%s[%dms]))", p.losses, min(open, 2*p.resolution.Milliseconds()))}, // of ranks that go on
		}
	}
	if p.attribution == unknown {
		return []group{{parts: whole}}
	}
	util, unmeasured := p.utilization(), ""
	if p.fleet.has["GPU_I_ID"] {
		unmeasured = fmt.Sprintf(" or 2 + 0 * max by (%s, modelName) (%s)", identity, named(p.selected(`__name__="DCGM_FI_DEV_FB_USED", GPU_I_ID!=""`)))
	}
	whole = append(whole, part{currentUtilization, "avg(" + util + ")"})
	sums := p.sums(grid.step, over, window)
	groups := []group{{p.selector, whole, false}}
	for _, piece := range p.pieces {
		if !grid.start().After(grid.end()) {
			groups = append(groups, group{piece, []part{{gpuTimePart, fmt.Sprintf("count_values by (modelName) (%q, %s < bool %d%s)", idleLabel, util, busyAbove, unmeasured)}}, true})
		}
		if piece == p.selector {
			groups[0].parts = append(groups[0].parts, sums...)
		} else {
			groups = append(groups, group{piece, sums, false})
		}
	}
	return groups
}

// sums are the expressions whose results for pieces of the GPUs add up to that for all.
func (p partsOf) sums(step time.Duration, over func(function, expr string) string, window string) []part {
	util := p.utilization()
	weight := func(names ...string) string {
		return over("count_over_time", fmt.Sprintf("group by (%s) (%s)", identity, named(p.newest(anyOf(names...)))))
	}
	means := func(names ...string) string {
		sum, count := p.perGPU("sum_over_time", window, names...), p.perGPU("count_over_time", window, names...)
		return fmt.Sprintf("sum(%s / %s * on (%s) %s)", sum, count, identity, weight(names...))
	}
	utilization := means("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_UTIL_RATIO")
	if p.fleet.has["GPU_I_ID"] {
		utilization = over("sum_over_time", "sum("+util+")")
	}
	sm := []string{"DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_SM_UTIL_RATIO"}
	sums := []part{
		{"utilization", utilization},
		{"energy_counted", fmt.Sprintf("sum(%s) / %g", p.counted(window, step), millijoules)},
		{"sm_activity", means(sm...)},
		{"sm_points", fmt.Sprintf("sum(%s)", weight(sm...))},
		{"xids", p.xids()},
	}
	if !p.metered {
		counter := fmt.Sprintf("max by (%s) (%s)", identity, named(p.newest(energyCounter)))
		sums = append(sums, part{drawnPart, over("sum_over_time", fmt.Sprintf("sum(max by (%[1]s) (%[2]s) unless on (%[1]s) %[3]s)", identity, named(p.newest(powers)), counter))})
	}
	return sums
}

// utilization is a number for each GPU, once: with MIG, which has no utilization, the mean of its instances' activity. There is no `on`: to
// VictoriaMetrics, `or` would fill the gaps of each series that a GPU has had.
func (p partsOf) utilization() string {
	util := p.once(utilizations)
	if p.fleet.has["GPU_I_ID"] {
		return fmt.Sprintf("(%s or 100 * avg by (%s, modelName) (%s))", util, identity, named(p.selected(engines+`, GPU_I_ID!=""`)))
	}
	return util
}

// xids counts changes of the code that is reported last, but for those to 0 with a repair. What ends a run is in the scrape after its
// end, so the points that are looked at are those before that one: the offset moves them there from multiples of the step. A code may be there
// for one scrape alone, so no grid is coarser than a point a minute for a day, however many GPUs there are.
func (p partsOf) xids() string {
	step := stepOf(p.window.length(), p.resolution, 1)
	until := query.Earlier(p.window.end.Truncate(p.resolution).Add(p.resolution), p.now.Truncate(p.resolution))
	perStep := int64(step.Seconds())
	offset := perStep - until.Unix()%perStep
	code := fmt.Sprintf("max by (%s) (%s)", identity, named(fmt.Sprintf("%s offset %ds", p.metric("DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_XID_ERROR"), offset)))
	points := fmt.Sprintf("[%dms:%ds] @ %d", until.Sub(p.window.start).Milliseconds(), perStep, until.Unix()+offset)
	return fmt.Sprintf("sum(changes((%[1]s)%[2]s)) - sum(resets((%[1]s > bool 0)%[2]s))", code, points)
}

// selected is a selector of a matcher and of the run's GPUs.
func (p partsOf) selected(matcher string) string { return "{" + matcher + gpuMatchers + "}" }

// metric selects a metric of the run's GPUs, under any of its names.
func (p partsOf) metric(names ...string) string { return p.selected(anyOf(names...)) }

// anyOf matches a metric under any of its names: DCGM 4.6 renamed some.
func anyOf(names ...string) string {
	if len(names) == 1 {
		return fmt.Sprintf("__name__=%q", names[0])
	}
	return fmt.Sprintf("__name__=~%q", strings.Join(names, "|"))
}

// counted is what the energy counter of each GPU rose by from its first sample to its last. Where it began anew, the engine's own increase is less,
// and is taken; of many GPUs it is taken alone, because to read the first and the last costs twice as much again. Of a run with a label that says
// whose its GPUs are, such as a namespace, it is what the counter rose by for each pod or job: between two of them a GPU may have been another's.
func (p partsOf) counted(window string, step time.Duration) string {
	by := identity
	if slices.ContainsFunc(owners, func(label string) bool { return p.labels[label] != "" }) {
		by += ", " + strings.Join(owners, ", ")
	}
	extreme := func(of string) string {
		return fmt.Sprintf("%s by (%s) (%s)", of, by, named(of+"_over_time("+p.selected(energyCounter)+window+")"))
	}
	// Whole steps of about the run, which an offset has end with it: in VictoriaMetrics a time with a fraction of a second may be one before.
	length, end := p.window.length(), p.window.end.UnixMilli()
	steps := int64((length + step - 1) / step)
	perStep := int64(math.Ceil(length.Seconds() / float64(steps)))
	offset := 1000*perStep - end%(1000*perStep)
	energy := fmt.Sprintf("(max by (%s) (%s))", identity, named(p.newestAt(energyCounter, fmt.Sprintf(" offset %dms", offset))))
	// A scrape interval less, as from the first sample to the last.
	share := (length - p.resolution).Seconds() / float64(steps*perStep)
	increase := fmt.Sprintf("increase(%s[%ds:%ds] @ %d) * %.5f", energy, steps*perStep, perStep, (end+offset)/1000, share)
	if p.large {
		return increase
	}
	return fmt.Sprintf(`min by (%[1]s) (label_replace(sum by (%[1]s) (%[2]s - %[3]s), "by", "extremes", "", "") or %[4]s)`, identity, extreme("max"), extreme("min"), increase)
}

// owners are the labels that say whose a GPU is.
var owners = []string{"exported_namespace", "exported_pod", "namespace", "pod", "hpc_job"}

// identity are the labels of a GPU that stay when its exporter is upgraded or restarted, or another pod has it: a name of its node, and its
// number there.
const identity = "cluster_id, " + gpuHost + ", gpu"

// gpuHost is a label of our own with the first of the labels that name a node.
const gpuHost = "gpu_host"

// named adds the label gpuHost to series of GPUs. An instance is without its port.
func named(expr string) string {
	return fmt.Sprintf(`label_replace(label_join(%s, %[2]q, ";", "%[3]s", %[4]q), %[2]q, "$1", %[2]q, ";*([^;]+?)(?::[0-9]+)?(?:;.*)?")`,
		expr, gpuHost, strings.Join(gpulabels.NodeLabels(), `", "`), model.InstanceLabel)
}

// once selects one series of each GPU. It has several at a time while labels change, with a pod each, and under each of its names.
func (p partsOf) once(matcher string) string {
	return fmt.Sprintf("topk by (%s) (1, %s)", identity, named(p.newest(matcher)))
}

// newest are the newest samples, also where one that is missed would end a series for the engine.
func (p partsOf) newest(matcher string) string { return p.newestAt(matcher, "") }

// newestAt are those at an offset.
func (p partsOf) newestAt(matcher, offset string) string {
	if 2*p.resolution <= promql.LookbackDelta {
		return p.selected(matcher) + offset
	}
	return fmt.Sprintf("last_over_time(%s[%ds]%s)", p.selected(matcher), int64(2*p.resolution.Seconds()), offset)
}

// perGPU is the sum of a function of samples over the series of each GPU, under each of the names of a metric.
func (p partsOf) perGPU(function, window string, names ...string) string {
	applied := make([]string, len(names))
	for i, name := range names {
		applied[i] = fmt.Sprintf(`label_replace(%s(%s%s), "name", %q, "", "")`, function, p.metric(name), window, name)
	}
	return fmt.Sprintf("sum by (%s) (%s)", identity, named("("+strings.Join(applied, " or ")+")"))
}

// lossSelector selects the losses of a run of series, if its series are losses by their name, at the time of the run. The filters of the query apply.
func (t *task) lossSelector(r *allocated) (string, error) {
	if r.own == nil {
		return "", nil
	}
	// An expression that can't be parsed is no selector.
	parsed, _ := promql.Parse(t.Source.Expr)
	selector, ok := parsed.(*parser.VectorSelector)
	if !ok || isMoved(selector) || !strings.Contains(selector.Name, "loss") || health.DirectionOf(selector.Name) != health.Lower {
		return "", nil
	}
	return t.ofRun(t.Source.Expr, r)
}

// ofRun narrows an expression of series to the labels of a run and to the filters of the query.
func (t *task) ofRun(expr string, r *allocated) (string, error) {
	expr, err := prom.WithLabels(expr, r.own)
	if err == nil {
		expr, err = t.Narrow(expr)
	}
	return expr, err
}
