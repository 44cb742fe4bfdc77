package runs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

// measure is a number about a run.
type measure struct {
	id, unit, description string
	// parts are the PromQL results that it is computed of.
	parts []string
	// compute is nil if the value is unknown.
	compute func(*Run, results) *float64
}

// results are the PromQL results about one run, by part. gpuTime has them by model of GPU.
type results struct {
	parts   map[string]float64
	gpuTime map[string]float64
	prices  Prices
}

// catalog has all measures, in the order of the columns.
var catalog = []measure{
	{"gpus", "none", "The most GPUs that reported at a time.", []string{"gpus"}, part("gpus")},
	{"gpu_hours", "none", "The mean number of GPUs that reported, times the length of the run.", []string{"grid", "gpu_time"}, gpuHours},
	{"utilization", "percent", "Mean of DCGM_FI_DEV_GPU_UTIL: the share of time in which a kernel ran.", []string{"utilization"}, part("utilization")},
	{"utilization_p5", "percent", "The utilization, as a mean of all GPUs, that was exceeded in 95 % of the time.", []string{"utilization_p5"}, part("utilization_p5")},
	{"tensor_activity", "percentunit", "Mean of DCGM_FI_PROF_PIPE_TENSOR_ACTIVE: the share of cycles in which tensor cores worked.", []string{"tensor_activity"}, part("tensor_activity")},
	{"busy", "percentunit", "The share of GPU time that was neither idle nor throttled.", classParts, busyShare},
	{"idle", "percentunit", "The share of GPU time with a utilization below 5 %.", []string{"gpu_time", "idle"}, idleShare},
	{"throttled", "percentunit", "The share of GPU time in which a GPU was slowed by its power limit or by heat, by the counters of DCGM.", classParts, throttledShare},
	{"xids", "none", "How often a GPU reported another XID code, until the first scrape after the run. A repeat of a code cannot be seen.", []string{"xids"}, part("xids")},
	{"energy", "kwatth", "Energy of the GPUs by their counters, or by their power where there are none.", []string{"energy"}, part("energy")},
	{"bytes_read", "bytes", "Read from the disks of the nodes, of all their GPUs.", []string{"bytes_read"}, part("bytes_read")},
	{"bytes_written", "bytes", "Written to the disks of the nodes, of all their GPUs.", []string{"bytes_written"}, part("bytes_written")},
	{"checkpoints", "none", "Checkpoints of a fine-tuning job.", nil, checkpoints},
	{"usual_checkpoint_gap", "s", "The median time between two checkpoints.", nil, usualGap},
	{"longest_checkpoint_gap", "s", "The longest time between two checkpoints.", nil, longestGap},
	{"since_checkpoint", "s", "Of a running job, the time since its last checkpoint, or else since its start.", nil, sinceCheckpoint},
	{"best_loss", "none", "The lowest training loss.", []string{"best_loss"}, bestLoss},
	{"last_loss", "none", "The last training loss.", []string{"last_loss"}, lastLoss},
	{"tokens", "short", "Tokens that a fine-tuning job was trained on.", nil, tokens},
	{"tokens_per_gpu_hour", "short", "Tokens per GPU-hour.", []string{"grid", "gpu_time"}, tokensPerGPUHour},
	{"cost", "", "GPU-hours and energy at the prices in the data source's settings.", []string{"grid", "gpu_time", "energy"}, cost},
}

// classParts are the parts of the classes of GPU time, which add up to 1.
var classParts = []string{"grid", "gpu_time", "idle", "power_violation", "thermal_violation"}

// detailMeasures are those that need details of fine-tuning jobs.
var (
	checkpointMeasures = []string{"checkpoints", "usual_checkpoint_gap", "longest_checkpoint_gap", "since_checkpoint"}
	lossMeasures       = []string{"best_loss", "last_loss"}
)

func part(name string) func(*Run, results) *float64 {
	return func(_ *Run, r results) *float64 { return r.get(name) }
}

func (r results) get(name string) *float64 {
	if value, ok := r.parts[name]; ok && !math.IsNaN(value) && !math.IsInf(value, 0) {
		return &value
	}
	return nil
}

// count is a part that has no result where nothing was counted.
func (r results) count(name string) float64 { return r.parts[name] }

func (r results) samples() float64 {
	sum := 0.0
	for _, value := range r.gpuTime {
		sum += value
	}
	return sum
}

// hours are the GPU-hours of so many samples of a GPU.
func (r results) hours(run *Run, samples float64) float64 {
	return samples / r.parts["grid"] * run.window.length().Hours()
}

func gpuHours(run *Run, r results) *float64 {
	if r.parts["grid"] == 0 || len(r.gpuTime) == 0 {
		return nil
	}
	hours := r.hours(run, r.samples())
	return &hours
}

func (r results) share(samples float64) *float64 {
	all := r.samples()
	if all == 0 {
		return nil
	}
	share := samples / all
	return &share
}

func idleShare(_ *Run, r results) *float64 { return r.share(r.count("idle")) }

// throttledShare is nil if the platform has neither counter.
func throttledShare(run *Run, r results) *float64 {
	power, heat := r.get("power_violation"), r.get("thermal_violation")
	if power == nil && heat == nil || r.parts["grid"] == 0 {
		return nil
	}
	hours := (r.count("power_violation") + r.count("thermal_violation")) / time.Hour.Seconds()
	all := r.hours(run, r.samples())
	if all == 0 {
		return nil
	}
	// What is extrapolated to the ends of the run, and both reasons at a time, don't exceed the time in which GPUs worked.
	share := min(hours/all, 1-r.count("idle")/r.samples())
	return &share
}

func busyShare(run *Run, r results) *float64 {
	busy := r.share(r.samples() - r.count("idle"))
	if throttled := throttledShare(run, r); busy != nil && throttled != nil {
		*busy -= *throttled
	}
	return busy
}

func checkpoints(run *Run, _ results) *float64 {
	if run.job == nil {
		return nil
	}
	n := float64(len(run.job.Checkpoints))
	return &n
}

// checkpointTimes are the times of a job's checkpoints, sorted.
func (r *Run) checkpointTimes() []time.Time {
	var times []time.Time
	if r.job != nil {
		for _, checkpoint := range r.job.Checkpoints {
			if checkpoint.Created != nil {
				times = append(times, *checkpoint.Created)
			}
		}
	}
	return times
}

// checkpointGaps are the seconds between consecutive checkpoints, sorted.
func (r *Run) checkpointGaps() []float64 {
	times := r.checkpointTimes()
	var gaps []float64
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, times[i].Sub(times[i-1]).Seconds())
	}
	slices.Sort(gaps)
	return gaps
}

func usualGap(run *Run, _ results) *float64 {
	gaps := run.checkpointGaps()
	if len(gaps) == 0 {
		return nil
	}
	return &gaps[len(gaps)/2]
}

func longestGap(run *Run, _ results) *float64 {
	gaps := run.checkpointGaps()
	if len(gaps) == 0 {
		return nil
	}
	return &gaps[len(gaps)-1]
}

func sinceCheckpoint(run *Run, _ results) *float64 {
	if run.job == nil || !run.Running {
		return nil
	}
	last := run.Start
	if times := run.checkpointTimes(); len(times) > 0 {
		last = times[len(times)-1]
	}
	since := run.End.Sub(last).Seconds()
	return &since
}

// losses are the training losses of a job that are numbers, by time.
func (r *Run) losses() []float64 {
	var losses []float64
	if r.job != nil {
		for _, sample := range r.job.Samples {
			if sample.Metric == trainLoss && !math.IsNaN(sample.Value) && !math.IsInf(sample.Value, 0) {
				losses = append(losses, sample.Value)
			}
		}
	}
	return losses
}

const trainLoss = "train_loss"

func bestLoss(run *Run, r results) *float64 {
	if losses := run.losses(); len(losses) > 0 {
		best := slices.Min(losses)
		return &best
	}
	return r.get("best_loss")
}

func lastLoss(run *Run, r results) *float64 {
	if losses := run.losses(); len(losses) > 0 {
		return &losses[len(losses)-1]
	}
	return r.get("last_loss")
}

func tokens(run *Run, _ results) *float64 {
	if run.job == nil {
		return nil
	}
	return run.job.TrainedTokens
}

func tokensPerGPUHour(run *Run, r results) *float64 {
	trained, hours := tokens(run, r), gpuHours(run, r)
	if trained == nil || hours == nil || *hours == 0 {
		return nil
	}
	rate := *trained / *hours
	return &rate
}

// partsOf are the PromQL expressions of parts for a run.
//
// Counts of GPUs are taken at the points of a grid, which makes them independent of the scrape interval and of missed scrapes.
// Their sums are divided by the number of the points. The grid has at most maxGridPoints, because an engine holds the series of
// all of them in memory; the functions of samples read one series at a time.
func (r *Run) partsOf(source sourceModel, resolution time.Duration, now time.Time) map[string]string {
	length := r.window.length()
	grid := max(resolution, (length/maxGridPoints).Truncate(resolution)+resolution)
	if length <= maxGridPoints*resolution {
		grid = resolution
	}
	// A window does not include its start: Prometheus 2 would, and Prometheus 3 and VictoriaMetrics would not.
	open := length.Milliseconds() - 1
	window := fmt.Sprintf("[%dms]", open)
	gridWindow := fmt.Sprintf("[%dms:%ds]", open, int64(grid.Seconds()))
	util := r.gpuMetric("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_UTIL_RATIO")
	mean := func(names ...string) string {
		return fmt.Sprintf("sum(%s) / sum(%s)", r.each("sum_over_time", window, names...), r.each("count_over_time", window, names...))
	}
	violation := func(name string) string { return fmt.Sprintf("sum(increase(%s%s)) / 1e9", r.gpuMetric(name), window) }
	// What ends a run is in the scrape after its end.
	until := query.Earlier(r.window.end.Truncate(resolution).Add(resolution), now.Truncate(resolution))
	failed := fmt.Sprintf("[%dms] @ %d", until.Sub(r.window.start).Milliseconds(), until.Unix())
	xids := func(function string) string {
		return "sum(" + r.each(function, failed, "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_XID_ERROR") + ")"
	}
	// Disks have the label of a node, but not those of its pool or its GPUs. A run reads its data first and writes its last
	// checkpoint at its end, so these counters are read from the scrape before the run to that after it.
	before := r.window.start.Truncate(resolution)
	between := fmt.Sprintf("[%dms] @ %d", until.Sub(before).Milliseconds()+1, until.Unix())
	nodes := "count by (vm_name) (" + r.each("count_over_time", window, "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_UTIL_RATIO") + ")"
	disk := func(of string) string {
		metric := `__name__=~".+_vm_disk_` + of + `_bytes_total"`
		return fmt.Sprintf(`sum(increase(%[1]s%[2]s)) or sum(increase({%[3]s, vm_name!=""}%[2]s) and on (vm_name) %[4]s)`,
			r.selected(metric), between, metric, nodes)
	}
	parts := map[string]string{
		"grid":            "count_over_time(vector(1)" + gridWindow + ")",
		"gpus":            "max_over_time(count(" + util + ")" + gridWindow + ")",
		"gpu_time":        "sum_over_time(count by (modelName) (" + util + ")" + gridWindow + ")",
		"idle":            "sum_over_time(count(" + util + " < 5)" + gridWindow + ")",
		"utilization":     mean("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_UTIL_RATIO"),
		"utilization_p5":  "quantile_over_time(0.05, avg(" + util + ")" + gridWindow + ")",
		"tensor_activity": mean("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_TENSOR_UTIL_RATIO"),
		// DCGM counts nanoseconds: dcgm_fields.h, https://github.com/NVIDIA/DCGM/blob/master/dcgmlib/dcgm_fields.h
		"power_violation":   violation("DCGM_FI_DEV_POWER_VIOLATION"),
		"thermal_violation": violation("DCGM_FI_DEV_THERMAL_VIOLATION"),
		// A code that becomes 0 with a repair is no error.
		"xids": xids("changes") + " - " + xids("resets"),
		"energy": fmt.Sprintf("sum(increase(%s%s)) / %g or sum(%s) * %d / %g",
			r.gpuMetric("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"), window, millijoules,
			r.each("avg_over_time", window, "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_BOARD_POWER_WATTS"), int64(length.Seconds()), joules),
		"bytes_read":    disk("read"),
		"bytes_written": disk("written"),
	}
	if own := r.lossSelector(source); own != "" {
		parts["best_loss"] = "min(min_over_time(" + own + window + "))"
		parts["last_loss"] = "avg(last_over_time(" + own + window + "))"
	}
	return parts
}

const (
	// maxGridPoints is a point a minute for a day.
	maxGridPoints = 1440
	// joules and millijoules are those of a kilowatt-hour.
	joules      = 3.6e6
	millijoules = 3.6e9
)

// selected is a selector of a matcher and of the run's GPUs.
func (r *Run) selected(matcher string) string {
	if r.selector == "" {
		return "{" + matcher + "}"
	}
	return "{" + matcher + ", " + r.selector + "}"
}

// gpuMetric selects a metric of the run's GPUs, under any of its names: DCGM 4.6 renamed some.
func (r *Run) gpuMetric(names ...string) string {
	if len(names) == 1 {
		return r.selected(fmt.Sprintf("__name__=%q", names[0]))
	}
	return r.selected(fmt.Sprintf("__name__=~%q", strings.Join(names, "|")))
}

// each applies a function of samples to a metric under each of its names, because a result can't have a series twice.
func (r *Run) each(function, window string, names ...string) string {
	var applied []string
	for _, name := range names {
		applied = append(applied, function+"("+r.gpuMetric(name)+window+")")
	}
	return strings.Join(applied, " or ")
}

// lossSelector selects the losses of a run of series, if its series are losses by their name.
func (r *Run) lossSelector(source sourceModel) string {
	if r.own == nil {
		return ""
	}
	expr, err := promclient.WithLabels(source.Expr, r.own)
	if err != nil {
		return ""
	}
	parsed, err := promql.Parse(expr)
	if selector, ok := parsed.(*parser.VectorSelector); err != nil || !ok || !strings.Contains(strings.ToLower(selector.Name), "loss") {
		return ""
	}
	return expr
}

// chosenMeasures are the measures of the query.
func (q *parsedQuery) chosenMeasures() ([]measure, error) {
	if q.Measures == nil {
		return catalog, nil
	}
	var chosen []measure
	for _, id := range *q.Measures {
		i := slices.IndexFunc(catalog, func(m measure) bool { return m.id == id })
		if i < 0 {
			return nil, &query.Error{Field: "Measures", Message: fmt.Sprintf("%q is not known.", query.Shorten(id))}
		}
		chosen = append(chosen, catalog[i])
	}
	return chosen, nil
}

// needs reports whether one of the measures is among the ids.
func needs(measures []measure, ids []string) bool {
	return slices.ContainsFunc(measures, func(m measure) bool { return slices.Contains(ids, m.id) })
}
