package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
)

// causeNames are the causes by their codes in src/catalog/gpuTime.ts.
var causeNames = map[float64]string{
	10: "faulted", 20: "throttled", 30: "computing", 41: "network", 42: "storage", 43: "host", 44: "peers", 45: "unknown", 50: "held idle",
	60: "free", 70: "no data",
}

// causeGoals are what is asked of each cause that platforms have.
const (
	causePrecision = 0.95
	causeRecall    = 0.9
)

// trueCause is the one cause that a GPU has in a minute.
func trueCause(c metrics.Causes) string {
	for name, minutes := range map[string]int64{
		"faulted": c.Faulted, "throttled": c.Throttled, "computing": c.Computing, "network": c.Network, "storage": c.Storage,
		"host": c.Host, "unknown": c.Unknown, "held idle": c.HeldIdle, "free": c.Free,
	} {
		if minutes > 0 {
			return name
		}
	}
	return ""
}

// confusion counts what was found by what is true.
type confusion map[[2]string]int // by truth and finding

// gpuTimeAndTruth compares the causes of GPU time that the dashboard shows with those of simulated platforms.
func gpuTimeAndTruth(ctx context.Context, o options, r *report.Report) error {
	expr, err := panelExpr("gpu-time", "GPUs of the node by cause")
	if err != nil {
		return err
	}
	all, err := ofSlowPlatforms(ctx, o.seeds, func(p *slowPlatform) (confusion, error) { return causesOf(p, expr) })
	if err != nil {
		return err
	}
	sum, minutes, right := confusion{}, 0, 0
	for _, one := range all {
		for key, n := range one {
			sum[key] += n
		}
	}
	truth, found := map[string]int{}, map[string]int{}
	for key, n := range sum {
		truth[key[0]] += n
		found[key[1]] += n
		minutes += n
		if key[0] == key[1] {
			right += n
		}
	}
	group := r.Group("Causes of GPU time: %d platforms of 64 GPUs, a day each, every %s", o.seeds, insightStep)
	group.Figure("minutes compared", report.Number(minutes), report.Goal{})
	group.Figure("right", shareOf(right, minutes), report.NoLess(report.Figure{Value: causePrecision, Unit: report.Share}))
	for _, cause := range slices.Sorted(maps.Keys(truth)) {
		group.Figure(cause+", precision", shareOf(sum[[2]string{cause, cause}], found[cause]), report.NoLess(report.Figure{Value: causePrecision, Unit: report.Share}))
		group.Figure(cause+", recall", shareOf(sum[[2]string{cause, cause}], truth[cause]), report.NoLess(report.Figure{Value: causeRecall, Unit: report.Share}))
		for _, other := range slices.Sorted(maps.Keys(found)) {
			if n := sum[[2]string{cause, other}]; n > 0 && cause != other {
				r.Note("%s, taken for %s: %d of %d", cause, other, n, truth[cause])
			}
		}
	}
	return nil
}

// causesOf counts the causes of the GPUs of a platform.
func causesOf(p *slowPlatform, expr string) (confusion, error) {
	type gpu struct {
		node, index string
	}
	truth := map[time.Time]map[gpu]string{}
	counts := confusion{}
	err := p.evaluate(expr, func(at time.Time, labels map[string]string, code float64) {
		if truth[at] == nil {
			truth[at] = map[gpu]string{}
			for _, one := range p.GPUTime(at.Add(-time.Minute), at) {
				truth[at][gpu{one.Node, fmt.Sprint(one.GPU)}] = trueCause(one.Causes)
			}
		}
		if want := truth[at][gpu{labels["vm_name"], labels["gpu"]}]; want != "" {
			counts[[2]string{want, causeNames[code]}]++
		}
	})
	return counts, err
}

func shareOf(part, of int) report.Figure {
	return report.Figure{Value: float64(part) / float64(max(of, 1)), Unit: report.Share}
}

// ofSlowPlatforms calls fn with platforms of as many seeds, and returns the results by seed.
func ofSlowPlatforms[T any](ctx context.Context, seeds int, fn func(*slowPlatform) (T, error)) ([]T, error) {
	results := make([]T, seeds)
	err := eachSeed(ctx, seeds, func(_ context.Context, seed int) error {
		p, err := newSlowPlatform(uint64(seed))
		if err != nil {
			return err
		}
		defer p.close()
		results[seed], err = fn(p)
		return err
	})
	return results, err
}
