package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/scenario"
)

// causeOfSlowdown is the label that the dashboard of stragglers gives to each kind of slowdown of a GPU.
var causeOfSlowdown = map[scenario.SlowdownKind]string{
	scenario.Hot: "heat", scenario.PowerCapped: "power limit", scenario.SlowClock: "low clock", scenario.SlowPCIe: "PCIe",
}

const (
	// seenFrom is how long a GPU has to be slow under load for its slowdown to be one that samples of a minute show.
	seenFrom = 20 * time.Minute
	// after is how long a GPU may be named after its slowdown, because windows look back.
	after = 20 * time.Minute
	// falseAlarms is how many false alarms there may be in falseAlarmDays of a GPU.
	falseAlarms, falseAlarmDays = 1, 1000
)

// alarm is a time in which a GPU was named without a break.
type alarm struct {
	node, gpu, cause string
	start, end       time.Time
}

// stragglersFound is what was found on one platform.
type stragglersFound struct {
	slow, found, rightCause int // slowdowns
	alarms, falseAlarms     int
	missed, wrong           []string
	byKind                  map[scenario.SlowdownKind][2]int // slowdowns, and those found
}

// stragglersAndTruth compares the GPUs that the dashboard names as stragglers with those of simulated platforms that are slow.
func stragglersAndTruth(ctx context.Context, o options, r *report.Report) error {
	expr, err := panelExpr("stragglers", "GPUs slower than their peers")
	if err != nil {
		return err
	}
	all, err := ofSlowPlatforms(ctx, o.seeds, func(p *slowPlatform) (stragglersFound, error) { return stragglersOf(p, expr) })
	if err != nil {
		return err
	}
	sum := stragglersFound{byKind: map[scenario.SlowdownKind][2]int{}}
	for _, one := range all {
		sum.slow, sum.found, sum.rightCause = sum.slow+one.slow, sum.found+one.found, sum.rightCause+one.rightCause
		sum.alarms, sum.falseAlarms = sum.alarms+one.alarms, sum.falseAlarms+one.falseAlarms
		for kind, n := range one.byKind {
			before := sum.byKind[kind]
			sum.byKind[kind] = [2]int{before[0] + n[0], before[1] + n[1]}
		}
		for _, text := range slices.Concat(one.missed, one.wrong) {
			r.Note("%s", text)
		}
	}
	days := float64(o.seeds) * 64 * insightSpan.Hours() / 24
	group := r.Group("Stragglers: %d platforms of 64 GPUs, a day each, every %s", o.seeds, insightStep)
	group.Figure("slowdowns of a GPU", report.Number(sum.slow), report.Goal{})
	group.Figure("found, recall", shareOf(sum.found, sum.slow), report.NoLess(report.Figure{Value: causeRecall, Unit: report.Share}))
	for _, kind := range []scenario.SlowdownKind{scenario.Hot, scenario.PowerCapped, scenario.SlowClock, scenario.SlowPCIe} {
		group.Figure(string(kind)+", recall", shareOf(sum.byKind[kind][1], sum.byKind[kind][0]), report.Goal{})
	}
	group.Figure("cause right, of those found", shareOf(sum.rightCause, sum.found), report.NoLess(report.Figure{Value: causePrecision, Unit: report.Share}))
	group.Figure("alarms", report.Number(sum.alarms), report.Goal{})
	group.Figure("right, precision", shareOf(sum.alarms-sum.falseAlarms, sum.alarms), report.NoLess(report.Figure{Value: causePrecision, Unit: report.Share}))
	group.Figure("false alarms in 1,000 GPU-days", report.Figure{Value: float64(sum.falseAlarms) / days * falseAlarmDays, Unit: report.Count}, report.NoMore(report.Number(falseAlarms)))
	return nil
}

// stragglersOf compares the GPUs of a platform that are named with its slowdowns.
func stragglersOf(p *slowPlatform, expr string) (stragglersFound, error) {
	alarms, err := alarmsOf(p, expr)
	f := stragglersFound{byKind: map[scenario.SlowdownKind][2]int{}, alarms: len(alarms)}
	if err != nil {
		return f, err
	}
	right := make([]bool, len(alarms))
	for _, slow := range p.Slowdowns(p.to.Add(-insightSpan), p.to) {
		if slow.GPU == nil {
			continue
		}
		found, cause := false, false
		for i, a := range alarms {
			if a.node == slow.Node && a.gpu == fmt.Sprint(*slow.GPU) && !a.end.Before(slow.Start) && !a.start.After(slow.End.Add(after)) {
				found, right[i] = true, true
				cause = cause || a.cause == causeOfSlowdown[slow.Kind]
			}
		}
		if longestTraining(slow) < seenFrom {
			continue
		}
		n := f.byKind[slow.Kind]
		n[0]++
		f.slow++
		if found {
			n[1]++
			f.found++
		} else {
			f.missed = append(f.missed, fmt.Sprintf("missed: %s of %s, GPU %d, at %.2f of its pace, from %s to %s", slow.Kind, slow.Node, *slow.GPU, slow.Pace, slow.Start.Format(time.RFC3339), slow.End.Format(time.RFC3339)))
		}
		if found && cause {
			f.rightCause++
		}
		f.byKind[slow.Kind] = n
	}
	for i, a := range alarms {
		if !right[i] {
			f.falseAlarms++
			f.wrong = append(f.wrong, fmt.Sprintf("false alarm: %s, GPU %s, for %s, from %s to %s", a.node, a.gpu, a.cause, a.start.Format(time.RFC3339), a.end.Format(time.RFC3339)))
		}
	}
	return f, nil
}

// longestTraining is for how long the pool trained without a break while something was slow.
func longestTraining(slow metrics.Slowdown) time.Duration {
	longest := time.Duration(0)
	for _, one := range slow.Training {
		longest = max(longest, one.End.Sub(one.Start))
	}
	return longest
}

// alarmsOf are the times in which GPUs are named.
func alarmsOf(p *slowPlatform, expr string) ([]alarm, error) {
	var alarms []alarm
	err := p.evaluate(expr, func(at time.Time, labels map[string]string, value float64) {
		if value <= 0 || labels["gpu"] == "" {
			return // a sentence that there is none
		}
		for i := range alarms {
			a := &alarms[i]
			if a.node == labels["vm_name"] && a.gpu == labels["gpu"] && a.cause == labels["cause"] && at.Sub(a.end) <= insightStep {
				a.end = at
				return
			}
		}
		alarms = append(alarms, alarm{labels["vm_name"], labels["gpu"], labels["cause"], at, at})
	})
	return alarms, err
}
