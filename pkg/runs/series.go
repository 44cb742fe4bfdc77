package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/series"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	defaultMaxGap = 10 * time.Minute
	// maxSeriesPoints bounds the points at which samples are looked for, of each of two series of a run.
	maxSeriesPoints = 5000
	// leastSeriesPoints keep a step from being so long that more is read before and after the range than in it.
	leastSeriesPoints = 12
	maxByLabels       = 10
	// looksAtOnce is at how many points a query looks for samples: VictoriaMetrics takes 30,000 of a subquery, unless it is set to take more
	// (-search.maxPointsPerTimeseries).
	looksAtOnce = 25_000
	// edgeLabel tells the first samples from the last ones. No label that tells runs apart may have its name.
	edgeLabel = "edge_of_run"
)

// edges are the two series of a label set: the times of its first and of its last sample before each step.
type edges struct {
	// id is that of its runs, without their ends.
	id          string
	labels      data.Labels
	first, last *series.Series
}

// seriesRuns are the label sets of a selector, from the first sample in the range to a scrape interval after the last. The
// times are those of samples, however long a step is.
func (t *task) seriesRuns(ctx context.Context) ([]run, error) {
	if t.MetricsErr != nil {
		return nil, t.MetricsErr
	}
	maxGap, err := t.Source.longestGap()
	if err != nil {
		return nil, err
	}
	resolution := t.resolution()
	maxGap = max(maxGap, 2*resolution)
	length := t.end().Sub(t.from)
	step := max(min(maxGap/2, length/leastSeriesPoints).Truncate(resolution), t.Metrics.Step(length, maxSeriesPoints))
	expr, err := t.Apply(t.Metrics.Interpolate(t.Source.Expr, t.to.Sub(t.from), step))
	if err != nil {
		return nil, err
	}
	samples := fmt.Sprintf("timestamp(%s\n)[%ds:%ds]", expr, // which may end with a comment
		int64(step.Seconds()), int64(resolution.Seconds()))
	by := strings.Join(t.Source.By.Values, ", ")
	edge := func(of string) string {
		return fmt.Sprintf(`label_replace(%[1]s by (%[2]s) (%[1]s_over_time(%[3]s)), %[4]q, "%[1]s", "", "")`, of, by, samples, edgeLabel)
	}
	asked := edge("min") + " or " + edge("max")
	if err := checkGenerated("Series", asked); err != nil {
		return nil, err
	}
	// The first window has the sample before the range, too: the range begins with its time.
	start, end := t.from.Add(-resolution).Truncate(step).Add(step), t.end().Truncate(step).Add(step)
	sets := edgeSets{task: t, index: map[string]int{}, has: map[string]bool{}}
	// The first window of a part begins a step before it.
	for part := max(looksAtOnce*resolution-step, 0).Truncate(step); !start.After(end); start = start.Add(part + step) {
		result, err := t.Metrics.Evaluate(ctx, promql.New(asked).Over(start, query.Earlier(start.Add(part), end), step))
		if err != nil {
			return nil, err
		}
		addWarnings(&t.notices, result)
		sets.add(result.Matrix)
	}
	found := spans{task: t, maxGap: maxGap, resolution: resolution}
	for i := range sets.all {
		if set := &sets.all[i]; set.first != nil && set.last != nil {
			found.find(set)
		}
	}
	t.explainCut(found.all)
	runs := found.runs(sets.has)
	if slices.ContainsFunc(runs, func(r run) bool {
		return r.start.Sub(t.from) < 2*resolution || !r.running && t.to.Sub(r.end) < 2*resolution
	}) {
		t.notices.Info("Some runs begin or end at the edge of the range. Choose a longer range to see all of them.")
	}
	if len(runs) == 0 && t.chosen.isEmpty() {
		t.notices.Info("No sample of %s is in this range. Choose an earlier or a longer one.", query.Shorten(t.Source.Expr))
	}
	return t.withJobs(ctx, runs)
}

// longestGap is the option of that name.
func (s *sourceModel) longestGap() (time.Duration, error) {
	if strings.TrimSpace(s.MaxGap) == "" {
		return defaultMaxGap, nil
	}
	maxGap, err := gtime.ParseDuration(strings.TrimSpace(s.MaxGap))
	if err != nil || maxGap <= 0 {
		return 0, &query.Error{Field: "Longest gap", Message: fmt.Sprintf("%q is not a duration. Write for example 10m.", query.Shorten(s.MaxGap))}
	}
	return maxGap, nil
}

// checkSeries checks the options of the source.
func (s *sourceModel) checkSeries() error {
	switch {
	case strings.TrimSpace(s.Expr) == "":
		return &query.Error{Field: "Series", Message: "it is empty. Write a selector whose series are runs, for example training_loss."}
	case len(s.By.Values) == 0:
		return &query.Error{Field: "Labels", Message: "name the labels that tell runs apart, for example pod_name."}
	}
	for _, name := range s.By.Values {
		if !model.LegacyValidation.IsValidLabelName(name) || name == model.MetricNameLabel {
			return &query.Error{Field: "Labels", Message: fmt.Sprintf("%q is not the name of a label.", query.Shorten(name))}
		}
	}
	_, err := s.longestGap()
	return cmp.Or(query.AtMost("Labels", "there are %d", len(s.By.Values), maxByLabels), err)
}

// edgeSets are the first and last samples of label sets.
type edgeSets struct {
	*task
	all   []edges
	index map[string]int
	// has are the labels that tell runs apart, as far as any of them has one.
	has map[string]bool
}

// add adds those of a part of the range to those of the parts before it.
func (s *edgeSets) add(found *series.Matrix) {
	values := make([]string, len(s.Source.By.Values))
	for i := range found.Series {
		one := &found.Series[i]
		if len(one.Values) == 0 {
			continue
		}
		labels := one.Labels
		for i, name := range s.Source.By.Values {
			values[i] = labels[name]
			s.has[name] = s.has[name] || values[i] != ""
		}
		key := strings.Join(values, "\x00")
		i, known := s.index[key]
		if !known {
			i = len(s.all)
			s.index[key] = i
			s.all = append(s.all, edges{id: s.seriesID(labels), labels: labels})
		}
		edge := &s.all[i].last
		if labels[edgeLabel] == "min" {
			edge = &s.all[i].first
		}
		if before := *edge; before != nil { // both are the cache's
			one = &series.Series{Times: slices.Concat(before.Times, one.Times), Values: slices.Concat(before.Values, one.Values)}
		}
		*edge = one
	}
}

// addWarnings adds the annotations of the query engine.
func addWarnings(to *query.Notices, result *promql.Result) {
	for _, text := range slices.Sorted(slices.Values(result.Warnings)) {
		to.Warn("%s", text)
	}
	for _, text := range slices.Sorted(slices.Values(result.Infos)) {
		to.Info("%s", text)
	}
}

func seconds(since1970 float64) time.Time { return time.UnixMilli(int64(since1970 * 1000)).UTC() }
