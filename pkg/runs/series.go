package runs

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend/gtime"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/prometheus/common/model"

	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/promclient/promjson"
	"github.com/gpucloud/gpucloud-platform-datasource/pkg/query"
)

const (
	defaultMaxGap = 10 * time.Minute
	// maxSeriesPoints bounds the points at which samples are looked for. Prometheus allows 11,000.
	maxSeriesPoints = 10_000
	maxByLabels     = 10
	// partMark and partTime tell apart the runs of a series with gaps, in ids.
	partMark = "@@"
	partTime = "2006-01-02T15:04"
)

// presence is where a series has samples.
type presence struct {
	labels data.Labels
	// first and last are the times of the first and the last sample before each step, which have any.
	first, last []time.Time
}

// seriesRuns are the label sets of a selector, from the first sample in the range to the last. The times are those of samples,
// however long a step is.
func (c *Client) seriesRuns(ctx context.Context, q *parsedQuery) ([]*Run, error) {
	if c.MetricsErr != nil {
		return nil, c.MetricsErr
	}
	maxGap, err := q.Source.seriesOptions()
	if err != nil {
		return nil, err
	}
	resolution := c.Metrics.Step(0, 1)
	maxGap = max(maxGap, 2*resolution)
	step := max((maxGap / 2).Truncate(resolution), c.Metrics.Step(q.end().Sub(q.from), maxSeriesPoints))
	samples := fmt.Sprintf("timestamp(%s)[%ds:%ds]", q.Source.Expr, int64(step.Seconds()), int64(resolution.Seconds()))
	by := strings.Join(q.Source.By.Values, ", ")
	edge := func(of string) string {
		return fmt.Sprintf(`label_replace(%[1]s by (%[2]s) (%[1]s_over_time(%[3]s)), "edge", "%[1]s", "", "")`, of, by, samples)
	}
	start, end := q.from.Truncate(step).Add(step), q.end().Truncate(step).Add(step)
	result, err := c.Metrics.Range(ctx, c.Metrics.Interpolate(edge("min")+" or "+edge("max"), q.to.Sub(q.from), step), start, end, step, "")
	if err != nil {
		return nil, err
	}
	q.addWarnings(result)
	var runs []*Run
	cut := false
	for _, series := range q.presences(result) {
		found := q.split(series, maxGap)
		for _, run := range found {
			cut = cut || run.Start.Sub(q.from) < 2*resolution || !run.Running && q.to.Sub(run.End) < 2*resolution
		}
		runs = append(runs, found...)
	}
	if cut {
		q.notices.Info("Some runs begin or end at the edge of the range. Choose a longer range to see all of them.")
	}
	if len(runs) == 0 {
		return nil, c.explainNoSeries(ctx, q)
	}
	return runs, nil
}

// seriesOptions checks the options of the source.
func (s sourceModel) seriesOptions() (maxGap time.Duration, err error) {
	switch {
	case strings.TrimSpace(s.Expr) == "":
		return 0, &query.Error{Field: "Series", Message: "it is empty. Write a selector whose series are runs, for example training_loss."}
	case len(s.By.Values) == 0:
		return 0, &query.Error{Field: "Labels", Message: "name the labels that tell runs apart, for example pod_name."}
	case len(s.By.Values) > maxByLabels:
		return 0, &query.Error{Field: "Labels", Message: fmt.Sprintf("there are %d, and the limit is %d.", len(s.By.Values), maxByLabels)}
	}
	for _, name := range s.By.Values {
		if !model.LegacyValidation.IsValidLabelName(name) {
			return 0, &query.Error{Field: "Labels", Message: fmt.Sprintf("%q is not the name of a label.", query.Shorten(name))}
		}
	}
	if strings.TrimSpace(s.MaxGap) == "" {
		return defaultMaxGap, nil
	}
	maxGap, err = gtime.ParseDuration(strings.TrimSpace(s.MaxGap))
	if err != nil || maxGap <= 0 {
		return 0, &query.Error{Field: "Longest gap", Message: fmt.Sprintf("%q is not a duration. Write for example 10m.", query.Shorten(s.MaxGap))}
	}
	return maxGap, nil
}

// presences reads the first and last samples of each label set.
func (q *parsedQuery) presences(result *promjson.Result) []*presence {
	var all []*presence
	byLabels := map[string]*presence{}
	firsts := map[*presence]map[int64]time.Time{}
	for _, edge := range []string{"min", "max"} {
		for _, frame := range result.Frames {
			values, ok := numbers(frame)
			if !ok || values.labels["edge"] != edge {
				continue
			}
			labels := values.labels.Copy()
			delete(labels, "edge")
			key := labels.String()
			series := byLabels[key]
			if series == nil {
				series = &presence{labels: labels}
				byLabels[key], firsts[series] = series, map[int64]time.Time{}
				all = append(all, series)
			}
			for i, at := range values.times {
				sampled := seconds(values.values[i])
				if edge == "min" {
					firsts[series][at.UnixMilli()] = sampled
				} else if first, ok := firsts[series][at.UnixMilli()]; ok && !sampled.Before(q.from) && !first.After(q.end()) {
					series.first = append(series.first, query.Later(first, q.from))
					series.last = append(series.last, query.Earlier(sampled, q.end()))
				}
			}
		}
	}
	return all
}

// split makes runs of the samples of a series.
func (q *parsedQuery) split(series *presence, maxGap time.Duration) []*Run {
	var runs []*Run
	for i, first := range series.first {
		if n := len(runs); n > 0 && first.Sub(runs[n-1].End) <= maxGap {
			runs[n-1].End = query.Later(runs[n-1].End, series.last[i])
			continue
		}
		runs = append(runs, &Run{Start: first, End: series.last[i], Status: statusEnded, Labels: series.labels, own: series.labels})
	}
	var named []string
	for _, name := range q.Source.By.Values {
		if value := series.labels[name]; value != "" {
			named = append(named, value)
		}
	}
	for _, run := range runs {
		run.Name = strings.Join(named, " · ")
		run.ID = strings.ReplaceAll(strings.Join(named, "/"), ",", ";") // lists of ids are separated by commas
		if len(named) == 0 {
			run.Name, run.ID = q.Source.Expr, "all"
		}
		if len(runs) > 1 {
			run.ID += partMark + run.Start.Format(partTime)
		}
		if q.now.Sub(run.End) <= maxGap {
			run.Running, run.Status = true, statusRunning
		}
	}
	return runs
}

// explainNoSeries says when there was a sample last.
func (c *Client) explainNoSeries(ctx context.Context, q *parsedQuery) error {
	newest := fmt.Sprintf("max(max_over_time(timestamp(%s)[%ds:1h]))", q.Source.Expr, int64(promclient.DefaultRetention.Seconds()))
	result, err := c.Metrics.Instant(ctx, c.Metrics.Interpolate(newest, q.to.Sub(q.from), time.Hour), q.end())
	if err != nil {
		return err
	}
	expr := query.Shorten(q.Source.Expr)
	for _, frame := range result.Frames {
		if values, ok := numbers(frame); ok && len(values.values) > 0 && !math.IsNaN(values.values[0]) {
			q.notices.Info("No sample of %s is in this range. The newest before is from %s.", expr, seconds(values.values[0]).Format("2006-01-02 15:04 MST"))
			return nil
		}
	}
	q.notices.Info("No sample of %s is in this range, nor in the %d days before its end.", expr, int(promclient.DefaultRetention.Hours()/24))
	return nil
}

// addWarnings adds the annotations of the query engine.
func (q *parsedQuery) addWarnings(result *promjson.Result) {
	for _, text := range slices.Sorted(slices.Values(result.Warnings)) {
		q.notices.Warn("%s", text)
	}
	for _, text := range slices.Sorted(slices.Values(result.Infos)) {
		q.notices.Info("%s", text)
	}
}

// series is a time series of a result.
type series struct {
	labels data.Labels
	times  []time.Time
	values []float64
}

// numbers reads a frame of a result. It is false for a native histogram and a text.
func numbers(frame *data.Frame) (series, bool) {
	if len(frame.Fields) != 2 || frame.Fields[1].Type() != data.FieldTypeFloat64 {
		return series{}, false
	}
	times, values := frame.Fields[0], frame.Fields[1]
	s := series{labels: values.Labels, times: make([]time.Time, times.Len()), values: make([]float64, times.Len())}
	for i := range times.Len() {
		s.times[i], s.values[i] = *times.PointerAt(i).(*time.Time), *values.PointerAt(i).(*float64)
	}
	return s, true
}

func seconds(since1970 float64) time.Time { return time.UnixMilli(int64(since1970 * 1000)).UTC() }
