package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/data"

	"github.com/gpucloud/gpucloud-platform-datasource/bench/report"
	"github.com/gpucloud/gpucloud-platform-datasource/simulator/metrics"
)

// rebaseRuns compares the values of runs that start at the left edge with those of a query of each run's own time.
func rebaseRuns(b *runsBed, ended []metrics.Run, group report.Group) error {
	ds, err := newDatasource(b.server.URL, true, nil)
	if err != nil {
		return err
	}
	defer ds.Dispose()
	const expr = "DCGM_FI_DEV_GPU_UTIL"
	at := within(ended)
	rebased, err := frames(ds, savedQuery(map[string]any{
		"queryType": "runComparison", "source": podRuns(largestPool), "selector": byPool("nodepool_name"), "expr": expr + "{$selector}", "axis": "rebased",
	}, at.From, at.To))
	if err != nil {
		return err
	}
	compared, different := 0, 0
	for _, run := range ended {
		var step time.Duration
		shown := map[string][]point{} // by UUID, since the first
		for _, frame := range rebased {
			if labels := frame.Fields[1].Labels; isRun(labels["run_id"], run) {
				if shown[labels["UUID"]], err = sinceFirst(frame); err != nil {
					return err
				}
				step = time.Duration(shown[labels["UUID"]][1].at) * time.Millisecond
			}
		}
		if len(shown) != comparedSeries {
			return fmt.Errorf("%w: %d re-based series of %s among %d, the first %v", errWrong, len(shown), run.ID, len(rebased), rebased[0].Fields[1].Labels)
		}
		start := firstSample(run)
		if first := start.Truncate(step); first.Before(start) {
			start = first.Add(step)
		}
		direct, err := frames(ds, rangeQuery(expr+"{"+run.Selector+"}", start, run.End.Truncate(sampleInterval).Truncate(step), step))
		if err != nil {
			return err
		}
		for _, frame := range direct {
			want, err := sinceFirst(frame)
			if err != nil {
				return err
			}
			got := shown[frame.Fields[1].Labels["UUID"]]
			for i := range max(len(want), len(got)) {
				compared++
				if i >= len(want) || i >= len(got) || want[i] != got[i] {
					different++
				}
			}
		}
	}
	group.Figure(fmt.Sprintf("of %d re-based values, those that differ from a query of the run's own time", compared), report.Number(different), report.NoMore(report.Number(0)))
	return nil
}

// isRun reports whether an id of a run of pods means a run. Of several runs of a pod it has the minute of the first sample.
func isRun(id string, run metrics.Run) bool {
	_, start, several := strings.Cut(id, "@@")
	return strings.Contains(id, run.Labels["pod_name"]) && (!several || start == firstSample(run).Format("2006-01-02T15:04"))
}

// firstSample is when a run has its first sample: on the next whole minute.
func firstSample(run metrics.Run) time.Time {
	return run.Start.Truncate(sampleInterval).Add(sampleInterval)
}

// sinceFirst are the points of a series, at the time since the first.
func sinceFirst(frame *data.Frame) ([]point, error) {
	one, err := samplesOf(data.Frames{frame})
	if err != nil {
		return nil, err
	}
	points := one[labelsKey(frame.Fields[1].Labels)]
	if len(points) < 2 {
		return nil, fmt.Errorf("%w: a series of %d points", errWrong, len(points))
	}
	first := points[0].at
	for i := range points {
		points[i].at -= first
	}
	return points, nil
}
