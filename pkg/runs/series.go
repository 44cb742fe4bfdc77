package runs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/prom/promql"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	defaultMaxGap = 10 * time.Minute
	// maxSeriesPoints bounds the points at which samples are looked for, of each of two series of a run.
	maxSeriesPoints = 5000
	maxByLabels     = 10
	// partMark and partTime tell apart the runs of a series with gaps, in ids.
	partMark = "@@"
	partTime = "2006-01-02T15:04"
)

// edges are the two series of a label set: the times of its first and of its last sample before each step.
type edges struct {
	labels      data.Labels
	first, last *data.Frame
}

// seriesRuns are the label sets of a selector, from the first sample in the range to a scrape interval after the last, and how
// many there are. The times are those of samples, however long a step is. Of more label sets than runs are wanted, those with
// the newest samples are looked at.
func (t *task) seriesRuns(ctx context.Context) ([]run, int, error) {
	if t.MetricsErr != nil {
		return nil, 0, t.MetricsErr
	}
	maxGap, err := t.Source.longestGap()
	if err != nil {
		return nil, 0, err
	}
	resolution := t.resolution()
	maxGap = max(maxGap, 2*resolution)
	step := max((maxGap / 2).Truncate(resolution), t.Metrics.Step(t.end().Sub(t.from), maxSeriesPoints))
	expr, err := t.Filters.Apply(t.Metrics.Interpolate(t.Source.Expr, t.to.Sub(t.from), step))
	if err != nil {
		return nil, 0, err
	}
	samples := fmt.Sprintf("timestamp(%s)[%ds:%ds]", expr, int64(step.Seconds()), int64(resolution.Seconds()))
	by := strings.Join(t.Source.By.Values, ", ")
	edge := func(of string) string {
		return fmt.Sprintf(`label_replace(%[1]s by (%[2]s) (%[1]s_over_time(%[3]s)), "edge", "%[1]s", "", "")`, of, by, samples)
	}
	asked := edge("min") + " or " + edge("max")
	if err := checkGenerated("Series", asked); err != nil {
		return nil, 0, err
	}
	start, end := t.from.Truncate(step).Add(step), t.end().Truncate(step).Add(step)
	t.left--
	result, err := t.Metrics.Range(ctx, asked, start, end, step, "")
	if err != nil {
		return nil, 0, err
	}
	t.addWarnings(result)
	sets := t.edgesOf(result.Frames())
	isChosen := t.isChosen()
	if len(t.chosen()) > 0 {
		wanted := map[string]bool{}
		for _, id := range t.chosen() {
			wanted[seriesOf(id)] = true
		}
		sets = slices.DeleteFunc(sets, func(s edges) bool { return !wanted[seriesOf(t.seriesRun(s.labels).id)] })
	}
	all := len(sets)
	sets = t.newestSets(sets)
	var runs []run
	for _, set := range sets {
		for _, r := range t.split(set, maxGap, resolution) {
			if isChosen(r) {
				runs = append(runs, r)
			}
		}
	}
	if slices.ContainsFunc(runs, func(r run) bool {
		return r.start.Sub(t.from) < 2*resolution || !r.running && t.to.Sub(r.end) < 2*resolution
	}) {
		t.notices.Info("Some runs begin or end at the edge of the range. Choose a longer range to see all of them.")
	}
	if len(runs) == 0 && len(t.chosen()) == 0 {
		return nil, 0, t.explainNoSeries(ctx, expr)
	}
	all += len(runs) - len(sets)
	runs, err = t.withJobs(ctx, t.newest(runs))
	return runs, all, err
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
	case len(s.By.Values) > maxByLabels:
		return &query.Error{Field: "Labels", Message: fmt.Sprintf("there are %d, and the limit is %d.", len(s.By.Values), maxByLabels)}
	}
	for _, name := range s.By.Values {
		if !model.LegacyValidation.IsValidLabelName(name) {
			return &query.Error{Field: "Labels", Message: fmt.Sprintf("%q is not the name of a label.", query.Shorten(name))}
		}
	}
	_, err := s.longestGap()
	return err
}

// edgesOf pairs the first and last samples of each label set.
func (t *task) edgesOf(frames data.Frames) []edges {
	var sets []edges
	index := map[string]int{}
	values := make([]string, len(t.Source.By.Values))
	for _, frame := range frames {
		if len(frame.Fields) != 2 || frame.Fields[1].Type() != data.FieldTypeFloat64 || frame.Rows() == 0 {
			continue
		}
		labels := frame.Fields[1].Labels
		for i, name := range t.Source.By.Values {
			values[i] = labels[name]
		}
		key := strings.Join(values, "\x00")
		i, known := index[key]
		if !known {
			i = len(sets)
			index[key] = i
			sets = append(sets, edges{labels: labels})
		}
		if labels["edge"] == "min" {
			sets[i].first = frame
		} else {
			sets[i].last = frame
		}
	}
	return slices.DeleteFunc(sets, func(s edges) bool { return s.first == nil || s.last == nil })
}

// newestSets are the label sets with the newest samples.
func (t *task) newestSets(sets []edges) []edges {
	if len(sets) <= t.most {
		return sets
	}
	newest := func(s edges) float64 { return *s.last.Fields[1].PointerAt(s.last.Rows() - 1).(*float64) }
	slices.SortStableFunc(sets, func(a, b edges) int { return cmp.Compare(newest(b), newest(a)) })
	if strings.TrimSpace(t.Baseline) != "" {
		i := slices.IndexFunc(sets, func(s edges) bool { return seriesOf(t.seriesRun(s.labels).id) == seriesOf(t.Baseline) })
		if i >= t.most {
			sets[t.most-1] = sets[i]
		}
	}
	return sets[:t.most]
}

// seriesRun is a run of a label set, without its times.
func (t *task) seriesRun(of data.Labels) run {
	labels, named := map[string]string{}, []string{}
	for _, name := range t.Source.By.Values {
		if value := of[name]; value != "" {
			labels[name] = value
			named = append(named, query.Cut(value, maxRunName))
		}
	}
	r := run{name: strings.Join(named, " · "), status: statusEnded, labels: withinBounds(labels), own: labels}
	r.id = strings.ReplaceAll(strings.Join(named, "/"), ",", ";") // lists of ids are separated by commas
	if len(named) == 0 {
		r.name, r.id = query.Shorten(t.Source.Expr), "all"
	}
	return r
}

// split makes runs of the samples of a label set. A run ends a scrape interval after its last sample.
//
// The id of a run that has ended has its end. Its start may be before the range, and would move with it; and a running run has the
// id of the label set, so that the labels of an alert instance stay while it is pending.
func (t *task) split(set edges, maxGap, resolution time.Duration) []run {
	firsts := map[int64]time.Time{}
	each(set.first, func(at time.Time, value float64) { firsts[at.UnixMilli()] = seconds(value) })
	var runs []run
	each(set.last, func(at time.Time, value float64) {
		first, ok := firsts[at.UnixMilli()]
		last := seconds(value)
		if !ok || last.Before(t.from) || first.After(t.end()) {
			return
		}
		first, last = query.Later(first, t.from), query.Earlier(last, t.end())
		if n := len(runs); n > 0 && first.Sub(runs[n-1].end) <= maxGap {
			runs[n-1].end = query.Later(runs[n-1].end, last)
			return
		}
		r := t.seriesRun(set.labels)
		r.start, r.end = first, last
		runs = append(runs, r)
	})
	for i := range runs {
		r := &runs[i]
		r.newest = i == len(runs)-1
		if t.now.Sub(r.end) <= maxGap {
			r.running, r.status = true, statusRunning
		} else {
			r.id += partMark + r.end.Format(partTime)
		}
		r.end = query.Earlier(r.end.Add(resolution), query.Later(t.end(), r.end))
	}
	return runs
}

// explainNoSeries says when there was a sample last.
func (t *task) explainNoSeries(ctx context.Context, expr string) error {
	oldest := t.Metrics.Oldest(t.end())
	if oldest.IsZero() {
		oldest = t.from.Add(-t.end().Sub(t.from))
	}
	back := t.end().Sub(oldest).Truncate(time.Hour)
	t.left--
	newest := fmt.Sprintf("max(max_over_time(timestamp(%s)[%ds:1h]))", expr, int64(back.Seconds()))
	result, err := t.Metrics.Instant(ctx, newest, t.end())
	if err != nil {
		return err
	}
	short := query.Shorten(t.Source.Expr)
	for _, frame := range result.Frames() {
		if value, ok := single(frame); ok && !math.IsNaN(value) {
			t.notices.Info("No sample of %s is in this range. The newest before is from %s.", short, seconds(value).Format("2006-01-02 15:04 MST"))
			return nil
		}
	}
	t.notices.Info("No sample of %s is in this range, nor in the %d days before its end.", short, int(back.Hours()/24))
	return nil
}

// addWarnings adds the annotations of the query engine.
func (t *task) addWarnings(result *promql.Result) {
	for _, text := range slices.Sorted(slices.Values(result.Warnings)) {
		t.notices.Warn("%s", text)
	}
	for _, text := range slices.Sorted(slices.Values(result.Infos)) {
		t.notices.Info("%s", text)
	}
}

// each visits the samples of a frame of a result. There are none in a native histogram and a text.
func each(frame *data.Frame, visit func(at time.Time, value float64)) {
	if len(frame.Fields) != 2 || frame.Fields[1].Type() != data.FieldTypeFloat64 {
		return
	}
	for i := range frame.Rows() {
		visit(*frame.Fields[0].PointerAt(i).(*time.Time), *frame.Fields[1].PointerAt(i).(*float64))
	}
}

// single is the value of a frame with one sample.
func single(frame *data.Frame) (value float64, ok bool) {
	each(frame, func(_ time.Time, v float64) { value, ok = v, frame.Rows() == 1 })
	return value, ok
}

func seconds(since1970 float64) time.Time { return time.UnixMilli(int64(since1970 * 1000)).UTC() }
