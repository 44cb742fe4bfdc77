package runs

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/jobs"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/runs/health"
)

// measure is a number about a run, computed of its evidence alone.
type measure struct {
	id, unit, description string
	// parts are the PromQL results that it is computed of.
	parts []string
	// compute is NaN if the value is unknown.
	compute func(row) float64
}

// currentUtilization is the part, and the measure of that name, that is about the newest samples only.
const currentUtilization = "current_utilization"

// catalog has all measures, in the order of the columns.
var catalog = []measure{
	{"gpus", "none", "The most GPUs that reported at a time.", gpuTimeParts, func(r row) float64 { return r.get(gpusPart) }},
	{"gpu_hours", "none", "The mean number of GPUs that reported, times the length of the run.", gpuTimeParts, row.gpuHours},
	{"utilization", "percent", "Mean of DCGM_FI_DEV_GPU_UTIL: the share of time in which a kernel ran. With MIG, the activity of the instances' engines.", []string{"utilization"}, func(r row) float64 { return ratio(r.get("utilization"), r.measured()) }},
	{"current_utilization", "percent", "Of a run that goes on, the mean utilization of its GPUs now.", []string{currentUtilization}, row.utilizationNow},
	{"sm_activity", "percentunit", "Mean of DCGM_FI_PROF_SM_ACTIVE: the share of cycles in which multiprocessors had work.", []string{"sm_activity", "sm_points"}, func(r row) float64 { return ratio(r.get("sm_activity"), r.get("sm_points")) }},
	{"idle", "percentunit", "The share of GPU time with a utilization below 5 %.", []string{gpuTimePart}, func(r row) float64 { return ratio(r.counted(idlePart), r.measured()) }},
	{"xids", "none", "How often a GPU reported another XID code, until the first scrape after the run. A repeat of a code cannot be seen.", []string{"xids"}, func(r row) float64 { return r.get("xids") }},
	{"energy", "kwatth", "Energy of the GPUs by their counters, and of GPUs without one by their power while they report.", energyParts, row.energy},
	{"checkpoints", "none", "Checkpoints of a fine-tuning job since its start.", nil, row.checkpoints},
	{"usual_checkpoint_gap", "s", "The median time between two checkpoints, without pauses.", nil, func(r row) float64 { return health.Median(r.checkpointGaps()) }},
	{"longest_checkpoint_gap", "s", "The longest time without a new checkpoint, from the start to the end of the job, without pauses.", nil, row.longestGap},
	{"since_checkpoint", "s", "What a running job would lose now: the time that it has made steps since its last checkpoint, or else since its start, without pauses.", nil, row.sinceCheckpoint},
	{"best_loss", "none", "The lowest training loss.", []string{"best_loss"}, row.bestLoss},
	{"last_loss", "none", "The last training loss, if it is a number.", []string{"last_loss"}, row.lastLoss},
	{"tokens", "short", "Tokens that a fine-tuning job was trained on.", nil, row.tokens},
	{"tokens_per_gpu_hour", "short", "Tokens per GPU-hour.", gpuTimeParts, func(r row) float64 { return ratio(r.tokens(), r.gpuHours()) }},
	{"cost", "", "GPU-hours and energy at the prices in the data source's settings.", energyParts, row.cost},
	{"idle_cost", "", "GPU-hours with a utilization below 5 % at the prices in the data source's settings.", []string{gpuTimePart}, row.idleCost},
}

var (
	gpuTimeParts = []string{gpuTimePart}
	energyParts  = []string{"energy_counted", drawnPart}
)

// checkpointMeasures and lossMeasures need details of fine-tuning jobs.
var (
	checkpointMeasures = []string{"checkpoints", "usual_checkpoint_gap", "longest_checkpoint_gap", "since_checkpoint"}
	lossMeasures       = []string{"best_loss", "last_loss"}
)

// get is the result of a part, or NaN if there is none.
func (e evidence) get(part string) float64 {
	if e[part] == nil {
		return math.NaN()
	}
	return e.counted(part)
}

// counted is the result of a part that counts something, of which there is none if there was nothing to count.
func (e evidence) counted(part string) (all float64) {
	for _, value := range e[part] {
		all += value
	}
	return all
}

// samples is for how many points of the grid GPUs reported, of all GPUs; NaN if none did. measured are those that say whether the GPU was idle.
func (e evidence) samples() float64  { return e.get(gpuTimePart) }
func (e evidence) measured() float64 { return e.samples() - e.counted(unmeasuredPart) }

func isFinite(value float64) bool { return !math.IsNaN(value) && !math.IsInf(value, 0) }

// ratio is NaN if the divisor is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// hours are the hours of so many points of the grid.
func (r row) hours(points float64) float64 {
	return ratio(points, r.get(gridPart)) * r.window.length().Hours()
}

func (r row) gpuHours() float64 { return r.hours(r.samples()) }

func (r row) utilizationNow() float64 {
	if !r.running {
		return math.NaN()
	}
	return r.get(currentUtilization)
}

// energy is in kilowatt-hours.
func (r row) energy() float64 {
	const watts = 1000 // of a kilowatt
	// The first sample of a counter stands for a scrape interval, too.
	scrapes := r.gpuHours() / r.resolution.Hours()
	counted, drawn := r.get("energy_counted")*ratio(scrapes, max(scrapes-r.get(gpusPart), 0)), r.hours(r.get(drawnPart))/watts
	switch {
	case math.IsNaN(counted):
		return drawn
	case math.IsNaN(drawn):
		return counted
	}
	return counted + drawn
}

func (r row) checkpoints() float64 {
	if r.job == nil {
		return math.NaN()
	}
	return float64(len(r.job.Checkpoints))
}

// checkpointTimes are the times at which a job made checkpoints, sorted.
func (r *run) checkpointTimes() []time.Time {
	var times []time.Time
	if r.job != nil {
		for _, checkpoint := range r.job.Checkpoints {
			if !checkpoint.Created.IsZero() {
				times = append(times, checkpoint.Created)
			}
		}
	}
	return slices.CompactFunc(times, time.Time.Equal)
}

// checkpointGaps are the seconds of work between consecutive checkpoints.
func (r *run) checkpointGaps() []float64 {
	times := r.checkpointTimes()
	var gaps []float64
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, r.worked(times[i-1], times[i]))
	}
	return gaps
}

// worked are the seconds from one time to another in which a job was not paused.
func (r *run) worked(from, to time.Time) float64 {
	return jobs.Worked(from, to, r.job.Pauses).Seconds()
}

func (r row) longestGap() float64 {
	times := r.checkpointTimes()
	if len(times) == 0 {
		return math.NaN()
	}
	return slices.Max(append(r.checkpointGaps(), r.worked(r.start, times[0]), r.worked(times[len(times)-1], r.end)))
}

func (r row) sinceCheckpoint() float64 {
	if r.job == nil || !r.running || r.job.IsPaused() {
		return math.NaN()
	}
	times := append([]time.Time{r.start}, r.checkpointTimes()...)
	from, to := times[len(times)-1], r.end
	var reported []health.Point
	for _, s := range r.job.Reported {
		if s.At.Before(r.end) {
			reported = append(reported, pointOf(s))
		}
	}
	from = query.Later(from, health.RestartedAt(reported))
	if n := len(reported); n > 0 && reported[n-1].At.After(from) {
		to = query.Earlier(to, reported[n-1].At.Add(health.UsualGap(reported)))
	}
	return max(r.worked(from, to), 0) // the gateway's clock may be ahead
}

const trainLoss = "train_loss"

// losses are the training losses of a job, by time. They may not be finite.
func (r *run) losses() []float64 {
	var losses []float64
	if r.job != nil {
		for _, sample := range r.job.Samples {
			if sample.Metric == trainLoss {
				losses = append(losses, sample.Value)
			}
		}
	}
	return losses
}

func (r row) bestLoss() float64 {
	if losses := slices.DeleteFunc(r.losses(), func(loss float64) bool { return !isFinite(loss) }); len(losses) > 0 {
		return slices.Min(losses)
	}
	return r.get("best_loss")
}

func (r row) lastLoss() float64 {
	if losses := r.losses(); len(losses) > 0 {
		return losses[len(losses)-1]
	}
	return r.get("last_loss")
}

func (r row) tokens() float64 {
	if r.job == nil || r.job.TrainedTokens == nil || r.running && *r.job.TrainedTokens == 0 { // it is not known yet
		return math.NaN()
	}
	return *r.job.TrainedTokens
}

// differenceSuffix is the end of the names of columns with differences to a baseline.
const differenceSuffix = "_difference"

// chooseMeasures sets the measures of the query.
func (q *report) chooseMeasures() error {
	if q.measures = catalog; q.Measures == nil {
		return nil
	}
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
	return nil
}

// parts are those of the measures, each once. With any about the GPU time of a run is all of it, which says whether there are GPUs.
func (q *report) parts() []string {
	var parts []string
	for _, m := range q.measures {
		parts = append(parts, m.parts...)
	}
	if slices.ContainsFunc(parts, func(part string) bool { return isOfGPUs(part) && part != currentUtilization }) {
		parts = append(parts, gpuTimeParts...)
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

func isOfGPUs(part string) bool { return !strings.HasSuffix(part, "_loss") }

// has reports whether one of the measures is among the ids.
func (q *report) has(ids []string) bool {
	return slices.ContainsFunc(q.measures, func(m measure) bool { return slices.Contains(ids, m.id) })
}
