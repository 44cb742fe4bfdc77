package runs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// measure is a number about a run, computed of its evidence alone.
type measure struct {
	id, unit, description string
	// parts are the PromQL results that it is computed of.
	parts []string
	// compute is nil if the value is unknown.
	compute func(row, Prices) *float64
}

// catalog has all measures, in the order of the columns.
var catalog = []measure{
	{"gpus", "none", "The most GPUs that reported at a time.", []string{"gpus"}, partOf("gpus")},
	{"gpu_hours", "none", "The mean number of GPUs that reported, times the length of the run.", gpuTimeParts, of(row.gpuHours)},
	{"utilization", "percent", "Mean of DCGM_FI_DEV_GPU_UTIL: the share of time in which a kernel ran. With MIG, the activity of the instances' engines.", []string{"utilization"}, partOf("utilization")},
	{"utilization_p5", "percent", "The utilization, as a mean of all GPUs, that was exceeded in 95 % of the time.", []string{"utilization_p5"}, partOf("utilization_p5")},
	{"tensor_activity", "percentunit", "Mean of DCGM_FI_PROF_PIPE_TENSOR_ACTIVE: the share of cycles in which tensor cores worked.", []string{"tensor_activity"}, partOf("tensor_activity")},
	{"busy", "percentunit", "The share of GPU time that was neither idle nor throttled.", slices.Concat(gpuTimeParts, []string{"idle", "throttled"}), of(row.busyShare)},
	{"idle", "percentunit", "The share of GPU time with a utilization below 5 %.", slices.Concat(gpuTimeParts, []string{"idle"}), of(row.idleShare)},
	{"throttled", "percentunit", "The share of GPU time in which a GPU with work ran at a clock 8 % below that of the fastest tenth of the run's others of its model, and heat or a lack of power explains it.", slices.Concat(gpuTimeParts, []string{"throttled"}), of(row.throttledShare)},
	{"xids", "none", "How often a GPU reported another XID code, until the first scrape after the run. A repeat of a code cannot be seen.", []string{"xids"}, partOf("xids")},
	{"energy", "kwatth", "Energy of the GPUs by their counters, and of GPUs without one by their power while they report.", energyParts, of(row.energy)},
	{"bytes_read", "bytes", "Read from the disks of the nodes, of all their GPUs.", []string{"bytes_read"}, partOf("bytes_read")},
	{"bytes_written", "bytes", "Written to the disks of the nodes, of all their GPUs.", []string{"bytes_written"}, partOf("bytes_written")},
	{"checkpoints", "none", "Checkpoints of a fine-tuning job.", nil, of(row.checkpoints)},
	{"usual_checkpoint_gap", "s", "The median time between two checkpoints.", nil, of(row.usualGap)},
	{"longest_checkpoint_gap", "s", "The longest time between two checkpoints.", nil, of(row.longestGap)},
	{"since_checkpoint", "s", "Of a running job, the time since its last checkpoint, or else since its start.", nil, of(row.sinceCheckpoint)},
	{"best_loss", "none", "The lowest training loss.", []string{"best_loss"}, of(row.bestLoss)},
	{"last_loss", "none", "The last training loss.", []string{"last_loss"}, of(row.lastLoss)},
	{"tokens", "short", "Tokens that a fine-tuning job was trained on.", nil, of(row.tokens)},
	{"tokens_per_gpu_hour", "short", "Tokens per GPU-hour.", gpuTimeParts, of(row.tokensPerGPUHour)},
	{"cost", "", "GPU-hours and energy at the prices in the data source's settings.", slices.Concat(gpuTimeParts, energyParts), row.cost},
}

var (
	gpuTimeParts = []string{"grid", "gpus", "gpu_time"}
	energyParts  = []string{"grid", "energy_counted", "energy_drawn"}
)

// detailMeasures are those that need details of fine-tuning jobs.
var (
	checkpointMeasures = []string{"checkpoints", "usual_checkpoint_gap", "longest_checkpoint_gap", "since_checkpoint"}
	lossMeasures       = []string{"best_loss", "last_loss"}
)

func of(compute func(row) *float64) func(row, Prices) *float64 {
	return func(r row, _ Prices) *float64 { return compute(r) }
}

func partOf(name string) func(row, Prices) *float64 {
	return func(r row, _ Prices) *float64 { return r.get(name) }
}

func (e evidence) get(name string) *float64 {
	if value, ok := e.parts[name]; ok && !math.IsNaN(value) && !math.IsInf(value, 0) {
		return &value
	}
	return nil
}

// samples is for how many points of the grid GPUs reported, of all GPUs.
func (e evidence) samples() float64 {
	sum := 0.0
	for _, value := range e.gpuTime {
		sum += value
	}
	return sum
}

// hours are the hours of so many points of the grid.
func (r row) hours(points float64) float64 {
	return points / r.parts["grid"] * r.window.length().Hours()
}

func (r row) gpuHours() *float64 {
	if r.parts["grid"] == 0 || len(r.gpuTime) == 0 {
		return nil
	}
	hours := r.hours(r.samples())
	return &hours
}

// share is the share of GPU time of so many points, which have no result where nothing was counted.
func (r row) share(points float64) *float64 {
	all := r.samples()
	if all == 0 {
		return nil
	}
	share := points / all
	return &share
}

func (r row) idleShare() *float64 { return r.share(r.parts["idle"]) }

// throttledShare is nil if the platform has no clocks of the GPUs.
func (r row) throttledShare() *float64 {
	if points := r.get("throttled"); points != nil {
		return r.share(*points)
	}
	return nil
}

func (r row) busyShare() *float64 {
	return r.share(r.samples() - r.parts["idle"] - r.parts["throttled"])
}

// energy is in kilowatt-hours.
func (r row) energy() *float64 {
	counted, drawn := r.get("energy_counted"), r.get("energy_drawn")
	if counted == nil && drawn == nil {
		return nil
	}
	sum := r.parts["energy_counted"]
	if drawn != nil && r.parts["grid"] > 0 {
		const watts = 1000 // of a kilowatt
		sum += r.hours(*drawn) / watts
	}
	return &sum
}

func (r row) checkpoints() *float64 {
	if r.job == nil {
		return nil
	}
	n := float64(len(r.job.Checkpoints))
	return &n
}

// checkpointTimes are the times of a job's checkpoints, sorted.
func (r *run) checkpointTimes() []time.Time {
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

// checkpointGaps are the seconds between consecutive checkpoints.
func (r *run) checkpointGaps() []float64 {
	times := r.checkpointTimes()
	var gaps []float64
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, times[i].Sub(times[i-1]).Seconds())
	}
	return gaps
}

func (r row) usualGap() *float64 {
	gaps := r.checkpointGaps()
	if len(gaps) == 0 {
		return nil
	}
	median := health.Median(gaps)
	return &median
}

func (r row) longestGap() *float64 {
	gaps := r.checkpointGaps()
	if len(gaps) == 0 {
		return nil
	}
	longest := slices.Max(gaps)
	return &longest
}

func (r row) sinceCheckpoint() *float64 {
	if r.job == nil || !r.running {
		return nil
	}
	last := r.start
	if times := r.checkpointTimes(); len(times) > 0 {
		last = times[len(times)-1]
	}
	since := r.end.Sub(last).Seconds()
	return &since
}

const trainLoss = "train_loss"

// losses are the training losses of a job that are numbers, by time.
func (r *run) losses() []float64 {
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

func (r row) bestLoss() *float64 {
	if losses := r.losses(); len(losses) > 0 {
		best := slices.Min(losses)
		return &best
	}
	return r.get("best_loss")
}

func (r row) lastLoss() *float64 {
	if losses := r.losses(); len(losses) > 0 {
		return &losses[len(losses)-1]
	}
	return r.get("last_loss")
}

func (r row) tokens() *float64 {
	if r.job == nil {
		return nil
	}
	return r.job.TrainedTokens
}

func (r row) tokensPerGPUHour() *float64 {
	trained, hours := r.tokens(), r.gpuHours()
	if trained == nil || hours == nil || *hours == 0 {
		return nil
	}
	rate := *trained / *hours
	return &rate
}

// customMeasure is a measure of the query's own, as it is saved.
type customMeasure struct {
	Name string `json:"name"`
	// Expr is PromQL with $selector, $run and $duration.
	Expr string `json:"expr"`
	Unit string `json:"unit"`
}

// custom is a customMeasure with its parsed expression.
type custom struct {
	customMeasure
	expr template
}

// maxCustom bounds the custom measures, each of which is a request for each run.
const maxCustom = 20

// ownColumns are columns of runs that are no measures.
var ownColumns = []string{"run_id", "run", "status", "start", "end", "length", "attribution"}

// differenceSuffix is the end of the names of columns with differences to a baseline.
const differenceSuffix = "_difference"

// chooseMeasures sets the measures of the query.
func (q *report) chooseMeasures() error {
	invalid := func(format string, args ...any) error {
		return &query.Error{Field: "Custom measures", Message: fmt.Sprintf(format, args...)}
	}
	if q.measures = catalog; q.Measures != nil {
		q.measures = nil
		for _, id := range *q.Measures {
			i := slices.IndexFunc(catalog, func(m measure) bool { return m.id == id })
			if i < 0 {
				return &query.Error{Field: "Measures", Message: fmt.Sprintf("%q is not known.", query.Shorten(id))}
			}
			if !slices.ContainsFunc(q.measures, func(m measure) bool { return m.id == id }) {
				q.measures = append(q.measures, catalog[i])
			}
		}
	}
	if len(q.Custom) > maxCustom {
		return invalid("there are %d, and the limit is %d.", len(q.Custom), maxCustom)
	}
	names := map[string]bool{}
	for _, saved := range q.Custom {
		name := strings.TrimSpace(saved.Name)
		switch {
		case name == "" || len(saved.Name) > maxRunName:
			return invalid("one has no name, or one longer than %d bytes.", maxRunName)
		case slices.Contains(ownColumns, name) || slices.ContainsFunc(catalog, func(m measure) bool { return m.id == name }):
			return invalid("%s is the name of another column. Choose another name.", query.Shorten(saved.Name))
		case strings.HasSuffix(name, differenceSuffix):
			return invalid("%s ends in %s, as the columns of a comparison with a baseline do. Choose another name.", query.Shorten(name), differenceSuffix)
		case names[name]:
			return invalid("two are named %s. Choose another name.", query.Shorten(name))
		case strings.TrimSpace(saved.Expr) == "" || len(saved.Expr) > maxText:
			return invalid("%s has no expression, or one longer than %d bytes.", query.Shorten(saved.Name), maxText)
		}
		names[name] = true
		expr, err := parseTemplate("Custom measures", saved.Expr)
		if err != nil {
			return err
		}
		q.customs = append(q.customs, custom{saved, expr})
	}
	return nil
}

// parts are those of the measures, each once.
func (q *report) parts() []string {
	var parts []string
	for _, m := range q.measures {
		parts = append(parts, m.parts...)
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// has reports whether one of the measures is among the ids.
func (q *report) has(ids []string) bool {
	return slices.ContainsFunc(q.measures, func(m measure) bool { return slices.Contains(ids, m.id) })
}
