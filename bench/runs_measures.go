package main

import (
	"math"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
)

// measure is a column of a report with what is true of it.
type measure struct {
	column string
	truth  func(metrics.Run) float64
	// errorOf says how wrong a value is, in unit, which is to be limit at most.
	errorOf func(got, want float64) float64
	unit    report.Unit
	limit   float64
	// weight is what a mean counts in that of a platform, nil for a sum.
	weight func(metrics.Run) float64
	// bursts of an amount make much of a run in a minute, so that there is no goal for the error of a single run.
	bursts bool
}

const percent = 0.01

// Errors are relative for amounts, and differences for counts and for shares, in parts of the whole.
func relative(got, want float64) float64   { return math.Abs(got-want) / math.Max(math.Abs(want), 1e-9) }
func difference(got, want float64) float64 { return math.Abs(got - want) }

func gpuHours(r metrics.Run) float64 { return r.GPUHours }

func sum(column string, is func(metrics.Run) float64) measure {
	return measure{column, is, relative, report.Share, percent, nil, false}
}

func bursts(column string, is func(metrics.Run) float64) measure {
	return measure{column, is, relative, report.Share, percent, nil, true}
}

func mean(column string, is func(metrics.Run) float64) measure {
	return measure{column, is, relative, report.Share, percent, gpuHours, false}
}

func share(column string, is func(metrics.Run) int64) measure {
	return measure{column, func(r metrics.Run) float64 { return float64(is(r)) / float64(r.Time.Total) }, difference, report.Share, percent, gpuHours, false}
}

func count(column string, is func(metrics.Run) int) measure {
	return measure{column, func(r metrics.Run) float64 { return float64(is(r)) }, difference, report.Count, 0, nil, false}
}

// truthMeasures are exact.
var truthMeasures = []measure{
	sum("gpu_hours", gpuHours),
	sum("energy", func(r metrics.Run) float64 { return r.Energy }),
	sum("cost", func(r metrics.Run) float64 { return r.GPUHours*gpuHourPrice + r.Energy*kilowattHourPrice }),
	mean("utilization", func(r metrics.Run) float64 { return r.Utilization }),
	mean("tensor_activity", func(r metrics.Run) float64 { return r.TensorActivity }),
	share("busy", func(r metrics.Run) int64 { return r.Time.Working }),
	share("idle", func(r metrics.Run) int64 { return r.Time.Idle + r.Time.OutOfService }),
	share("throttled", func(r metrics.Run) int64 { return r.Time.Throttled }),
	bursts("bytes_read", func(r metrics.Run) float64 { return r.BytesRead }),
	bursts("bytes_written", func(r metrics.Run) float64 { return r.BytesWritten }),
	sum("tokens", func(r metrics.Run) float64 { return float64(r.Tokens) }),
	count("gpus", func(r metrics.Run) int { return r.GPUs }),
	count("xids", func(r metrics.Run) int { return r.XIDs }),
	count("checkpoints", func(r metrics.Run) int { return r.Checkpoints }),
	{"longest_checkpoint_gap", func(r metrics.Run) float64 { return 1000 * r.LongestCheckpointGap }, func(got, want float64) float64 {
		return difference(1000*got, want)
	}, report.Milliseconds, report.Took(sampleInterval).Value, nil, false},
}

// atWholeMinutes is the truth of a run with the means and shares at the whole minutes, when gauges are sampled: the rest of a short
// run they cannot know.
func atWholeMinutes(r metrics.Run) metrics.Run {
	m := r.Minutes
	r.Utilization, r.TensorActivity = m.Utilization, m.TensorActivity
	milliseconds := func(minutes int64) int64 {
		return int64(float64(minutes) / float64(max(m.Total, 1)) * float64(r.Time.Total))
	}
	r.Time.Idle, r.Time.OutOfService = milliseconds(m.Idle), milliseconds(m.OutOfService)
	r.Time.Working = r.Time.Total - r.Time.Idle - r.Time.OutOfService - r.Time.Throttled
	return r
}
